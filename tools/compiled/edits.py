# SPDX-License-Identifier: Apache-2.0
"""Changes to a source, by the place of its nodes."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """The bytes from `first` up to `last` give way to a text. Edits do not overlap."""

    first: int
    last: int
    text: str


class Places:
    """Where the nodes of a source begin and end, in bytes from its beginning."""

    def __init__(self, source: str) -> None:
        lines = source.encode().splitlines(keepends=True)
        self._starts = [0, *itertools.accumulate(map(len, lines))]

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        """Where a node begins."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        """Where a node ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def after(self, node: ast.stmt) -> int:
        """Where the line after a statement begins."""
        return self._starts[node.end_lineno or node.lineno]


def edited(source: str, edits: Iterable[Edit]) -> str:
    """The source with all edits made, at one place in their order."""
    parts, text, done = [], source.encode(), 0
    for edit in sorted(edits, key=lambda edit: edit.first):
        parts += [text[done : edit.first], edit.text.encode()]
        done = edit.last
    return b"".join([*parts, text[done:]]).decode()
