# SPDX-License-Identifier: Apache-2.0
"""From the arguments of a failed call to the error: evidence, blame, hint, words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from typedtensors.diagnostics import wording
from typedtensors.runtime.errors import Failure, Size, TensorCheckError
from typedtensors.runtime.hints.nodes import Leaf
from typedtensors.runtime.report.blame import Blame, Evidence, bindings_of, facts_of, find_blame
from typedtensors.runtime.report.caller import caller
from typedtensors.runtime.report.fixes import find_fix
from typedtensors.runtime.report.rows import Row, make_row, type_text, value_text
from typedtensors.runtime.report.table import table
from typedtensors.runtime.report.words import diagnose, facts, headline, notes, subject
from typedtensors.runtime.scope import Snapshot, reader_of
from typedtensors.shapes import Bindings, Match

Labelled = tuple[str, Leaf]


@dataclass(frozen=True)
class FailedCheck:
    """What the checker knows when a check fails.

    Args:
        function: The function's name.
        argument: The parameter at which the check stopped, `return` or `yield`.
        leaf: The part of it that does not fit.
        arrays: Every array of the call, with the name of its argument.
        before: What was bound before these arrays were looked at.
        settled: Whether only this argument can be to blame: it is a result, or stands alone.
        defined_at: Where the function is, for a result: the mistake is in there.
        sources: Where dims are from that no array of the call has bound.
    """

    function: str
    argument: str
    leaf: Leaf
    arrays: Iterable[Labelled]
    before: Snapshot
    settled: bool = False
    defined_at: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)


def explain(failed: FailedCheck) -> TensorCheckError:
    """Make the error of a failed check."""
    try:
        return _explain(failed)
    except Exception as bug:  # noqa: BLE001  the check has failed either way: that comes first
        error = _plain_error(failed)
        reason = wording.internal(bug, f"explaining an error of {failed.function}").message
        return TensorCheckError(replace(error.failure, table=f"{error}\n  {reason}"))


def _explain(failed: FailedCheck) -> TensorCheckError:
    rows, leaf = _rows(failed.arrays), failed.leaf
    suspect = next((row for row in rows if row.argument == failed.argument + leaf.path), None)
    if suspect is None or suspect.annotation is not leaf.annotation:
        return _plain_error(failed)
    evidence = _evidence(rows, suspect, failed.before, settled=failed.settled)
    places = _places(failed.defined_at)
    return _array_error(failed.function, evidence, places, failed.sources)


def solve(
    function: str, arrays: Iterable[Labelled], before: Snapshot
) -> Mapping[str, int] | TensorCheckError:
    """Find the size of each dim where arithmetic stands before what binds its names."""
    rows = _rows(arrays)
    if not rows:
        return {}
    evidence = _evidence(rows, rows[0], before, settled=False)
    found = evidence.match([row for row in rows if row.fits_but_for_shape])
    if not isinstance(found, Match):
        suspect = next(row for row in rows if row.argument == found.argument)
        return _array_error(function, replace(evidence, suspect=suspect), _places(None), {})
    dims = {name: found.bindings.dim(name) for name in found.bindings.axes}
    return {
        name: dim.value for name, dim in dims.items() if dim is not None and dim.value is not None
    }


def _rows(arrays: Iterable[Labelled]) -> list[Row]:
    rows = (make_row(name, leaf) for name, leaf in arrays)
    return [row for row in rows if row is not None]


def _evidence(rows: list[Row], suspect: Row, before: Snapshot, *, settled: bool) -> Evidence:
    others = [row for row in rows if row is not suspect]
    known, facts = bindings_of(before, others), facts_of(before)
    return Evidence(rows, suspect, known, reader_of(before.arguments), facts, settled=settled)


def _array_error(
    function: str, evidence: Evidence, places: list[str], sources: Mapping[str, str]
) -> TensorCheckError:
    blame = find_blame(evidence)
    fix = find_fix(evidence, blame)
    diagnostic = diagnose(function, blame, fix)
    axis, expected, actual = facts(blame)
    lines = [
        f"typedtensors: {headline(function, blame, diagnostic)}  [{diagnostic.code}]",
        *table(evidence, blame, notes(evidence, blame)),
        *_bound_before(evidence, blame, sources),
        *places,
        *_hint(evidence, blame, fix),
    ]
    return TensorCheckError(
        Failure(
            diagnostic=diagnostic,
            function=function,
            argument=blame.row.argument,
            axis=axis,
            expected=expected,
            actual=actual,
            bindings=_sizes(blame.others),
            table="\n".join(lines),
        )
    )


def _plain_error(failed: FailedCheck) -> TensorCheckError:
    """Make the error of a value that no single array annotation describes."""
    leaf, argument = failed.leaf, failed.argument + failed.leaf.path
    actual, expected = value_text(leaf.value), type_text(leaf.annotation)
    problem = f"{subject(argument)} is {actual}, expected {expected}"
    diagnostic = wording.misused(failed.function, problem)
    lines = [f"typedtensors: {diagnostic.message}  [{diagnostic.code}]"]
    table = "\n".join([*lines, *_places(failed.defined_at)])
    return TensorCheckError(
        Failure(diagnostic, failed.function, argument, None, expected, actual, {}, table)
    )


def _places(defined_at: str | None) -> list[str]:
    called_from = caller()
    known = {"defined at": defined_at, "called from": called_from}
    return [f"  {what} {place}" for what, place in known.items() if place is not None]


def _bound_before(evidence: Evidence, blame: Blame, sources: Mapping[str, str]) -> list[str]:
    used = blame.row.spec.names | blame.row.spec.variadic_names
    known = {name: size for name, size in _sizes(evidence.before).items() if name in used}
    origins = {name: f"  ({sources[name]})" if name in sources else "" for name in known}
    return [f"  where {name} = {size}{origins[name]}" for name, size in known.items()]


def _hint(evidence: Evidence, blame: Blame, fix: str | None) -> list[str]:
    if fix is not None:
        return [f"  hint: {fix}"]
    decided = blame.certain and not evidence.settled and len(evidence.rows) > 2
    if blame.mismatch is not None and decided:
        return [f"  hint: only `{blame.row.argument}` differs"]
    return []


def _sizes(bindings: Bindings) -> Mapping[str, Size]:
    """Return what is bound as plain numbers."""
    singles = {name: bindings.dim(name) for name in bindings.axes}
    found: dict[str, Size] = {
        name: dim.value
        for name, dim in singles.items()
        if dim is not None and dim.value is not None
    }
    for name, run in bindings.runs.items():
        dims = run.axes.dims
        if dims is not None and not run.flexible:
            found[name] = tuple(dim.value for dim in dims if dim.value is not None)
    return found
