# SPDX-License-Identifier: Apache-2.0
"""`python -m typedtensors_mypy.commands.repair ARGS`: the edits that remove findings.

Prints one JSON object: the new text of each file that changes, and how many findings that removes.
A second run tries them: an edit is taken only if afterwards what it was made for is gone and
nothing else is reported. Where the first edit of a finding fails that, its next one is tried.
"""

from __future__ import annotations

import json
import os
import sys
import tokenize
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from mypy.build import build
from mypy.errors import CompileError
from mypy.fscache import FileSystemCache
from mypy.version import __version__

from typedtensors_mypy import plugin
from typedtensors_mypy.__main__ import options_of, own_options
from typedtensors_mypy.commands.targets import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typedtensors.diagnostics import Rewrite
    from typedtensors_mypy.findings import Finding

Told = tuple[str, "Finding"]
"""A file, and what is reported in it."""


class Proposal(NamedTuple):
    """An edit of a file after which a finding should be gone."""

    file: str
    finding: Finding
    rewrite: Rewrite


class _Edited(FileSystemCache):
    """The files of the disk, some of them with another text."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts

    def read(self, path: str) -> bytes:
        text = self._texts.get(path)
        read = super().read(path)
        return read if text is None else text.encode(_encoding(read))


@dataclass(frozen=True)
class Repairer:
    """Runs the check of `arguments`, as often as there is something to try."""

    arguments: Sequence[str]

    def said(self, texts: Mapping[str, str]) -> list[Told]:
        """What is reported where some files have another text. Raises CompileError."""
        files = _Edited(texts)
        level, rest = own_options(self.arguments)
        sources, options = options_of(rest, files, tensors_only=True)
        options.plugins = [name for name in options.plugins if name != PROGRAM]
        # A text that is only tried must not be found in the cache of a run that follows.
        options.cache_dir = (
            f"{options.cache_dir}{'' if options.cache_dir == os.devnull else '-fix'}"
        )
        hooks = plugin(__version__)(options, level, salt=uuid4().hex, read=files.read)
        build(sources, options, flush_errors=_ignore, fscache=files, extra_plugins=[hooks])
        return hooks.said

    def repair(self) -> tuple[dict[str, str], int]:
        """The texts of the files that are to change, and how many findings that removes."""
        before = self.said({})
        choices = [[Proposal(*told, edit) for edit in told[1].rewrites] for told in before]
        proposals = [each[0] for each in choices if each]
        if not self._works(proposals, before):
            works = ((one for one in each if self._works([one], before)) for each in choices)
            alone = [first for each in works if (first := next(each, None)) is not None]
            proposals = alone if self._works(alone, before) else alone[:1]
        return _edited(proposals), len(proposals)

    def _works(self, proposals: Sequence[Proposal], before: Iterable[Told]) -> bool:
        """Whether the edits remove what they are for, and lead to nothing new."""
        if not proposals:
            return True
        removed = ((each.file, each.finding) for each in proposals)
        try:
            return _counted(self.said(_edited(proposals))) <= _counted(before) - _counted(removed)
        except CompileError:
            return False


def _counted(said: Iterable[Told]) -> Counter[tuple[str, str]]:
    return Counter((file, finding.text) for file, finding in said)


def _edited(proposals: Iterable[Proposal]) -> dict[str, str]:
    """The texts of the files with the edits in them."""
    by_file: dict[str, list[Rewrite]] = {}
    for each in proposals:
        by_file.setdefault(each.file, []).append(each.rewrite)
    return {file: _rewritten(file, rewrites) for file, rewrites in by_file.items()}


def _rewritten(file: str, rewrites: Iterable[Rewrite]) -> str:
    """A file's text with the edits in it, the last one first; of two that overlap, one."""
    with open(file, "rb") as opened:  # noqa: PTH123 - mypy's name of it, as it is
        read = opened.read()
    lines = read.decode(_encoding(read)).encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    content, limit = b"".join(lines), starts[-1]
    for each in sorted(rewrites, key=lambda each: (each.line, each.column), reverse=True):
        start, end = (
            starts[each.line - 1] + each.column,
            starts[each.end_line - 1] + each.end_column,
        )
        if end <= limit:
            content, limit = content[:start] + each.text.encode() + content[end:], start
    return content.decode()


def _encoding(source: bytes) -> str:
    """What a source says that it is written in; with its mark, if it has one of those."""
    return tokenize.detect_encoding(BytesIO(source).readline)[0]


def _ignore(_file: str | None, _messages: list[str], _serious: bool) -> None:  # noqa: FBT001 - mypy's
    pass


def main(arguments: Sequence[str]) -> None:
    """Print the edited texts."""
    try:
        texts, count = Repairer(arguments).repair()
    except CompileError:
        sys.exit("mypy could not check")
    sys.stdout.write(json.dumps({"texts": texts, "count": count}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
