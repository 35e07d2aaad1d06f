# SPDX-License-Identifier: Apache-2.0
"""The words of the table: its first line, its notes, and the finding in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.runtime.report.blame import Blame, Evidence
from typedtensors.runtime.report.rows import is_result, type_text
from typedtensors.runtime.report.table import label
from typedtensors.shapes import Axis, AxisMismatch, RankMismatch
from typedtensors.shapes.arrays.sizes import size_text

_RESULTS = {"return": "return value", "yield": "yielded value"}


def headline(function: str, blame: Blame, diagnostic: Diagnostic) -> str:
    """Write the first line: which dim disagrees, or the finding."""
    if isinstance(blame.mismatch, AxisMismatch) and blame.mismatch.wanted.name is not None:
        return f"{function}(): dim `{label(blame.mismatch.wanted)}` disagrees"
    return diagnostic.message


def diagnose(function: str, blame: Blame, hint: str | None) -> Diagnostic:
    """Put the finding in one sentence, in the same words as the type checker."""
    row, where = blame.row, where_of(function, blame.row.argument)
    if not row.is_instance:
        expected = type_text(row.annotation.array_type)
        problem = f"{subject(row.argument)} is {row.type_name}, expected {expected}"
        return wording.misused(function, problem, hint=hint)
    if not row.fits_dtype:
        expected = row.annotation.dtype.__name__
        return wording.dtype_differs(where, expected, row.dtype or "unknown", hint=hint)
    if blame.mismatch is None:
        actual = " ".join(map(size_text, row.shape or ()))
        return wording.shape_differs(where, row.spec.text, actual, hint=hint)
    found = blame.mismatch.diagnostic(where)
    return Diagnostic(found.code, found.message, hint, found.reason)


def facts(blame: Blame) -> tuple[int | None, int | str, int | str]:
    """Return the axis, what was expected there and what was found."""
    row, mismatch = blame.row, blame.mismatch
    if not row.is_instance:
        return None, type_text(row.annotation.array_type), row.type_name
    if not row.fits_dtype:
        return None, row.annotation.dtype.__name__, row.dtype or "unknown"
    if isinstance(mismatch, AxisMismatch):
        return mismatch.at.axis, _size(mismatch.expected), _size(mismatch.actual)
    if isinstance(mismatch, RankMismatch):
        rank = mismatch.expected.rank
        return None, mismatch.expected.text if rank is None else rank, len(row.shape or ())
    return None, row.spec.text, row.actual


def _size(axis: Axis) -> int | str:
    value = axis.dim.value
    return str(axis) if value is None or axis.flexible else value


def notes(evidence: Evidence, blame: Blame) -> Mapping[str, str]:
    """Say behind the rows what is wrong with one, and which other bound the dim."""
    row, mismatch = blame.row, blame.mismatch
    found = {row.argument: _note(evidence, blame)}
    if mismatch is not None and mismatch.bound_at is not None:
        binder = mismatch.bound_at
        if isinstance(mismatch, AxisMismatch) and binder.argument != row.argument:
            name = label(mismatch.wanted)
            found[binder.argument] = f"{name} first bound here (axis {binder.axis})"
    return found


def _note(evidence: Evidence, blame: Blame) -> str:
    row, mismatch = blame.row, blame.mismatch
    if not row.is_instance:
        return f"{row.type_name}, expected {type_text(row.annotation.array_type)}"
    if not row.fits_dtype:
        return f"dtype {row.dtype}, expected {row.annotation.dtype.__name__}"
    if isinstance(mismatch, RankMismatch):
        rank, least = len(row.shape or ()), mismatch.expected.least_rank
        more = "" if mismatch.expected.rank is not None else "at least "
        return f"{rank} {'axis' if rank == 1 else 'axes'}, expected {more}{least}"
    if isinstance(mismatch, AxisMismatch):
        return f"{_inequality(mismatch)}{_majority(evidence, mismatch)}"
    return "does not fit"


def _inequality(mismatch: AxisMismatch) -> str:
    expected, written = str(mismatch.expected), label(mismatch.wanted)
    computed = mismatch.wanted.name is None and written != expected
    return (
        f"{mismatch.actual} != {written} = {expected}"
        if computed
        else (f"{mismatch.actual} != {expected}")
    )


def _majority(evidence: Evidence, mismatch: AxisMismatch) -> str:
    """Count who says what, where more than two arguments have the dim."""
    name = mismatch.wanted.name
    if name is None or mismatch.wanted.variadic:
        return ""
    said = [
        row.shape[start]
        for row in evidence.rows
        for axis, start, _ in row.spans() or ()
        if axis.name == name and not axis.variadic and row.shape
    ]
    agreed = sum(str(size) == str(mismatch.expected) for size in said)
    if len(said) < 3 or agreed < 2:
        return ""
    return f"; {agreed} of {len(said)} say {mismatch.expected}"


def subject(argument: str) -> str:
    """Name what is wrong within a sentence."""
    if is_result(argument):
        return _RESULTS.get(argument) or f"`{argument}`"
    return f"argument `{argument}`"


def where_of(function: str, argument: str) -> str:
    """Name what is wrong at the start of a sentence."""
    if argument == "return":
        return wording.returned(function)
    if argument == "yield":
        return f"value yielded by `{function}`"
    if is_result(argument):
        return f"`{argument}` of `{function}`"
    return wording.argument(argument, function)
