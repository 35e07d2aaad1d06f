# SPDX-License-Identifier: Apache-2.0
"""`typedtensors ops [NAME]`: which ops have a rule, and what it says."""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from typedtensors.cli.refusal import CLEAN, FOUND, RefusalError
from typedtensors.cli.terminal import Style, is_interactive, paint
from typedtensors.ops.catalog.conformance import compared
from typedtensors.ops.catalog.entry import Entry, entries, entries_of, packages
from typedtensors.ops.catalog.missing import NOT_YET, Missing, missing, reason
from typedtensors.ops.catalog.spelling import find, similar, without_rule
from typedtensors.ops.catalog.surface import surface, version

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_DESCRIPTION = """\
Lists the ops and layers whose shapes are followed, or shows one: its spellings and parameters, and
calls of it with what they give. No framework is imported or needs to be installed.
"""
_EPILOG = """\
examples:
  typedtensors ops                           every op, by the family of its rule
  typedtensors ops torch.bmm                 one op; bmm, x.bmm, nn.Linear, F.relu, @ work too
  typedtensors ops --missing                 what of torch has no rule, and why

What an op without a rule returns is unknown, and nothing is reported about it.

exit status: 0 shown, 1 torch has it and there is no rule, 2 there is no such op
"""
_INDENT = "  "
_MOST_WIDTH = 100
_TITLES = 12


def add_to(verbs: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser(
        "ops",
        help="list the ops whose shapes are followed, or show one",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("name", nargs="?", metavar="NAME", help="an op, in any of its spellings")
    asked.add_argument("--missing", action="store_true", help="what of torch has no rule, and why")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    if arguments.missing:
        return _print(_missing_lines(missing()))
    if arguments.name is None:
        return _print(_list_lines(entries()))
    found = entries_of(find(arguments.name))
    if found:
        return _print("\n\n".join("\n".join(_entry_lines(entry)) for entry in found).splitlines())
    lacking = without_rule(arguments.name)
    if lacking is None:
        raise RefusalError(f"unknown op `{arguments.name}`{_advice(arguments.name)}")
    why = reason(lacking)
    because = " yet" if why == NOT_YET else f" ({why})"
    print(f"{lacking} has no rule{because}: what it returns is unknown")
    return FOUND


def _print(lines: Iterable[str]) -> int:
    for line in lines:
        print(line)
    return CLEAN


def _heading(text: str) -> str:
    return paint(text, Style.BOLD, on=is_interactive(sys.stdout))


def _wrapped(text: str, indent: str = _INDENT, margin: int = 0) -> list[str]:
    """A text in as many lines as it needs beside a margin."""
    width = min(shutil.get_terminal_size().columns, _MOST_WIDTH) - margin
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _list_lines(found: list[Entry]) -> Iterator[str]:
    for module, group in itertools.groupby(found, key=lambda entry: entry.module):
        yield _heading(module.replace(".", ": "))
        yield from _wrapped("  ".join(_briefly(entry.name) for entry in group))
    counts = ", ".join(f"{count} in {package}" for package, count in packages(found).items())
    yield ""
    yield f"{len(found)} ops and layers; names for them: {counts}"


def _briefly(name: str) -> str:
    """`bmm` for `torch.bmm`; names of other packages stay whole."""
    return name.removeprefix("torch.").replace("nn.functional.", "F.")


def _entry_lines(entry: Entry) -> Iterator[str]:
    yield _heading(entry.name)
    yield from _row("spellings", entry.names[1:])
    yield from _row("parameters", _wrapped(entry.params, "", _TITLES + len(_INDENT)))
    yield from _row("input", [entry.inputs] if entry.inputs else [])
    yield from _row("frameworks", [", ".join(entry.frameworks)])
    yield from _row("shapes", [entry.rule.signature] if entry.rule.signature else [])
    yield from _row("examples", entry.examples())
    counts = compared(entry.rule)
    yield from _row("compared", [counts.text if counts else "by the tests; not counted yet"])
    yield from _row("rule", [f"typedtensors.ops.families.{entry.module}"])


def _row(title: str, texts: Iterable[str]) -> Iterator[str]:
    """A title beside texts below each other, if there are any."""
    for at, text in enumerate(texts):
        yield f"{_INDENT}{'' if at else title:{_TITLES}}{text}"


def _missing_lines(found: list[Missing]) -> Iterator[str]:
    count = sum(len(group.names) for group in found)
    for group in found:
        yield _heading(f"{group.reason} ({len(group.names)})")
        yield from _wrapped("  ".join(name.removeprefix("torch.") for name in group.names))
    share = 100 * count / len(surface())
    yield ""
    yield (
        f"{count} of {len(surface())} functions, methods and layers of torch {version()} "
        f"({share:.0f}%) have no rule: what they return is unknown"
    )


def _advice(asked: str) -> str:
    guesses = " or ".join(f"`{name}`" for name in similar(asked))
    return f", did you mean {guesses}?" if guesses else "; `typedtensors ops` lists those there are"
