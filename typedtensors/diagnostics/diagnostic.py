# SPDX-License-Identifier: Apache-2.0
"""One finding, in words."""

from __future__ import annotations

from dataclasses import dataclass

from typedtensors.diagnostics.code import Code


@dataclass(frozen=True)
class Rewrite:
    """A range of a source, and the text to put there.

    Lines count from 1, columns from 0 and in bytes of UTF-8, as in Python's syntax trees.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """A finding as every front end prints it; where it happened is the front end's part.

    Args:
        code: What kind of finding it is.
        message: What is wrong, in one sentence without its full stop.
        hint: What to write instead; only given where it is known to help.
        reason: For a broadcast, why it is reported: `loss`, `rank`, `twins`, ...
        rewrites: The hints as edits of the source, best first, where there is only one way to read
            them.
    """

    code: Code
    message: str
    hint: str | None = None
    reason: str | None = None
    rewrites: tuple[Rewrite, ...] = ()

    @property
    def text(self) -> str:
        """The finding on one line, with its fix."""
        return self.message if self.hint is None else f"{self.message}; fix: {self.hint}"
