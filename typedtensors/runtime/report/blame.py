# SPDX-License-Identifier: Apache-2.0
"""Which argument is the odd one out.

A checker that goes from left to right blames the first argument that contradicts an earlier
one. Here the call is looked at as a whole: to blame is the argument without which all others
agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from typedtensors.dims import Facts, Verdict
from typedtensors.runtime.report.rows import Row
from typedtensors.runtime.scope import UNSETTLED, Snapshot
from typedtensors.runtime.symbolic.unsettled import Unsettled, bound_sizes, unsettled_in
from typedtensors.shapes import Bindings, BoundRun, Match, Mismatch, Shape, match_all
from typedtensors.shapes.specs.spec import Reader

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
        facts: What is known of sizes that are unknown.
        settled: Whether only the suspect can be wrong, because the others have passed.
    """

    rows: Sequence[Row]
    suspect: Row
    before: Bindings
    read: Reader | None = None
    facts: Facts = field(default_factory=Facts)
    settled: bool = False

    def match(self, rows: Sequence[Row]) -> Match | Mismatch:
        """Match some rows with each other, and with what was bound before."""
        arguments = [row.as_argument() for row in rows]
        return match_all(arguments, self.before, self.facts, read=self.read)

    def agree(self, rows: Sequence[Row]) -> bool:
        """Say whether these rows fit their annotations and each other, beyond doubt.

        Sizes that are unknown are taken to be one and the same, as those of batches are.
        """
        if not all(row.fits_but_for_shape for row in rows):
            return False
        arguments = [row.as_argument(same=True) for row in rows]
        found = match_all(arguments, self.before, self.facts, read=self.read)
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
    facts = found.facts if isinstance(found, Match) else evidence.facts
    contradiction = match_all([row.as_argument()], others, facts, read=evidence.read)
    mismatch = None if isinstance(contradiction, Match) else contradiction
    return Blame(row, mismatch, others, certain)


def _agree_without(row: Row, rows: Sequence[Row], evidence: Evidence) -> bool:
    return isinstance(evidence.match([each for each in rows if each is not row]), Match)


def bindings_of(snapshot: Snapshot, rows: Sequence[Row]) -> Bindings:
    """Read the scope as bindings, without the names that the rows show."""
    shown = frozenset().union(*(row.spec.names | row.spec.variadic_names for row in rows))
    known = _unsettled(snapshot).bindings
    axes = {**known.axes, **bound_sizes(snapshot.sizes)}
    runs = {**known.runs, **{name: BoundRun(Shape.of(*run)) for name, run in _runs(snapshot)}}
    return Bindings.of(
        {name: bound for name, bound in axes.items() if name not in shown},
        {name: bound for name, bound in runs.items() if name not in shown},
    )


def facts_of(snapshot: Snapshot) -> Facts:
    """Read what the scope knows of unknown sizes."""
    return _unsettled(snapshot).facts


def _unsettled(snapshot: Snapshot) -> Unsettled:
    return unsettled_in({UNSETTLED: snapshot.unsettled})


def _runs(snapshot: Snapshot) -> list[tuple[str, tuple[int, ...]]]:
    return [(name, run) for name, run in snapshot.variadics.items() if None not in run]
