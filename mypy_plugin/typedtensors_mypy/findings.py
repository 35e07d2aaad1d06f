# SPDX-License-Identifier: Apache-2.0
"""`Finding`: what the interpreter tells about one place in a file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtensors.dims.quick import dataclass

if TYPE_CHECKING:
    from typedtensors.diagnostics import Code, Diagnostic, Rewrite


@dataclass(frozen=True)
class Place:
    """A range in a file: lines from 1, columns from 0, the end column exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, node: ast.AST) -> Place:
        """The range of a node; the first character of the file for a node without one."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line = getattr(node, "end_lineno", None) or line
        end_column = getattr(node, "end_col_offset", None) or column + 1
        return cls(line, column, end_line, end_column)


@dataclass(frozen=True)
class Finding:
    """An error (with its code) or a note (without one).

    `rewrites` are edits of the module, after each of which it is gone. `called`: some call led
    there.
    """

    place: Place
    text: str
    code: Code | None = None
    rewrites: tuple[Rewrite, ...] = ()
    called: bool = False

    def repeats(self, other: Finding) -> bool:
        """Whether it tells again of what is told.

        What a call shows on a line that is wrong whoever calls is the same mistake.
        """
        if (self.place.line, self.code) != (other.place.line, other.code):
            return False
        both = self.called or other.called
        return self.place.column == other.place.column or (both and self.code is not None)

    @classmethod
    def error(cls, place: Place, diagnostic: Diagnostic, called_from: int | None = None) -> Finding:
        """The finding that reports a diagnostic; `called_from` is the line that led there."""
        text = diagnostic.text
        if called_from is not None and called_from != place.line:
            text += f" (called from line {called_from})"
        called = called_from is not None
        return cls(place, text, diagnostic.code, diagnostic.rewrites, called=called)
