# SPDX-License-Identifier: Apache-2.0
"""`classify`: what kind of broadcast it is when operands do not all have the result's shape."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from typedtensors.dims import Dim, Facts
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis, Intent
from typedtensors.shapes.broadcast.row import (
    Row,
    carries,
    certain,
    floats,
    row_of,
    stretched,
    twins,
    variadic_of,
)
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.shapes.broadcast.arithmetic import Broadcast


# The axes of an array of rows.
_ROWS = 2


class Kind(Enum):
    """The classes of broadcast, from harmless to dangerous."""

    SCALAR = "scalar"
    """Every expanded operand has rank 0."""
    SINGLE = "single"
    """Every expanded operand has one element, or only gains axes of size 1."""
    SUFFIX = "suffix"
    """One-sided: the operand is the result's tail, as a bias is."""
    SUFFIX_AMBIGUOUS = "suffix_ambiguous"
    """As suffix, but the sizes fit at another offset too: (n,) in (n, n)."""
    KEEPDIM = "keepdim"
    """One-sided, equal ranks, explicit axes of size 1."""
    PADSTRETCH = "padstretch"
    """One-sided, padded on the left and stretched: (c, 1, 1) in (n, c, h, w)."""
    MUTUAL_EXPLICIT = "mutual_explicit"
    """No operand has the result's shape; the ranks are equal."""
    MUTUAL_PADDED = "mutual_padded"
    """No operand has the result's shape; the ranks differ."""


@dataclass(frozen=True)
class BroadcastEvent:
    """One operation whose operands do not all have the shape of its result.

    `expanded` are the operands that are padded or stretched. `stretched` holds, for each operand,
    its axes of size 1 that are stretched. `padded`: some operand has fewer axes than the result.
    `twins`: two operands of a mutual broadcast are equal once axes of size 1 are dropped.
    `ambiguous`: one-sided with left padding, and the sizes do not determine which axes the operand
    belongs to, nor do the axes' origins. `certain`: the axes that only some operands have are not 1
    (an opaque dim may be). `facts`: what was known of the dims.
    """

    kind: Kind
    shapes: tuple[Shape, ...]
    result: Shape
    expanded: tuple[int, ...]
    stretched: tuple[tuple[Axis, ...], ...]
    padded: bool
    twins: bool = False
    ambiguous: bool = False
    certain: bool = True
    facts: Facts = field(default_factory=Facts, compare=False, repr=False)

    @property
    def mutual(self) -> bool:
        """Whether the result is larger than every operand."""
        return self.kind in {Kind.MUTUAL_EXPLICIT, Kind.MUTUAL_PADDED}

    @property
    def of_vectors(self) -> bool:
        """Whether rows of one length meet as a table, as those of `(n, 1, d)` and `(n, d)` do.

        Images `(b, h, w)` and `(b, 1, h, w)` are no rows.
        """
        if not all(shape.suffix for shape in self.shapes):
            return False
        if min(shape.least_rank for shape in self.shapes) > _ROWS:
            return False
        last = {self.facts.resolve(shape.suffix[-1].dim) for shape in self.shapes}
        return len(last) == 1 and last != {Dim.of(1)}

    @property
    def aligned(self) -> bool:
        """Whether every expanded axis was put there by `align`."""
        return self._intents == {Intent.ALIGN} and not self.padded

    @property
    def intended(self) -> bool:
        """Whether some stretched axis was asked for.

        A literal 1 in an annotation counts, except between twins: then the result would repeat a
        name, which is what the annotation meant to prevent.
        """
        return bool(self._intents - ({None, Intent.SPEC} if self.twins else {None}))

    @property
    def kept(self) -> bool:
        """Whether nothing but `keepdim` asked for the stretched axes: the places of a greatest."""
        return self._intents == {Intent.KEEPDIM}

    @property
    def _intents(self) -> set[Intent | None]:
        return {axis.intent for axes in self.stretched for axis in axes}


