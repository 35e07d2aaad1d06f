# SPDX-License-Identifier: Apache-2.0
"""Axis numbers of a call (`dim=-1`, `axes=(0, 2)`) as positions in a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.shapes import Axis, Shape, Variadic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def position(call: Call, shape: Shape, number: Value) -> int:
    """Where in `shape.axes` the axis of that number stands.

    Raises Conflicting if the shape has no such axis, Undetermined if the number is no literal or
    counts across axes that are not known.
    """
    index = literal(number)
    found = shape.position(index)
    if found is not None:
        return found
    rank = shape.rank
    if rank is None or (rank == 0 and index in (0, -1)):
        # torch lets a scalar pass for a vector.
        raise Undetermined(f"axis {index} of {shape} is not known")
    raise Conflicting(wording.axis_missing(call.name, index, shape.text))


def positions(call: Call, shape: Shape, numbers: Value) -> tuple[int, ...]:
    """The positions of one axis number or a sequence of them, in their order.

    Raises Conflicting also if an axis is named twice.
    """
    several = numbers if isinstance(numbers, (tuple, list)) else (numbers,)
    found = tuple(position(call, shape, number) for number in several)
    if len(set(found)) < len(found):
        raise Conflicting(wording.misused(call.name, "names an axis twice"))
    return found


def literal(number: Value) -> int:
    """A literal integer. Raises Undetermined for anything else."""
    value = number.value if isinstance(number, Dim) else None
    if value is None:
        raise Undetermined("an axis number is not a literal integer")
    return value


def with_rank(shape: Shape, rank: int, names: Sequence[str] = ()) -> Shape | None:
    """The shape once its rank is known: axes of unknown size fill the variadic.

    None if the shape cannot have that rank. `names` are what the code calls its axes.
    """
    if shape.variadic is None:
        return shape if shape.rank == rank else None
    missing = rank - shape.least_rank
    if missing < 0:
        return None
    called = names[shape.variadic : shape.variadic + missing] or ("_",) * missing
    return shape.replace(shape.variadic, *(Axis(Dim.fresh(name)) for name in called))


def insertion(call: Call, shape: Shape, number: Value) -> int:
    """The position before which a new axis goes that will have that number.

    Raises as `position` does.
    """
    index = literal(number)
    known = shape.suffix if index < 0 else shape.prefix
    if -len(known) - 1 <= index <= len(known):
        return index if index >= 0 else len(shape.axes) + 1 + index
    if any(isinstance(part, Variadic) for part in shape.axes):
        raise Undetermined(f"axis {index} of {shape} is not known")
    raise Conflicting(wording.axis_missing(call.name, index, shape.text))
