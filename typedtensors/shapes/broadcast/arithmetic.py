# SPDX-License-Identifier: Apache-2.0
"""The shape that operands broadcast to, and what is known of each of its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, Facts, Verdict
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis, Variadic
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typedtensors.shapes.shape import Part

    Run = tuple[Axis, ...]
    Column = list[tuple[int, Axis]]


@dataclass(frozen=True)
class Meeting:
    """The axes of the operands that meet at one axis of the result.

    `index` is the axis as Python indexes the result: negative from the right, or, in front of a
    variadic, from its left. EQUAL: the operands agree, up to sizes of 1. UNDECIDED: they may.
    DIFFERENT: they cannot; `operands` are the two that disagree.
    """

    index: int
    axis: Axis
    verdict: Verdict = Verdict.EQUAL
    operands: tuple[int, int] | None = None


@dataclass(frozen=True)
class Broadcast:
    """What broadcasting the `operands` gives.

    Invariant: `shape` is None if and only if two operands conflict. `facts` holds what agreement
    of the operands teaches.
    """

    operands: tuple[Shape, ...]
    shape: Shape | None
    meetings: tuple[Meeting, ...]
    facts: Facts

    @property
    def conflict(self) -> Meeting | None:
        """The rightmost axis on which two operands cannot agree."""
        clashes = [met for met in self.meetings if met.verdict is Verdict.DIFFERENT]
        return clashes[-1] if clashes else None

    @property
    def decided(self) -> bool:
        """Whether the operands agree on every axis, for certain."""
        return all(met.verdict is Verdict.EQUAL for met in self.meetings)


def broadcast(shapes: Sequence[Shape], facts: Facts | None = None) -> Broadcast:
    """Broadcast shapes against each other, right-aligned, by the rules of NumPy and torch.

    A literal 1 stretches, `#b` is b or 1, two declared names never agree, an opaque dim agrees
    with anything until facts contradict it. Axes to the right of a variadic are combined as far
    as they are known; a variadic that all operands share survives.

    Arguments: the shapes (at least one), and what is known of their dims.
    Returns: the result's shape with one verdict per axis; never raises.
    Source: https://numpy.org/doc/stable/user/basics.broadcasting.html

    >>> print(broadcast([Shape.of("n", 1), Shape.of("n")]).shape)
    (n, n)
    """
    facts = Facts() if facts is None else facts
    spread = _shared_variadic(shapes)
    suffixes = [shape.suffix for shape in shapes]
    if spread is None:
        open_ended = [shape.rank is None for shape in shapes]
        tail, facts = _align(suffixes, open_ended, facts)
        parts = [Variadic.fresh()] if any(open_ended) else []
        return _outcome(shapes, [], parts, tail, facts)
    closed = [False] * len(shapes)
    prefixes = [() if shape.rank is not None else shape.prefix for shape in shapes]
    tail, facts = _align(suffixes, closed, facts)
    head, facts = _align(prefixes, closed, facts)
    return _outcome(shapes, head, [spread], tail, facts)


def _shared_variadic(shapes: Sequence[Shape]) -> Variadic | None:
    """The variadic at which all operands align, if every other part of them is at its side.

    `*batch t d` with `*batch 1 d` and `d`, but not with `*batch d`: there an axis of batch meets t.
    """
    ragged = [shape for shape in shapes if shape.rank is None]
    if not ragged or any(len(shape.suffix) != len(ragged[0].suffix) for shape in ragged):
        return None
    if any(len(shape.axes) > len(ragged[0].suffix) for shape in shapes if shape.rank is not None):
        return None
    found = {part for shape in ragged for part in shape.axes if isinstance(part, Variadic)}
    if len({(part.name, part.serial) for part in found}) > 1:
        return None
    # `*#batch` with `*batch` is `*batch`.
    return min(found, key=lambda part: part.flexible)


def _outcome(
    shapes: Sequence[Shape],
    head: list[Meeting],
    middle: list[Variadic],
    tail: list[Meeting],
    facts: Facts,
) -> Broadcast:
    front = [Meeting(at, met.axis, met.verdict, met.operands) for at, met in enumerate(head)]
    meetings = (*front, *tail)
    clash = any(met.verdict is Verdict.DIFFERENT for met in meetings)
    parts: list[Part] = [met.axis for met in front]
    parts += [*middle, *(met.axis for met in tail)]
    return Broadcast(tuple(shapes), None if clash else Shape(tuple(parts)), meetings, facts)


def _align(
    runs: Sequence[Run], open_ended: Sequence[bool], facts: Facts
) -> tuple[list[Meeting], Facts]:
    """Combine right-aligned runs; an open-ended one has unknown axes in front."""
    # A vector may be of size 1 by configuration: it teaches nothing about the axis it meets.
    teaches = len({len(run) for run in runs}) == 1
    meetings = []
    assumed = facts
    for index, column in _columns(runs):
        unseen = any(o and len(run) < -index for run, o in zip(runs, open_ended, strict=True))
        met, learned = _meet(index, column, assumed)
        facts = learned if teaches else facts
        # What axes that annotations name need to be equal, all of them have to be at once.
        assumed = learned if teaches or _are_named(column) else assumed
        meetings.append(_beside_unknown(met) if unseen else met)
    return meetings, facts


def _are_named(column: Column) -> bool:
    return all(axis.dim.declared and not axis.flexible for _, axis in column)


def _columns(runs: Sequence[Run]) -> Iterator[tuple[int, Column]]:
    for index in range(-max(map(len, runs)), 0):
        yield index, [(k, run[index]) for k, run in enumerate(runs) if len(run) >= -index]


def _beside_unknown(met: Meeting) -> Meeting:
    """Next to an axis that may exist: a size that is not 1 stands, a 1 may be stretched."""
    if met.verdict is Verdict.DIFFERENT or not (met.axis.is_one or met.axis.flexible):
        return met
    return Meeting(met.index, Axis(Dim.fresh()), Verdict.UNDECIDED)


def _meet(index: int, column: Column, facts: Facts) -> tuple[Meeting, Facts]:
    (holder, axis), *others = column
    verdict = Verdict.EQUAL
    for operand, other in others:
        pair, merged, facts = _pair(axis, other, facts)
        if pair is Verdict.DIFFERENT:
            return Meeting(index, merged, pair, (holder, operand)), facts
        if merged is not axis:
            axis, holder = merged, operand
        if pair is Verdict.UNDECIDED:
            verdict = pair
    return Meeting(index, axis, verdict), facts


def _pair(left: Axis, right: Axis, facts: Facts) -> tuple[Verdict, Axis, Facts]:
    """Two axes that meet: whether they agree, the axis they give, and what that teaches."""
    if _is_one(right, facts):
        # Both 1: keep the one whose author asked for it.
        keep = right if _is_one(left, facts) and left.intent is None else left
        return Verdict.EQUAL, keep, facts
    if _is_one(left, facts):
        return Verdict.EQUAL, right, facts
    if left.flexible or right.flexible:
        return (*_flexible_pair(left, right, facts), facts)
    verdict, learned = facts.equate(left.dim, right.dim)
    return verdict, left if _plainness(left) <= _plainness(right) else right, learned


def _flexible_pair(left: Axis, right: Axis, facts: Facts) -> tuple[Verdict, Axis]:
    """`#b` that meets an axis other than 1: with `c` it can only be legal as c."""
    same = facts.compare(left.dim, right.dim) is Verdict.EQUAL
    verdict = Verdict.EQUAL if same else Verdict.UNDECIDED
    if left.flexible and right.flexible:
        return verdict, left if same else Axis(Dim.fresh())
    return verdict, right if left.flexible else left


def _is_one(axis: Axis, facts: Facts) -> bool:
    return facts.resolve(axis.dim).value == 1


def _plainness(axis: Axis) -> tuple[bool, bool, int]:
    """Orders the ways to write a size: literals, then names, then what the code computed."""
    return axis.dim.value is None, not axis.dim.declared, len(axis.dim.terms)
