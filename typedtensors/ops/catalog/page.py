# SPDX-License-Identifier: Apache-2.0
"""The page of the docs that lists the ops, in Markdown, made from the rules when the site is."""

from __future__ import annotations

from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING

from typedtensors.ops.catalog import conformance
from typedtensors.ops.catalog.entry import Entry, entries, packages
from typedtensors.ops.catalog.missing import missing
from typedtensors.ops.catalog.surface import surface, version
from typedtensors.ops.registry import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_INTRODUCTION = """\
# Operations

The static check follows shapes and dtypes through {count} operations and layers ({names}). What any
other gives is unknown to it, and nothing is reported about that. `typedtensors ops NAME` shows one
with all its examples, in whatever way its name is written.

Each rule is compared with the framework itself ({frameworks}) on calls that are drawn from its
examples: with other sizes and dtypes, with axes dropped, added or hidden. Of these calls, a result
that differs from the framework's, or an error that the framework does not raise, fails the tests.
The last columns count, in percent, those where the rule says what the framework does, result or
error, and those where the framework raises and the rule does not see why.
"""
_COLUMNS = ("operation", "also", "for example", "decided", "missed")


def page() -> str:
    """The whole page."""
    found = entries()
    names = ", ".join(f"{count} names in {package}" for package, count in packages(found).items())
    parts = [_INTRODUCTION.format(count=len(found), names=names, frameworks=conformance.versions())]
    for folder, group in groupby(found, key=lambda entry: entry.module.partition(".")[0]):
        parts += [f"## {_title(folder)}\n", "\n".join(_table(group)) + "\n"]
    return "\n".join([*parts, *_without_rule()])


def _title(module: str) -> str:
    """What the docstring of a folder of rules says it holds."""
    text = import_module(f"{FAMILIES}.{module}").__doc__ or module
    return text.strip().rstrip(".")


def _table(found: Iterable[Entry]) -> Iterator[str]:
    yield _row(_COLUMNS)
    yield _row("---" for _ in _COLUMNS)
    for entry in found:
        first, *others = entry.names
        also = ", ".join(map(_code, others))
        yield _row((_code(first), also, _code(next(entry.examples(), "")), *_counts(entry)))


def _counts(entry: Entry) -> tuple[str, str]:
    counts = conformance.compared(entry.rule)
    if counts is None:
        return "", ""
    decided = counts.agreed + counts.rejected
    return f"{100 * decided / counts.calls:.0f}", f"{100 * counts.missed / counts.calls:.0f}"


def _without_rule() -> Iterator[str]:
    groups = missing()
    count = sum(len(group.names) for group in groups)
    yield "## Without a rule\n"
    yield (
        f"{count} of the {len(surface())} public functions, methods and layers of torch "
        f"{version()} that take tensors.\n"
    )
    for group in groups:
        names = ", ".join(_code(name.removeprefix("torch.")) for name in group.names)
        yield f"**{group.reason.capitalize()}** ({len(group.names)}): {names}\n"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
