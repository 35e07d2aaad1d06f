# SPDX-License-Identifier: Apache-2.0
"""Cases written in Markdown: a heading names one, a python block holds its program.

A trailing comment `# E: [code] "part"` says that mypy reports an error of that code, whose text
contains the part, on that line; `# N: "part"` says the same of a note. The part may be left out.
A block opened with ```` ```python file=model.py ```` is another module of the same case. A block
opened with ```` ```python skip ```` is not a case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^#+\s+(?P<title>.+?)\s*$")
_FENCE = re.compile(r"^(?P<marks>`{3,})\s*(?P<info>.*)$")
_FILE = re.compile(r"\bfile=(?P<name>\w+\.py)\b")
_EXPECTATION = re.compile(
    r'#\s*(?:E:\s*\[(?P<code>[\w-]+)\]|(?P<note>N:))(?:\s*"(?P<part>.*?)"(?=\s*(?:#|$)))?'
)


@dataclass(frozen=True)
class Expectation:
    """A message that a line announces; `code` is None for a note."""

    file: str
    line: int
    code: str | None
    part: str


@dataclass(frozen=True, eq=False)
class Case:
    """One program, of one or more files, and what is expected of it.

    Invariant: `name` is a Python identifier and unique within its document.
    """

    document: Path
    name: str
    files: dict[str, str]

    @property
    def expectations(self) -> list[Expectation]:
        """Every announced message, by file and line."""
        return [
            expectation
            for file, source in self.files.items()
            for number, line in enumerate(source.splitlines(), start=1)
            for expectation in _announced(file, number, line)
        ]


def read_cases(document: Path) -> list[Case]:
    """The cases of a Markdown document, in order."""
    cases: dict[str, Case] = {}
    for title, info, source in _blocks(document.read_text(encoding="utf-8")):
        words = info.split()
        if words[:1] != ["python"] or "skip" in words:
            continue
        named = _FILE.search(info)
        name = slug(title)
        if named is not None and name in cases:
            cases[name].files[named["name"]] = source
            continue
        name = _free(name, cases)
        cases[name] = Case(document, name, {named["name"] if named else "main.py": source})
    return list(cases.values())


def slug(title: str) -> str:
    """A heading as an identifier: `A (N, 1) target` is `a_n_1_target`."""
    return re.sub(r"\W+", "_", title.lower()).strip("_") or "case"


def _free(name: str, taken: dict[str, Case]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name}_{number}"
        number += 1
    return free


def _announced(file: str, number: int, line: str) -> Iterator[Expectation]:
    for match in _EXPECTATION.finditer(line):
        yield Expectation(file, number, match["code"], (match["part"] or "").replace('\\"', '"'))


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Each fenced block: the heading above it, its info string, its text."""
    title, closing, info, lines = "case", "", "", []
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if closing:
            if line.strip() == closing:
                yield title, info, "\n".join(lines) + "\n"
                closing = ""
            else:
                lines.append(line)
        elif fence:
            closing, info, lines = fence["marks"], fence["info"], []
        elif heading := _HEADING.match(line):
            title = heading["title"]
