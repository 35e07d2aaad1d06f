# SPDX-License-Identifier: Apache-2.0
"""From the arguments of a failed call to the error: evidence, blame, hint, words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.runtime.errors import Failure, Size, TensorCheckError
from typedtensors.runtime.hints import Leaf
from typedtensors.runtime.report.blame import Blame, Evidence, bindings_of, find_blame
from typedtensors.runtime.report.caller import caller
from typedtensors.runtime.report.fixes import find_fix
from typedtensors.runtime.report.rows import Row, make_row, type_text
from typedtensors.runtime.report.table import table
from typedtensors.runtime.report.words import diagnose, facts, headline, notes, subject
from typedtensors.runtime.scope import Snapshot
from typedtensors.shapes import Bindings, Match

Labelled = tuple[str, Leaf]


def explain(
    function: str,
    failed: Labelled,
    arrays: Iterable[Labelled],
    before: Snapshot,
    *,
    settled: bool,
) -> TensorCheckError:
    """Make the error of a failed check.

    Args:
        function: The function's qualified name.
        failed: The argument at which the check stopped, and the part of it that does not fit.
        arrays: Every array that the call shows, with the name of its argument.
        before: What was bound before these arrays were looked at.
        settled: Whether only `failed` can be to blame: it is a result, or stands alone.
    """
    try:
        return _explain(function, failed, arrays, before, settled=settled)
    except Exception as bug:  # noqa: BLE001  the check has failed either way: that comes first
        return _unexplained(function, *failed, bug)


def _explain(
    function: str,
    failed: Labelled,
    arrays: Iterable[Labelled],
    before: Snapshot,
    *,
    settled: bool,
) -> TensorCheckError:
    rows = _rows(arrays)
    name, leaf = failed
    suspect = next((row for row in rows if row.argument == name + leaf.path), None)
    if suspect is None or suspect.annotation is not leaf.annotation:
        return _plain_error(function, name, leaf)
    return _array_error(function, _evidence(rows, suspect, before, settled=settled))


def solve(function: str, arrays: Iterable[Labelled], before: Snapshot) -> Mapping[str, int]:
    """Find the size of each dim where arithmetic stands before what binds its names.

    Raises:
        TensorCheckError: the arrays contradict each other.
    """
    rows = _rows(arrays)
    if not rows:
        return {}
    evidence = _evidence(rows, rows[0], before, settled=False)
    found = evidence.match([row for row in rows if row.fits_but_for_shape])
    if not isinstance(found, Match):
        suspect = next(row for row in rows if row.argument == found.argument)
        raise _array_error(function, replace(evidence, suspect=suspect))
    dims = {name: found.bindings.dim(name) for name in found.bindings.axes}
    return {
        name: dim.value for name, dim in dims.items() if dim is not None and dim.value is not None
    }


def _rows(arrays: Iterable[Labelled]) -> list[Row]:
    rows = (make_row(name, leaf) for name, leaf in arrays)
    return [row for row in rows if row is not None]


def _evidence(rows: list[Row], suspect: Row, before: Snapshot, *, settled: bool) -> Evidence:
    others = [row for row in rows if row is not suspect]
    known = bindings_of(before, others)
    return Evidence(rows, suspect, known, _reader(before.arguments), settled=settled)


def _array_error(function: str, evidence: Evidence) -> TensorCheckError:
    blame = find_blame(evidence)
    fix = find_fix(evidence, blame)
    diagnostic = diagnose(function, blame, fix)
    axis, expected, actual = facts(blame)
    lines = [
        f"typedtensors: {headline(function, blame, diagnostic)}  [{diagnostic.code}]",
        *table(evidence, blame, notes(evidence, blame)),
        *_footer(evidence, blame, fix),
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


def _plain_error(function: str, name: str, leaf: Leaf) -> TensorCheckError:
    """Make the error of a value that no array annotation describes."""
    argument, kind = name + leaf.path, type(leaf.value).__name__
    expected = type_text(leaf.annotation)
    diagnostic = wording.misused(function, f"{subject(argument)} is {kind}, expected {expected}")
    lines = [f"typedtensors: {diagnostic.message}  [{diagnostic.code}]", *_called_from()]
    table = "\n".join(lines)
    return TensorCheckError(
        Failure(diagnostic, function, argument, None, expected, kind, {}, table)
    )


def _unexplained(function: str, name: str, leaf: Leaf, bug: Exception) -> TensorCheckError:
    """Make the error of a failed check that a bug of ours keeps from being explained."""
    error = _plain_error(function, name, leaf)
    reason = wording.internal(bug, f"explaining an error of {function}").message
    return TensorCheckError(replace(error.failure, table=f"{error}\n  {reason}"))


def _footer(evidence: Evidence, blame: Blame, fix: str | None) -> list[str]:
    used = blame.row.spec.names | blame.row.spec.variadic_names
    known = {name: size for name, size in _sizes(evidence.before).items() if name in used}
    lines = [f"  where {name} = {size}" for name, size in known.items()]
    lines += _called_from()
    if fix is None and blame.mismatch is not None and blame.certain and not evidence.settled:
        fix = f"only `{blame.row.argument}` differs" if len(evidence.rows) > 2 else None
    return lines if fix is None else [*lines, f"  hint: {fix}"]


def _called_from() -> list[str]:
    place = caller()
    return [] if place is None else [f"  called from {place}"]


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


def _reader(arguments: Mapping[str, Any]) -> Callable[[str], Dim | None]:
    """Read `{self.d}`: a dotted path from an argument to an int; nothing is evaluated."""

    def read(text: str) -> Dim | None:
        root, *path = text.split(".")
        value = arguments.get(root)
        for name in path:
            value = getattr(value, name, None)
        return Dim.of(value) if isinstance(value, int) else None

    return read
