# SPDX-License-Identifier: Apache-2.0
"""Sizes given to an op: `x.view(b, -1)`, `torch.zeros((b, 3))`, `torch.ones(x.shape)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.value import Unknown
from typedtensors.shapes import Axis, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

MINUS_ONE = Dim.of(-1)


def sizes(call: Call, *names: str) -> tuple[Part, ...]:
    """The sizes that the first given of these parameters holds: integers, or one sequence of them.

    A size that is not known is an axis of unknown size. Raises Undetermined if the number of
    sizes is not known.
    """
    for name in names:
        given = call[name]
        if given is not None and given != ():
            return parts(given)
    return ()


def parts(given: Value) -> tuple[Part, ...]:
    """A sequence of sizes as parts of a shape. Raises Undetermined if it is not one."""
    if isinstance(given, Shape):
        return given.axes
    if isinstance(given, Dim):
        return (Axis(given),)
    if not isinstance(given, (tuple, list)):
        raise Undetermined(given.reason if isinstance(given, Unknown) else "the sizes are unknown")
    if len(given) == 1 and not isinstance(given[0], (Dim, Variadic, Tensor)):
        # An unknown alone may be a sequence as well as a size.
        return parts(given[0])
    return tuple(map(_part, given))


def _part(size: Value) -> Part:
    if isinstance(size, Variadic):
        return size
    if isinstance(size, Dim):
        return Axis(size)
    if isinstance(size, (Unknown, Tensor)):
        return Axis(Dim.fresh())
    raise Undetermined("a size is not an integer")


def sizes_of(shape: Shape) -> tuple[Dim | Variadic, ...]:
    """The sizes as the code holds them: of an axis that may be 1 the size is not known."""
    return tuple(
        part if isinstance(part, Variadic) else Dim.fresh() if part.flexible else part.dim
        for part in shape.axes
    )


def section(shape: Shape, start: int | None, stop: int | None) -> Shape | None:
    """The sizes `x.shape[start:stop]` of a shape of unknown rank; None if they are not known."""
    first = 0 if start is None else _place(shape, start)
    last = len(shape.axes) if stop is None else _place(shape, stop)
    if first is None or last is None:
        return None
    return Shape(shape.axes[first:last])


def _place(shape: Shape, bound: int) -> int | None:
    """Where in `axes` a bound of a slice falls, if that is beside the variadic."""
    known = len(shape.suffix) if bound < 0 else len(shape.prefix)
    if abs(bound) > known:
        return None
    return bound if bound >= 0 else len(shape.axes) + bound


def require_sizes(call: Call, given: tuple[Part, ...]) -> None:
    """Raise Conflicting if one of the sizes, or numbers of repeats, is negative."""
    for part in given:
        if isinstance(part, Axis) and part.dim.value is not None and part.dim.value < 0:
            raise Conflicting(wording.misused(call.name, f"{part} is negative"))


def is_empty(shape: Shape) -> bool:
    """Whether an array certainly holds no elements."""
    return any(isinstance(part, Axis) and part.dim.value == 0 for part in shape.axes)


def is_hole(part: Part) -> bool:
    """Whether the size is -1, which the op fills in."""
    return isinstance(part, Axis) and part.dim == MINUS_ONE


def sized(value: Value) -> Axis:
    """An axis of the size a constructor was given; of unknown size if it was not an integer."""
    return Axis(value if isinstance(value, Dim) else Dim.fresh())


def shape_of(sizes: tuple[Part, ...]) -> Shape:
    """Sizes as a shape. Raises Undetermined if two variadics leave the axes' places open."""
    if sum(isinstance(part, Variadic) for part in sizes) > 1:
        raise Undetermined("the sizes hold two runs of unknown length")
    return Shape(sizes)
