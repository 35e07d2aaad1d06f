# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's convolutions and pooling over images with their channels last or first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.matmul import require_one_kind
from typedtensors.ops.steps.signals.channels_last import numbers, picture, windowed
from typedtensors.ops.steps.signals.images import spatial_rank
from typedtensors.ops.steps.signals.windows import windows
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_SPATIAL = ("9", "9 7", "7 8 9")
_LAST, _FIRST = (None, "NWC", "NHWC", "NDHWC"), ("NCW", "NCHW", "NCDHW")


def _channels_first(call: Call) -> bool:
    """Whether the channels come before the spatial axes."""
    if call["data_format"] not in _LAST + _FIRST:
        raise Undetermined("where the channels are is not known")
    return call["data_format"] in _FIRST


def _convolutions(count: int) -> tuple[Example, ...]:
    fixed, named, kernel = _SPATIAL[count - 1], " ".join("dhw"[-count:]), " ".join("3" * count)
    return (
        example(Array(f"b {named} c"), Array(f"{kernel} c o"), 1, "SAME"),
        example(Array(f"b {fixed} c"), Array(f"{kernel} c o"), 1, padding="VALID"),
        example(Array(f"b {fixed} 3"), Array(f"{kernel} 3 5"), 2, "SAME"),
        example(Array(f"b {fixed} 3"), Array(f"{kernel} 3 5"), 2, "VALID"),
        example(Array(f"b {fixed} 3"), Array(f"{kernel} 4 5"), 1, "SAME"),
    )


def convolved(call: Call) -> Value:
    """Windows as large as the filters slide over the spatial axes; channels become others."""
    first, count = _channels_first(call), spatial_rank(call)
    parts = picture(call, "input", count, batches=1 if first else None, first=first)
    kernel, last = _filters(call, count, parts.channels)
    stride = call.arguments.get("strides", call.arguments.get("stride"))
    dilation = Dim.of(1) if call["dilations"] is None else call["dilations"]
    steps, spread = (numbers(each, count, first=first) for each in (stride, dilation))
    found = windows(count, kernel, steps, Dim.of(0), spread)
    axes = windowed(call, parts.spatial, found, call["padding"])
    require_one_kind(call, "input", "filters")
    return call.tensor("input").with_shape(parts.shape(axes, last))


def _filters(call: Call, count: int, own: Axis) -> tuple[list[Dim], Axis]:
    """The sizes of the windows and the channels that are made; those that come in must fit."""
    filters = call.tensor("filters").shape
    if filters.rank is not None and filters.rank != count + 2:
        where, wanted = wording.argument("filters", call.name), " ".join("dhw"[-count:])
        raise Conflicting(wording.rank_differs(where, f"{wanted} c_in c_out", filters.text))
    sizes = filters.fixed
    if sizes is None or any(axis.flexible for axis in sizes):
        raise Undetermined("a size of the filters is not known")
    _require_channels(call, own, sizes[-2])
    return [axis.dim for axis in sizes[:-2]], sizes[-1]


def _require_channels(call: Call, own: Axis, needed: Axis) -> None:
    """What comes in has the channels of the filters, or several times as many: those are groups."""
    if own.flexible:
        return
    if call.facts.compare(own.dim, needed.dim) is not Verdict.DIFFERENT:
        return
    given, wanted = call.facts.resolve(own.dim).value, call.facts.resolve(needed.dim).value
    if given is None or not wanted or given % wanted == 0:
        raise Undetermined("the channels may be in groups")
    where, origin = wording.argument("input", call.name), "axis -2 of `filters`"
    rank = len(call.tensor("input").shape.axes)
    at = 1 if _channels_first(call) else rank - 1
    raise Conflicting(wording.axis_differs(where, at, str(needed), str(own), bound_by=origin))


for _count, _stride in ((1, "stride"), (2, "strides")):
    rule(
        *tensorflow_names(f"nn.conv{_count}d"),
        params=f"input, filters, {_stride}, padding, data_format=None, dilations=None, name=None",
        examples=_convolutions(_count),
    )(convolved)
rule(
    *tensorflow_names("nn.conv3d"),
    params="input, filters, strides, padding, data_format=None, dilations=None, name=None",
    examples=(
        example(Array("b d h w c"), Array("3 3 3 c o"), [1, 1, 1, 1, 1], "SAME"),
        example(Array("b 7 8 9 c"), Array("3 3 3 c o"), [1, 2, 2, 2, 1], padding="VALID"),
        example(Array("b 7 8 9 3"), Array("3 3 3 4 5"), [1, 1, 1, 1, 1], "SAME"),
    ),
)(convolved)


def _poolings(count: int) -> tuple[Example, ...]:
    fixed, named = _SPATIAL[count - 1], " ".join("xyz"[:count])
    return (
        example(Array(f"b {named} c"), 2, 2, "SAME"),
        example(Array(f"b {fixed} c"), 2, strides=2, padding="VALID"),
        example(Array(f"b {fixed} c"), 3, 1, "VALID"),
        example(Array(f"b {fixed.split()[0]}"), 2, 2, "VALID"),
    )


def pooled(call: Call) -> Value:
    """A value per window."""
    first, count = _channels_first(call), spatial_rank(call)
    parts = picture(call, "input", count, first=first)
    kernel, steps = (numbers(call[name], count, first=first) for name in ("ksize", "strides"))
    found = windows(count, kernel, steps, Dim.of(0), Dim.of(1))
    axes = windowed(call, parts.spatial, found, call["padding"])
    return call.tensor("input").with_shape(parts.shape(axes, parts.channels))


for _count in (1, 2, 3):
    rule(
        *tensorflow_names(f"nn.max_pool{_count}d", f"nn.avg_pool{_count}d"),
        params="input, ksize, strides, padding, data_format=None, name=None",
        examples=_poolings(_count),
    )(pooled)
