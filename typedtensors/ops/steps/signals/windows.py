# SPDX-License-Identifier: Apache-2.0
"""How many windows fit on an axis: the arithmetic of convolutions and pooling.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most, nonnegative
from typedtensors.dims.quick import dataclass
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.value import Unknown
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ZERO, _ONE = Dim.of(0), Dim.of(1)


@dataclass(frozen=True)
class Window:
    """The window of one axis; a dim of which nothing is known is None."""

    kernel: Dim | None
    stride: Dim | None = _ONE
    padding: Dim | None = _ZERO
    dilation: Dim | None = _ONE
    ceil: bool = False
    same: bool = False

    @property
    def extent(self) -> Dim | None:
        """How many elements the window spans."""
        if self.kernel is None or self.dilation is None:
            return None
        return self.dilation * (self.kernel - 1) + 1


def per_axis(value: Value, count: int) -> tuple[Dim | None, ...]:
    """One number for every axis, or one for each. Raises Undetermined for another count."""
    if isinstance(value, (tuple, list)):
        if len(value) == 1:
            return per_axis(value[0], count)
        if len(value) != count:
            raise Undetermined(f"{len(value)} numbers for {count} axes")
        return tuple(each if isinstance(each, Dim) else None for each in value)
    if isinstance(value, Dim):
        return (value,) * count
    if isinstance(value, Unknown):
        return (None,) * count
    raise Undetermined("a window is not a number")


def slid(call: Call, axis: Axis, window: Window) -> Axis:
    """The axis of the windows' positions. Raises Conflicting if not even one fits."""
    extent = window.extent
    if window.same:
        return axis
    if extent is None or window.stride is None or window.padding is None or axis.flexible:
        return Axis(Dim.fresh())
    _require_sensible(call, window)
    size = call.facts.resolve(axis.dim)
    room = size + 2 * window.padding - extent
    if at_most(room, Dim.of(-1)) and not window.ceil:
        problem = f"a window of {extent} on an axis of {size + 2 * window.padding}"
        raise Conflicting(wording.misused(call.name, problem))
    if not window.ceil:
        return Axis(room // window.stride + 1)
    count = _rounded_up(room, size, window.stride, window.padding)
    if at_most(count, _ZERO):
        raise Conflicting(wording.misused(call.name, f"no window fits on an axis of {size}"))
    return Axis(count)


def _require_sensible(call: Call, window: Window) -> None:
    least = {"kernel": 1, "stride": 1, "padding": 0, "dilation": 1}
    for name, smallest in least.items():
        given = getattr(window, name)
        if given is not None and at_most(given, Dim.of(smallest - 1)):
            raise Conflicting(wording.misused(call.name, f"a {name} of {given}"))


def _rounded_up(room: Dim, size: Dim, stride: Dim, padding: Dim) -> Dim:
    """With a last window that reaches over the end, unless it starts in the padding there."""
    steps = (room + stride - 1) // stride
    if stride == _ONE:
        return steps + 1
    # The last window may not start beyond the elements and the padding in front.
    if nonnegative(size + padding - 1 - steps * stride):
        return steps + 1
    if steps.value is not None and size.value is not None:
        return steps
    return Dim.fresh()


def spread(call: Call, axis: Axis, window: Window, extra: Dim | None) -> Axis:
    """The axis of a transposed convolution: the size that a convolution makes this one of."""
    extent = window.extent
    if extent is None or window.stride is None or window.padding is None or extra is None:
        return Axis(Dim.fresh())
    _require_sensible(call, window)
    if axis.flexible:
        return Axis(Dim.fresh())
    return Axis((axis.dim - 1) * window.stride - 2 * window.padding + extent + extra)


def windows(
    count: int, kernel: Value, stride: Value, padding: Value, dilation: Value
) -> list[Window]:
    """A window per axis, from one number for all axes or one for each."""
    columns = (per_axis(value, count) for value in (kernel, stride, padding, dilation))
    return [Window(*column) for column in zip(*columns, strict=True)]
