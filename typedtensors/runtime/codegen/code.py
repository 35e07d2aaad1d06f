# SPDX-License-Identifier: Apache-2.0
"""Lines of Python as they are written, the names they use, and the objects behind these."""

from __future__ import annotations

import builtins
import contextlib
import keyword
import re
from collections.abc import Iterable, Iterator
from typing import Any

from typedtensors.runtime.codegen.support import Misfit

_INDENT = "    "
_WIDTH = 88
_RESERVED = frozenset({*keyword.kwlist, *dir(builtins)})


class NotCompilableError(Exception):
    """A hint that only the full check understands, such as a `PyTree`."""


def _identifier(wanted: str) -> str:
    tidy = re.sub(r"\W+", "_", wanted).strip("_") or "value"
    return f"_{tidy}" if tidy[0].isdigit() else tidy


class Code:
    """A growing block of Python.

    Invariant: `name` and `constant` never hand out a name twice, nor one that is `taken`; `traced`
    are names in `constants`.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        """Start an empty block; `taken` are the names of the parameters."""
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self.traced: set[str] = set()
        self._names: dict[int, str] = {}
        self._taken = {*_RESERVED, *taken}
        self._indent = 0
        self.misfit = self.constant("Misfit", Misfit)

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(f"{_INDENT * self._indent}{text}")

    def comment(self, text: str) -> None:
        """Add a comment; line breaks in it are none."""
        self.line(f"# {' '.join(text.split())}")

    def fail_if(self, condition: str) -> None:
        """Leave the fast path where `condition` holds."""
        test = f"({condition})" if " and " in condition or " if " in condition else condition
        fail = f"{_INDENT * (self._indent + 1)}raise {self.misfit}"
        before = self.lines[-2] if self.lines[-1:] == [fail] else ""
        # One statement for several tests, where they stand one after the other.
        if before.startswith(f"{_INDENT * self._indent}if ") and len(before) + len(test) < _WIDTH:
            self.lines[-2] = f"{before[:-1]} or {test}:"
        else:
            self.line(f"if {test}:")
            self.lines.append(fail)

    @contextlib.contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Indent what is written within; a block in which nothing is written is a `pass`."""
        self.line(head)
        self._indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._indent -= 1

    def insert(self, position: int, text: str) -> None:
        """Add a line before what is at `position` among `lines`, as deep as new ones are."""
        self.lines.insert(position, f"{_INDENT * self._indent}{text}")

    def name(self, wanted: str) -> str:
        """Return a new name that looks like `wanted`."""
        stem = wanted if wanted.isidentifier() else _identifier(wanted)
        found, count = stem, 0
        while found in self._taken:
            count += 1
            found = f"{stem}_{count}"
        self._taken.add(found)
        return found

    def constant(self, wanted: str, value: Any, *, traced: bool = False) -> str:
        """Return the name of an object of the checker's, a new one at its first use.

        Args:
            wanted: what the name should look like.
            value: the object.
            traced: whether lines that use it are run by a compiler that traces.
        """
        found = self._names.get(id(value))
        if found is None:
            found = self._names[id(value)] = self.name(wanted)
            self.constants[found] = value
        if traced:
            self.traced.add(found)
        return found
