# SPDX-License-Identifier: Apache-2.0
"""Pooling: one value per window, or a given number of values per axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.axes.sizes import require_sizes
from typedtensors.ops.steps.signals.images import image, spatial_rank
from typedtensors.ops.steps.signals.windows import slid, windows
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.steps.signals.windows import Window
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Tensor

_SPATIAL = ("7", "9 7", "7 8 9")
_MAX = "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False"
_MAX_FUNCTION = (
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False"
)
_AVG = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True"


def _cases(count: int) -> tuple[tuple[Array, tuple[object, ...], dict[str, object]], ...]:
    """Input, window and options, for so many spatial axes."""
    fixed, named = _SPATIAL[count - 1], " ".join("dhw"[-count:])
    return (
        (Array(f"b c {named}"), (2,), {}),
        (Array(f"b c {named}"), (3, 1, 1), {}),
        (Array(f"c {fixed}"), ((3,) * count, 2), {}),
        (Array(f"b c {fixed}"), (3, 2, 1), {"ceil_mode": True}),
        (Array(f"b c {fixed}"), (2, 2), {"ceil_mode": True}),
        (Array(f"b c {fixed}"), (3, 2, 2), {}),
        (Array(f"b c {fixed}"), (20,), {}),
        (Array(f"b {fixed.split()[0]}"), (2,), {}),
    )


_PLACES: dict[str, object] = {"return_indices": True}


def _calls(count: int) -> tuple[Example, ...]:
    return tuple(example(array, *args, **more) for array, args, more in _cases(count))


def _layers(count: int) -> tuple[Example, ...]:
    return tuple(example(array).on(*args, **more) for array, args, more in _cases(count))


def pooled(call: Call) -> Value:
    """A value per window; windows lie beside each other unless a stride is given."""
    array = call.tensor("input")
    parts = image(call, array.shape, spatial_rank(call))
    stride = call["stride"] or call["kernel_size"]
    dilation = call.arguments.get("dilation", Dim.of(1))
    ceil = call.flag("ceil_mode")
    count = len(parts.spatial)
    found = windows(count, call["kernel_size"], stride, call["padding"], dilation)
    axes = []
    for axis, window in zip(parts.spatial, found, strict=True):
        _require_half(call, window)
        _require_within(call, axis, window)
        axes.append(slid(call, axis, replace(window, ceil=ceil)))
    return with_places(call, array.with_shape(parts.shape(parts.channels, axes)))


def with_places(call: Call, found: Tensor) -> Value:
    """The values; with `return_indices` also where they were found."""
    indices = call.arguments.get("return_indices", False)
    if indices is False and not call.op.endswith(("_with_indices", "torch.adaptive_max_pool1d")):
        return found
    if not isinstance(indices, bool):
        raise Undetermined("whether the indices are returned is not known")
    return found, found.with_dtype(promotion.INT64)


def _require_within(call: Call, axis: Axis, window: Window) -> None:
    """The average of volumes takes no window that is larger than the axis without its padding."""
    if call.name.lower().replace("_", "") not in ("avgpool3d", "lppool3d") or axis.flexible:
        return
    if window.kernel is not None and at_most(axis.dim + 1, window.kernel):
        problem = f"a window of {window.kernel} on an axis of {axis}"
        raise Conflicting(wording.misused(call.name, problem))


def _require_half(call: Call, window: Window) -> None:
    """Padding is at most half the window."""
    if window.kernel is None or window.padding is None:
        return
    if at_most(window.kernel + 1, 2 * window.padding):
        problem = f"a padding of {window.padding} for a window of {window.kernel}"
        raise Conflicting(wording.misused(call.name, problem))


for _count in (1, 2, 3):
    _image = Array(" ".join(("b c", *"xyz"[:_count])))
    layer(
        f"torch.nn.MaxPool{_count}d",
        params=_MAX,
        examples=(*_layers(_count), example(_image).on(2, **_PLACES)),
    )(pooled)
    rule(
        *(f"{owner}.max_pool{_count}d" for owner in ("torch", "torch.nn.functional")),
        params=_MAX_FUNCTION,
        examples=(*_calls(_count), example(_image, 2)),
    )(pooled)
    rule(
        f"torch.nn.functional.max_pool{_count}d_with_indices",
        *(("torch.max_pool1d_with_indices",) if _count == 1 else ()),
        params=_MAX_FUNCTION,
        examples=_calls(_count),
    )(pooled)

for _count in (1, 2, 3):
    layer(
        f"torch.nn.AvgPool{_count}d",
        params=_AVG if _count == 1 else f"{_AVG}, divisor_override=None",
        examples=_layers(_count),
    )(pooled)
    rule(
        f"torch.nn.functional.avg_pool{_count}d",
        *(("torch.avg_pool1d",) if _count == 1 else ()),
        params=f"input, {_AVG}, divisor_override=None",
        examples=_calls(_count),
    )(pooled)


def _adaptive_layers(count: int) -> tuple[Example, ...]:
    named = " ".join("dhw"[-count:])
    return (
        example(Array(f"b c {named}")).on(1),
        example(Array(f"c {named}")).on((2,) * count),
        example(Array(f"b c {named}")).on((None,) * count),
    )


def _adaptive_calls(count: int) -> tuple[Example, ...]:
    named = " ".join("dhw"[-count:])
    return (
        example(Array(f"b c {named}"), 1),
        example(Array(f"b c {named}"), (2,) * count),
    )


def adapted(call: Call) -> Value:
    """The spatial axes get the given sizes; None keeps one."""
    array, wanted = call.tensor("input"), call["output_size"]
    count = spatial_rank(call)
    known = len(array.shape.suffix) > count and array.shape.least_rank <= count + 2
    if not known:
        raise Undetermined("one value for each channel is also taken of other ranks")
    parts = image(call, array.shape, count)
    several = wanted if isinstance(wanted, (tuple, list)) else (wanted,) * count
    if len(several) != count:
        raise Undetermined("another number of sizes than axes")
    axes = [_adapted(axis, size) for axis, size in zip(parts.spatial, several, strict=True)]
    require_sizes(call, tuple(axes))
    return with_places(call, array.with_shape(parts.shape(parts.channels, axes)))


def _adapted(axis: Axis, size: Value) -> Axis:
    if size is None:
        return axis
    return Axis(size if isinstance(size, Dim) else Dim.fresh())


for _count in (1, 2, 3):
    for _kind in ("Avg", "Max"):
        layer(
            f"torch.nn.Adaptive{_kind}Pool{_count}d",
            params="output_size" if _kind == "Avg" else "output_size, return_indices=False",
            examples=_adaptive_layers(_count),
        )(adapted)
        _name = f"adaptive_{_kind.lower()}_pool{_count}d"
        rule(
            f"torch.nn.functional.{_name}",
            *((f"torch.{_name}",) if _count == 1 else ()),
            params="input, output_size, return_indices=False",
            examples=_adaptive_calls(_count),
        )(adapted)
    rule(
        f"torch.nn.functional.adaptive_max_pool{_count}d_with_indices",
        params="input, output_size, return_indices=False",
        examples=_adaptive_calls(_count),
    )(adapted)
