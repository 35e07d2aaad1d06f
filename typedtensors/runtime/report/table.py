# SPDX-License-Identifier: Apache-2.0
"""The table: one line per array argument, one column per dim, and what each line shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set as AbstractSet

from typedtensors.runtime.report.blame import Blame, Evidence
from typedtensors.runtime.report.rows import Row
from typedtensors.shapes import AxisMismatch, SpecAxis
from typedtensors.shapes.arrays.sizes import size_text

_SHOWN_AT_MOST = 12
_FIXED = ("arg", "annotation", "actual")


def table(evidence: Evidence, blame: Blame, notes: Mapping[str, str]) -> list[str]:
    """Lay out the rows; `notes` are printed behind the row of that argument."""
    rows = _shown(evidence.rows, {blame.row.argument, *notes})
    columns = _columns(rows)
    lines = [[*_FIXED, *columns]]
    for row in rows:
        cells = _cells(row, blame if row is blame.row else None)
        shown = [cells.get(column, "-") for column in columns]
        lines.append([row.argument, row.declared, row.actual, *shown])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rendered = ["  " + "  ".join(_pad(line, widths)) for line in lines]
    behind = ["", *(notes.get(row.argument, "") for row in rows)]
    printed = [
        f"{text}   <- {note}" if note else text.rstrip()
        for text, note in zip(rendered, behind, strict=True)
    ]
    left_out = len(evidence.rows) - len(rows)
    return [*printed, f"  and {left_out} more"] if left_out else printed


def _shown(rows: Sequence[Row], needed: AbstractSet[str]) -> list[Row]:
    """Leave out rows of a long list, but none that is needed."""
    return [
        row
        for position, row in enumerate(rows)
        if position < _SHOWN_AT_MOST or row.argument in needed
    ]


def _pad(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Names to the left, sizes in the middle of their column."""
    fixed = len(_FIXED)
    return [
        cell.ljust(width) if position < fixed else cell.center(width)
        for position, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]


def _columns(rows: Sequence[Row]) -> list[str]:
    labels = (label(axis) for row in rows for axis in row.spec.axes)
    return list(dict.fromkeys(text for text in labels if text))


def label(axis: SpecAxis) -> str:
    """Name the column of an axis: `batch` for `#batch`, nothing for `_` and `...`."""
    if axis.name is not None:
        return f"*{axis.name}" if axis.variadic else axis.name
    if axis.dim is None:
        return ""
    return axis.text.lstrip("#") if axis.lookups else str(axis.dim)


def _cells(row: Row, blame: Blame | None) -> dict[str, str]:
    """Say which size a row has in which column; empty if its axes cannot be told apart."""
    if row.shape is None:
        return {}
    cells: dict[str, str] = {}
    for axis, start, stop in row.spans() or ():
        sizes = row.shape[start:stop]
        shown = list(map(size_text, sizes))
        text = f"({', '.join(shown)})" if axis.variadic else shown[0]
        if blame is not None and _is_marked(blame, start, stop):
            text = f"> {text} <"
        name = label(axis)
        cells[name] = f"{cells[name]} {text}" if name in cells else text
    return cells


def _is_marked(blame: Blame, start: int, stop: int) -> bool:
    mismatch = blame.mismatch
    return isinstance(mismatch, AxisMismatch) and start <= mismatch.at.axis < stop