def classify(outcome: Broadcast) -> BroadcastEvent | None:
    """The broadcast event that the outcome describes.

    Returns: None if the operands all have the result's shape, if they conflict, or if anything
    that decides the kind is unknown: an undecided dim, a flexible axis, a variadic that not every
    operand has at the same place.
    """
    rows = _rows(outcome)
    if rows is None or outcome.shape is None:
        return None
    *operands, result = rows
    expanded = tuple(k for k, row in enumerate(operands) if row != result)
    if not expanded:
        return None
    return _event(outcome, outcome.shape, operands, result, expanded)


def _event(
    outcome: Broadcast, shape: Shape, operands: list[Row], result: Row, expanded: tuple[int, ...]
) -> BroadcastEvent:
    carrying = [row for row in operands if any(size != 1 for size in row)]
    mutual = not any(carries(row, result) for row in carrying) and len(carrying) > 1
    # Operands that only lack axes of size 1 are not what makes the event.
    partial = [row for row in carrying if not carries(row, result)]
    padded = any(len(row) < len(result) for row in (carrying if mutual else partial))
    widened = [
        _stretched_axes(operand, row, result)
        for operand, row in zip(outcome.operands, operands, strict=True)
    ]
    return BroadcastEvent(
        kind=_kind(operands, result, partial, mutual=mutual, padded=padded),
        shapes=outcome.operands,
        result=shape,
        expanded=expanded,
        stretched=tuple(widened),
        padded=any(len(operands[k]) < len(result) for k in expanded),
        twins=mutual and any(twins(carrying)),
        ambiguous=not mutual
        and any(floats(row, result) for row in partial)
        and not _at_home(outcome, expanded),
        certain=not mutual or certain(carrying, result),
        facts=_equated(outcome.facts, twins(carrying)),
    )


def _at_home(outcome: Broadcast, expanded: tuple[int, ...]) -> bool:
    """Whether each axis of the expanded operands meets one of its own origin."""
    rest = [shape for k, shape in enumerate(outcome.operands) if k not in expanded]
    for shape in (outcome.operands[k] for k in expanded):
        for at, axis in enumerate(shape.suffix):
            there = [other.axis(at - len(shape.suffix)) for other in rest]
            origins = {None if each is None else each.origin for each in there}
            if not axis.is_one and axis.origin not in origins - {None}:
                return False
    return all(shape.rank is not None for shape in outcome.operands)


def _kind(
    operands: list[Row], result: Row, partial: list[Row], *, mutual: bool, padded: bool
) -> Kind:
    if all(not row for row in operands if row != result):
        return Kind.SCALAR
    if mutual:
        return Kind.MUTUAL_PADDED if padded else Kind.MUTUAL_EXPLICIT
    if not partial:
        return Kind.SINGLE
    if not padded:
        return Kind.KEEPDIM
    if any(any(stretched(row, result)) for row in partial):
        return Kind.PADSTRETCH
    floating = any(floats(row, result) for row in partial)
    return Kind.SUFFIX_AMBIGUOUS if floating else Kind.SUFFIX


def _rows(outcome: Broadcast) -> list[Row] | None:
    """The operands' rows and then the result's, or None if they cannot be compared."""
    if outcome.shape is None or not outcome.decided:
        return None
    rows = [row_of(shape, outcome.facts) for shape in (*outcome.operands, outcome.shape)]
    known = [row for row in rows if row is not None]
    if len(known) < len(rows) or len({variadic_of(row) for row in known}) > 1:
        return None
    return known


def _stretched_axes(shape: Shape, row: Row, result: Row) -> tuple[Axis, ...]:
    pairs = zip(shape.axes, stretched(row, result), strict=True)
    return tuple(part for part, stretched in pairs if stretched and isinstance(part, Axis))


def _equated(facts: Facts, twins: Iterator[tuple[Row, Row]]) -> Facts:
    """The facts, if what goes by one name is the same."""
    for pair in twins:
        for one, two in zip(*pair, strict=True):
            if isinstance(one, Dim) and isinstance(two, Dim):
                facts = facts.equate(one, two)[1]
    return facts
