# SPDX-License-Identifier: Apache-2.0
"""Images cut into patches and put together again, and windows along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most, divide, product
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.signals.images import image
from typedtensors.ops.steps.signals.windows import Window, per_axis, slid, windows
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_WINDOW = "kernel_size, dilation=1, padding=0, stride=1"
_Drawn: TypeAlias = tuple[Array, tuple[object, ...], dict[str, object]]
_PATCHES: tuple[_Drawn, ...] = (
    (Array("b c h w"), (2,), {}),
    (Array("b c h w"), ((2, 3),), {"padding": 1}),
    (Array("b 3 8 9"), (2,), {"stride": 2}),
    (Array("3 8 9"), (3, 2, 1), {}),
    (Array("b 3 8 9"), (20,), {}),
    (Array("b n"), (2,), {}),
)


@rule(
    "torch.nn.functional.unfold",
    params=f"input, {_WINDOW}",
    examples=tuple(example(array, *args, **more) for array, args, more in _PATCHES),
)
@layer(
    "torch.nn.Unfold",
    params=_WINDOW,
    examples=tuple(example(array).on(*args, **more) for array, args, more in _PATCHES),
)
def unfold(call: Call) -> Value:
    """A column of `c*kernel` values for each window."""
    array = call.tensor("input")
    parts = image(call, array.shape, 2)
    if array.shape.rank is None:
        raise Undetermined("whether there is a batch axis is not known")
    found = _windows(call)
    count = _count([slid(call, *each) for each in zip(parts.spatial, found, strict=True)])
    column = _column(parts.channels, found)
    return array.with_shape(Shape((*parts.lead, column, count)))


def _windows(call: Call) -> list[Window]:
    return windows(2, *(call[name] for name in ("kernel_size", "stride", "padding", "dilation")))


def _count(axes: list[Axis]) -> Axis:
    return Axis(product(axis.dim for axis in axes))


def _column(channels: Axis, found: list[Window]) -> Axis:
    kernel = [window.kernel for window in found if window.kernel is not None]
    if channels.flexible or len(kernel) < len(found):
        return Axis(Dim.fresh())
    return Axis(product((channels.dim, *kernel)))


_COLUMNS: tuple[_Drawn, ...] = (
    # The counts of windows are larger than any size that is drawn for a name.
    (Array("b 12 32"), ((5, 9), (2, 2)), {}),
    (Array("b 4*c 32"), ((5, 9), 2), {}),
    (Array("b 9*c 36"), (6, 3), {"padding": 1}),
    (Array("12 32"), ((5, 9), 2, 1, 0, 1), {}),
    (Array("b 12 33"), ((5, 9), 2), {}),
    (Array("b 7 32"), ((5, 9), 2), {}),
    (Array("b n 4 4"), (4, 2), {}),
)


@rule(
    "torch.nn.functional.fold",
    params=f"input, output_size, {_WINDOW}",
    examples=tuple(example(array, *args, **more) for array, args, more in _COLUMNS),
)
@layer(
    "torch.nn.Fold",
    params=f"output_size, {_WINDOW}",
    examples=tuple(example(array).on(*args, **more) for array, args, more in _COLUMNS),
)
def fold(call: Call) -> Value:
    """The image of a given size whose windows are the columns; where they overlap they add up."""
    array, sizes = call.tensor("input"), per_axis(call["output_size"], 2)
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank is not known")
    if len(axes) not in (2, 3):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "n c*kernel windows", array.shape.text))
    wanted, found = [Axis(Dim.fresh() if size is None else size) for size in sizes], _windows(call)
    count = _count([slid(call, *each) for each in zip(wanted, found, strict=True)])
    _require_windows(call, axes[-1], count)
    return array.with_shape(Shape((*axes[:-2], _channels(call, axes[-2], found), *wanted)))


def _require_windows(call: Call, given: Axis, count: Axis) -> None:
    if given.flexible:
        return
    if call.same(given.dim, count.dim) is Verdict.DIFFERENT:
        where, bound = wording.argument("input", call.name), "the windows on `output_size`"
        text = (str(count), str(given))
        raise Conflicting(wording.axis_differs(where, -1, *text, bound_by=bound))


def _channels(call: Call, column: Axis, found: list[Window]) -> Axis:
    """The channels of which each column holds a window."""
    kernel = [window.kernel for window in found if window.kernel is not None]
    if column.flexible or len(kernel) < len(found):
        return Axis(Dim.fresh())
    size, area = call.facts.resolve(column.dim), product(kernel)
    channels = divide(size, area)
    if channels is None and size.value is not None and area.value:
        problem = f"columns of {size} are no multiple of a window's {area}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return Axis(Dim.fresh() if channels is None else channels)


@rule(
    "torch.Tensor.unfold",
    "torch.unfold_copy",
    params="input, dimension, size, step",
    examples=(
        example(Array("b n"), 1, 2, 1),
        example(Array("b 9"), -1, 3, 2),
        example(Array("*a n"), -1, 2, 2),
        example(Array("b 4 n"), 1, 5, 1),
        example(Array("b 4 n"), 3, 2, 1),
        example(Array("b 4 n"), 1, 2, 0),
    ),
)
def windowed(call: Call) -> Value:
    """The windows' positions on an axis, and one more axis with what each holds."""
    array, size, step = call.tensor("input"), call.dim("size"), call.dim("step")
    if array.shape.rank == 0:
        raise Undetermined("torch lets a scalar pass for a vector")
    at = position(call, array.shape, call["dimension"])
    part = array.shape.axes[at]
    if at_most(size, Dim.of(-1)) or at_most(step, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"windows of {size} with a step of {step}"))
    if not isinstance(part, Axis) or size.value == 0:
        raise Undetermined("the size of the axis is not known")
    shape = array.shape.replace(at, slid(call, part, Window(size, step)))
    return array.with_shape(Shape((*shape.axes, Axis(size))))
