# SPDX-License-Identifier: Apache-2.0
"""`readings`: what an undecided broadcast is in each case in which the framework allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, Verdict
from typedtensors.shapes.broadcast.arithmetic import broadcast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.shapes.broadcast.arithmetic import Broadcast
    from typedtensors.shapes.shape import Shape


def readings(outcome: Broadcast) -> tuple[Broadcast, ...]:
    """The broadcasts that an undecided one can be: its unknown size is the other's, or it is 1.

    `(b, k) - (b,)` with an unknown `k` is an error unless k is b, where the sizes fit twice, or 1,
    where column meets row. So it is no good whatever k is, though nobody knows what it does.

    Returns: nothing, unless a single axis is undecided, on which a size meets one that another
    axis has too, and that is named or a number.
    """
    undecided = [met for met in outcome.meetings if met.verdict is Verdict.UNDECIDED]
    if len(undecided) != 1 or len(outcome.operands) != 2:
        return ()
    sizes = set(_meeting(outcome, undecided[0].index))
    recurring = [size for size in sizes if size.declared and _recurs(outcome, size)]
    if len(sizes) != 2 or len(recurring) != 1:
        return ()
    (other,) = sizes.difference(recurring)
    found = []
    for size in (recurring[0], Dim.of(1)):
        verdict, facts = outcome.facts.equate(other, size)
        if verdict is not Verdict.DIFFERENT:
            found.append(broadcast(outcome.operands, facts))
    return tuple(found)


def _meeting(outcome: Broadcast, index: int) -> Iterator[Dim]:
    """The sizes of the operands that meet at an axis, counted from the right."""
    for shape in outcome.operands:
        if index < 0 and len(shape.suffix) >= -index:
            yield outcome.facts.resolve(shape.suffix[index].dim)


def _recurs(outcome: Broadcast, dim: Dim) -> bool:
    """Whether one operand's axis and another's, which do not meet, have this size."""
    one, other = (_places(shape, dim, outcome) for shape in outcome.operands)
    return bool(one and other) and one.isdisjoint(other)


def _places(shape: Shape, dim: Dim, outcome: Broadcast) -> set[int]:
    return {
        at - len(shape.suffix)
        for at, part in enumerate(shape.suffix)
        if outcome.facts.resolve(part.dim) == dim
    }
