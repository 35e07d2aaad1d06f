# SPDX-License-Identifier: Apache-2.0
"""Pooling of other kinds: norms of windows, windows at random places, and back from windows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.spatial.pooling import pooled, with_places
from typedtensors.ops.layers import layer, replace_arguments
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.axes.sizes import parts
from typedtensors.ops.steps.loss import require_same_shape
from typedtensors.ops.steps.signals.images import image, spatial_rank
from typedtensors.ops.steps.signals.windows import Window, per_axis, spread, windows
from typedtensors.ops.value import SOME_FLOAT
from typedtensors.shapes import Axis, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_SPATIAL = ("7", "9 7", "7 8 9")


def normed(call: Call) -> Value:
    """A norm for each window; windows lie beside each other unless a stride is given."""
    if promotion.kinds(call.tensor("input").dtype) != frozenset({"float"}):
        raise Undetermined("norms of other numbers than floats are of another dtype")
    if call["norm_type"] in (0.0, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, "a norm of type 0"))
    return pooled(replace_arguments(call, {**call.arguments, "padding": Dim.of(0)}))


for _count in (1, 2, 3):
    _named, _fixed = " ".join("dhw"[-_count:]), _SPATIAL[_count - 1]
    layer(
        f"torch.nn.LPPool{_count}d",
        params="norm_type, kernel_size, stride=None, ceil_mode=False",
        examples=(
            example(Array(f"b c {_named}")).on(2, 2),
            example(Array(f"c {_fixed}")).on(1.5, 3, 2, True),
            example(Array(f"b c {_fixed}")).on(2, 20),
        ),
    )(normed)
    rule(
        f"torch.nn.functional.lp_pool{_count}d",
        params="input, norm_type, kernel_size, stride=None, ceil_mode=False",
        examples=(
            example(Array(f"b c {_named}"), 2, 2),
            example(Array(f"c {_fixed}"), 1.5, 3, 2, True),
            example(Array(f"b c {_fixed}"), 2, 20),
        ),
    )(normed)


def placed(call: Call) -> Value:
    """The spatial axes get the given sizes, or shrink by a ratio."""
    array, count = call.tensor("input"), spatial_rank(call)
    require_inexact(call, array)
    parts = image(call, array.shape, count)
    if call.arguments.get("_random_samples") is not None:
        raise Undetermined("places of one's own have to fit")
    kernels = per_axis(call["kernel_size"], count)
    axes = _asked(call, parts.spatial) or _shrunk(call, parts.spatial)
    for axis, size, kernel in zip(parts.spatial, axes, kernels, strict=True):
        _require_room(call, axis, size, kernel)
    return with_places(call, array.with_shape(parts.shape(parts.channels, axes)))


def _asked(call: Call, axes: tuple[Axis, ...]) -> list[Axis]:
    if (call["output_size"] is None) is (call["output_ratio"] is None):
        raise Conflicting(wording.misused(call.name, "takes a size or a ratio, and not both"))
    if call["output_size"] is None:
        return []
    sizes = per_axis(call["output_size"], len(axes))
    return [Axis(Dim.fresh() if size is None else size) for size in sizes]


def _shrunk(call: Call, axes: tuple[Axis, ...]) -> list[Axis]:
    given = call["output_ratio"]
    several = given if isinstance(given, (tuple, list)) else (given,) * len(axes)
    if len(several) != len(axes):
        raise Undetermined("another number of ratios than axes")
    return [_part(axis, ratio) for axis, ratio in zip(axes, several, strict=True)]


def _part(axis: Axis, ratio: Value) -> Axis:
    size = axis.dim.value
    known = isinstance(ratio, float) and ratio is not SOME_FLOAT
    if size is None or axis.flexible or not isinstance(ratio, float) or not known:
        return Axis(Dim.fresh())
    return Axis(Dim.of(math.floor(size * ratio)))


def _require_room(call: Call, axis: Axis, size: Axis, kernel: Dim | None) -> None:
    """Windows at so many places need an axis that is longer by all but one element of a window."""
    if kernel is None or axis.flexible:
        raise Undetermined("whether the windows fit is not known")
    # In volumes the last place stays free.
    room = call.facts.resolve(axis.dim) - kernel + (1 if spatial_rank(call) == 2 else 0)
    if at_most(size.dim, Dim.of(0)) or at_most(kernel, Dim.of(0)):
        raise Undetermined("no window")
    if at_most(room + 1, size.dim):
        problem = f"{size} windows of {kernel} on an axis of {axis}"
        raise Conflicting(wording.misused(call.name, problem))


_FRACTIONAL = (
    "kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"
)
for _count in (2, 3):
    _fixed = " ".join("9" * _count)
    _named = " ".join("dhw"[-_count:])
    layer(
        f"torch.nn.FractionalMaxPool{_count}d",
        params=_FRACTIONAL,
        examples=(
            example(Array(f"b c {_fixed}")).on(3, 4),
            example(Array(f"c {_fixed}")).on((2,) * _count, output_ratio=0.5),
            example(Array(f"b c {_fixed}")).on(2, 3, return_indices=True),
            example(Array(f"b c {_fixed}")).on(3, 8),
        ),
    )(placed)
    for _suffix in ("", "_with_indices"):
        rule(
            f"torch.nn.functional.fractional_max_pool{_count}d{_suffix}",
            params=f"input, {_FRACTIONAL}",
            examples=(
                example(Array(f"b c {_fixed}"), 3, 4),
                example(Array(f"c {_fixed}"), (2,) * _count, output_ratio=(0.5,) * _count),
                example(Array(f"b c {_fixed}"), 3, 8),
            ),
        )(placed)


def unpooled(call: Call) -> Value:
    """The axes that pooling made these of, or those that are given."""
    array, count = call.tensor("input"), spatial_rank(call)
    split = image(call, array.shape, count)
    _require_positions(call, array)
    found, extra = windows(count, *_unpooling(call), Dim.of(1)), Dim.of(0)
    if any(number is None or at_most(number, extra) for each in found for number in _steps(each)):
        raise Undetermined("torch takes windows of nothing")
    pairs = zip(split.spatial, found, strict=True)
    axes = [spread(call, axis, each, extra) for axis, each in pairs]
    if call["output_size"] is not None:
        axes = _given(call, axes, found)
    return array.with_shape(split.shape(split.channels, axes))


def _require_positions(call: Call, array: Tensor) -> None:
    """A position for each value. Raises Conflicting if there is another number of them."""
    positions = call.tensor("indices")
    if positions.dtype != promotion.INT64:
        raise Undetermined("positions are int64")
    require_same_shape(call, "input", "indices")
    if array.shape.rank is None or positions.shape.rank is None:
        raise Undetermined("the ranks are not known")


def _given(call: Call, usual: list[Axis], found: list[Window]) -> list[Axis]:
    """The sizes that are asked for, which are less than a step away from the usual ones."""
    wanted = parts(call["output_size"])[-len(usual) :]
    axes = [part for part in wanted if isinstance(part, Axis)]
    for asked, axis, window in zip(axes, usual, found, strict=True):
        size, step = call.facts.resolve(axis.dim), window.stride
        if size.value is None or asked.dim.value is None or step is None or step.value is None:
            raise Undetermined("whether the size is one of those that fit is not known")
        if abs(asked.dim.value - size.value) >= step.value:
            problem = f"a size of {asked} where {size} is usual, with steps of {step}"
            raise Conflicting(wording.misused(call.name, problem))
    return axes


def _steps(window: Window) -> tuple[Dim | None, Dim | None]:
    return window.kernel, window.stride


def _unpooling(call: Call) -> tuple[Value, Value, Value]:
    return call["kernel_size"], call["stride"] or call["kernel_size"], call["padding"]


for _count in (1, 2, 3):
    _values = " ".join(("b c", *"xyz"[:_count]))
    _pair = (Array(_values), indices(_values))
    _four = " ".join(("b c", *"4" * _count))
    layer(
        f"torch.nn.MaxUnpool{_count}d",
        params="kernel_size, stride=None, padding=0",
        inputs="input, indices, output_size=None",
        examples=(example(*_pair).on(2), example(*_pair).on(3, 2)),
    )(unpooled)
    rule(
        f"torch.nn.functional.max_unpool{_count}d",
        params="input, indices, kernel_size, stride=None, padding=0, output_size=None",
        examples=(
            example(*_pair, 2),
            example(*_pair, 3, 2),
            example(Array(_four), indices(_four), 2, output_size=(9,) * _count),
        ),
    )(unpooled)
