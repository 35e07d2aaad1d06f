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
    `(b, k, t) - (b, k)` fits only if k is 1.

    Returns: nothing, unless a single axis is undecided, on which a size meets one that another
    axis has too, and that is named or a number; or one unknown size meets several that are.
    """
    undecided = [met for met in outcome.meetings if met.verdict is Verdict.UNDECIDED]
    if not undecided or len(outcome.operands) != 2:
        return ()
    pairs = [frozenset(_meeting(outcome, met.index)) for met in undecided]
    found = _unknown_beside_one(outcome, pairs[0]) if len(pairs) == 1 else _unknown_of(pairs)
    if found is None:
        return ()
    unknown, others = found
    cases = [outcome.facts.equate(unknown, size) for size in (*others, Dim.of(1))]
    possible = [facts for verdict, facts in cases if verdict is not Verdict.DIFFERENT]
    read = [broadcast(outcome.operands, facts) for facts in possible]
    return tuple(each for each in read if each.shape is not None)


def _unknown_beside_one(outcome: Broadcast, sizes: frozenset[Dim]) -> tuple[Dim, list[Dim]] | None:
    """A size that meets one which recurs, and that one."""
    recurring = [size for size in sizes if size.declared and _recurs(outcome, size)]
    if len(sizes) != 2 or len(recurring) != 1:
        return None
    (other,) = sizes.difference(recurring)
    return other, recurring


def _unknown_of(pairs: list[frozenset[Dim]]) -> tuple[Dim, list[Dim]] | None:
    """The size that meets another one, named or a number, on each axis that is undecided."""
    shared = frozenset.intersection(*pairs)
    others = sorted(frozenset.union(*pairs) - shared, key=str)
    if len(shared) != 1 or len(others) < len(pairs) or not all(size.declared for size in others):
        return None
    return next(iter(shared)), others


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
