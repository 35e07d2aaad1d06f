# SPDX-License-Identifier: Apache-2.0
"""Which argument is the odd one out.

A checker that goes from left to right blames the first argument that contradicts an earlier
one. Here the call is looked at as a whole: to blame is the argument without which all others
agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typedtensors.dims import Dim, Verdict
from typedtensors.runtime.report.rows import Row
from typedtensors.runtime.scope import Snapshot
from typedtensors.shapes import Axis, Bindings, Bound, BoundRun, Match, Mismatch, Shape, match_all
from typedtensors.shapes.spec import Reader

# Leaving out each row in turn takes time that grows with the square of their number.
COMPARED_AT_MOST = 32


@dataclass(frozen=True)
class Evidence:
    """Everything that is known of a failed call.

    Args:
        rows: The array arguments in order; for a result, all of them and the result.
        suspect: The row at which the check stopped, one of `rows`.
        before: What was bound before, by other means than these rows.
        read: Reads `{expr}` in a spec.
        settled: Whether only the suspect can be wrong, because the others have passed.
    """

    rows: Sequence[Row]
    suspect: Row
    before: Bindings
    read: Reader | None = None
    settled: bool = False

    def match(self, rows: Sequence[Row]) -> Match | Mismatch:
        """Match some rows with each other, and with what was bound before."""
        return match_all([row.as_argument() for row in rows], self.before, read=self.read)

    def agree(self, rows: Sequence[Row]) -> bool:
        """Say whether these rows fit their annotations and each other, beyond doubt."""
        if not all(row.fits_but_for_shape for row in rows):
            return False
        found = self.match(rows)
        return isinstance(found, Match) and found.verdict is Verdict.EQUAL


@dataclass(frozen=True)
class Blame:
    """The row to blame and what is wrong with its shape.

    Args:
        row: The row.
        mismatch: Its contradiction to the others; None if its shape is fine or not understood.
        others: What all other rows bind; what was bound before if they do not agree.
        certain: Whether leaving out this row is the only way to make the others agree.
    """

    row: Row
    mismatch: Mismatch | None
    others: Bindings
    certain: bool


def find_blame(evidence: Evidence) -> Blame:
    """Find the row to blame."""
    comparable = [row for row in evidence.rows if row.fits_but_for_shape]
    row, certain = evidence.suspect, True
    if len(comparable) > COMPARED_AT_MOST:
        certain = False
    elif not evidence.settled and row.fits_but_for_shape:
        culprits = [row for row in comparable if _agree_without(row, comparable, evidence)]
        certain = len(culprits) == 1
        row = culprits[0] if certain else row
    found = evidence.match([each for each in comparable if each is not row])
    others = found.bindings if isinstance(found, Match) else evidence.before
    if not row.fits_but_for_shape:
        return Blame(row, None, others, certain)
    contradiction = match_all([row.as_argument()], others, read=evidence.read)
    mismatch = None if isinstance(contradiction, Match) else contradiction
    return Blame(row, mismatch, others, certain)


def _agree_without(row: Row, rows: Sequence[Row], evidence: Evidence) -> bool:
    return isinstance(evidence.match([each for each in rows if each is not row]), Match)


def bindings_of(snapshot: Snapshot, rows: Sequence[Row]) -> Bindings:
    """Read the scope as bindings, without the names that the rows show."""
    shown = frozenset().union(*(row.spec.names | row.spec.variadic_names for row in rows))
    return Bindings.of(
        {
            name: Bound(Axis(Dim.of(size)))
            for name, size in snapshot.sizes.items()
            if name not in shown
        },
        {
            name: BoundRun(Shape.of(*shape))
            for name, shape in snapshot.variadics.items()
            if name not in shown
        },
    )
