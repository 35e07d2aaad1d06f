# SPDX-License-Identifier: Apache-2.0
"""Images, and windows that slide over them: TensorFlow's and Keras's, mostly with channels last.

Source: https://www.tensorflow.org/api_docs/python/tf/nn#notes_on_padding_2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most, nonnegative
from typedtensors.dims.quick import dataclass
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.signals.windows import per_axis
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.steps.signals.windows import Window
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_ONE = Dim.of(1)
_LETTERS = "dhw"


@dataclass(frozen=True)
class Picture:
    """The parts of the shape of an array of images: a batch, spatial axes, channels.

    `first`: the channels come before the spatial axes.
    """

    lead: tuple[Part, ...]
    spatial: tuple[Axis, ...]
    channels: Axis
    first: bool = False

    def shape(self, spatial: Iterable[Axis], channels: Axis) -> Shape:
        """The shape with other spatial axes and channels."""
        if self.first:
            return Shape((*self.lead, channels, *spatial))
        return Shape((*self.lead, *spatial, channels))


def picture(
    call: Call, name: str, spatial: int, *, batches: int | None = 1, first: bool = False
) -> Picture:
    """Split the shape of an argument. Raises Conflicting if its rank is wrong.

    `batches` is the number of axes before all others; None stands for one or more. `first`: the
    channels come before the spatial axes.
    """
    shape = call.tensor(name).shape
    least = spatial + 2
    rank = shape.rank
    if rank is not None and (rank < least or (batches is not None and rank > least)):
        letters = _LETTERS[-spatial:]
        wanted = " ".join(("n", "c", *letters) if first else ("n", *letters, "c"))
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, wanted, shape.text))
    if rank is None or len(shape.suffix) < spatial + 1:
        raise Undetermined("the rank is not known")
    lead, axes = shape.axes[: -spatial - 1], shape.suffix[-spatial - 1 :]
    if first:
        return Picture(lead, axes[1:], axes[0], first=True)
    return Picture(lead, axes[:-1], axes[-1])


def numbers(given: Value, count: int, *, first: bool = False) -> tuple[Dim | None, ...]:
    """A number for each spatial axis, from one for all, one for each, or one for every axis."""
    if isinstance(given, (tuple, list)) and len(given) == count + 2:
        others = given[:2] if first else (given[0], given[-1])
        if any(each != _ONE for each in others):
            raise Undetermined("windows over the batch or the channels")
        given = given[2:] if first else given[1:-1]
    return per_axis(given, count)


def windowed(
    call: Call, axes: Sequence[Axis], found: Sequence[Window], padding: Value
) -> list[Axis]:
    """The axes of the windows' positions; none may fit, but not less than none.

    Raises Conflicting for that.
    """
    if not isinstance(padding, str):
        raise Undetermined("the padding is not known")
    how = padding.lower()
    if how not in ("same", "valid", "causal"):
        raise Undetermined("another padding")
    together = zip(axes, found, strict=True)
    return [_positions(call, axis, window, how) for axis, window in together]


def _positions(call: Call, axis: Axis, window: Window, how: str) -> Axis:
    for name in ("kernel", "stride", "dilation"):
        given = getattr(window, name)
        if given is not None and at_most(given, Dim.of(0)):
            raise Conflicting(wording.misused(call.name, f"a {name} of {given}"))
    if how != "valid":
        return strided(call, axis, window.stride)
    extent = window.extent
    if extent is None or window.stride is None or axis.flexible:
        return Axis(Dim.fresh())
    size = call.facts.resolve(axis.dim)
    room = size - extent
    if at_most(room + 2 * window.stride, Dim.of(0)):
        problem = f"a window of {extent} on an axis of {size}"
        raise Conflicting(wording.misused(call.name, problem))
    if at_most(room, Dim.of(-1)):
        return Axis(Dim.of(0))
    if extent.value is None and not nonnegative(room):
        return Axis(Dim.fresh())
    return Axis(room // window.stride + 1)


def strided(call: Call, axis: Axis, stride: Dim | None) -> Axis:
    """Every so many elements of an axis, rounded up."""
    if stride == _ONE:
        return axis
    if stride is None or axis.flexible:
        return Axis(Dim.fresh())
    size = call.facts.resolve(axis.dim)
    return Axis((size + stride - 1) // stride)
