# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check PATHS`: mypy with the plugin, showing tensor findings only."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from typedtensors.cli import coverage
from typedtensors.cli.fix import fix
from typedtensors.cli.mypy_run import Message, Outcome, run_mypy
from typedtensors.cli.refusal import CLEAN, FOUND, REFUSED, RefusalError
from typedtensors.cli.sources import require_sources
from typedtensors.cli.terminal import Style, is_interactive, paint
from typedtensors.config import LEVELS, Config, ConfigError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_DESCRIPTION = """\
Checks shapes and broadcasts by reading the code: nothing is run, and neither torch nor the
project is imported or needs to be installed. mypy's own configuration is respected.
"""
_EPILOG = """\
examples:
  typedtensors check train.py
  typedtensors check src/ tests/
  typedtensors check --all src/              mypy's own errors too: one run instead of two
  typedtensors check --coverage src/         how many shapes are known, and why others are not
  typedtensors check --fix src/              edits of broadcasts as a diff; --fix --write makes them

The same findings come from mypy itself with `plugins = ["typedtensors_mypy"]` in its
configuration. `# type: ignore[tensor-shape]` silences a line, `# broadcast: ok` its broadcasts.

exit status: 0 nothing found, 1 something found or too little known, 2 could not check
"""


def add_to(verbs: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser(
        "check",
        help="find shape and broadcast bugs without running anything",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and folders (default: `files` in mypy's configuration)",
    )
    parser.add_argument(
        "--all", action="store_true", dest="show_all", help="show mypy's own errors too"
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="show for each file how many specs are read and how many shapes are known",
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="show the edits that remove findings and leave no choice, as a diff",
    )
    parser.add_argument(
        "--write", action="store_true", help="with --fix: make the edits, and check"
    )
    parser.add_argument(
        "--broadcasts",
        choices=LEVELS,
        metavar="LEVEL",
        help="which broadcasts count: allow, suspicious or explicit (default: as in "
        "[tool.typedtensors], else suspicious)",
    )
    parser.add_argument(
        "--mypy-config",
        metavar="FILE",
        help="mypy's configuration (default: the one mypy finds by itself)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check the paths and print what was found."""
    require_sources(arguments.paths)
    if arguments.mypy_config is not None and not Path(arguments.mypy_config).is_file():
        raise RefusalError(f"there is no file {arguments.mypy_config} in {Path.cwd()}")
    config = _config()
    if arguments.write and not arguments.fix:
        raise RefusalError("--write goes with --fix")
    if arguments.fix:
        options = (arguments.paths, arguments.mypy_config, arguments.broadcasts)
        is_found = fix(*options, write=arguments.write)
        if not arguments.write:
            return FOUND if is_found else CLEAN
    outcome = run_mypy(
        arguments.paths,
        arguments.mypy_config,
        tensors_only=not arguments.show_all,
        coverage=arguments.coverage or config.min_coverage > 0,
        broadcasts=arguments.broadcasts,
    )
    shown = [each for each in outcome.messages if arguments.show_all or each.is_ours]
    _show(shown)
    if outcome.blocked:
        _explain_block(outcome, shown)
        return REFUSED
    if outcome.unread:
        _explain_unread(outcome)
    if outcome.complaint and arguments.show_all:
        print(outcome.complaint, file=sys.stderr)
    if arguments.coverage:
        coverage.show(outcome)
    print(_summary(outcome, shown), file=sys.stderr)
    if outcome.unread:
        return REFUSED
    is_covered = coverage.require(outcome, config.min_coverage)
    return FOUND if any(each.is_error for each in shown) or not is_covered else CLEAN


def _config() -> Config:
    try:
        return Config.find(Path.cwd())
    except ConfigError as error:
        raise RefusalError(str(error)) from None


def _show(messages: list[Message]) -> None:
    colored = is_interactive(sys.stdout)
    for message in messages:
        print(_line(message, colored=colored))
        if colored:
            _show_source(message)


def _line(message: Message, *, colored: bool) -> str:
    """Return mypy's own format, which editors and CI services know."""
    # What concerns a whole file has no line.
    number = f"{message.line}:" if message.line > 0 else ""
    place = paint(f"{message.file}:{number}", Style.BOLD, on=colored)
    look = Style.RED if message.is_error else Style.CYAN
    severity = paint(f"{message.severity}:", look, on=colored)
    code = paint(f"  [{message.code}]", Style.DIM, on=colored) if message.shows_code else ""
    return f"{place} {severity} {message.text}{code}"


def _show_source(message: Message) -> None:
    try:
        lines = Path(message.file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    if message.is_error and 0 < message.line <= len(lines):
        print(paint(f"    {lines[message.line - 1].strip()}", Style.DIM, on=True))


def _explain_block(outcome: Outcome, shown: list[Message]) -> None:
    """Say what kept mypy from checking, unless it has been shown already."""
    for message in outcome.messages:
        if message not in shown:
            print(_line(message, colored=is_interactive(sys.stderr)), file=sys.stderr)
    if outcome.complaint:
        print(f"typedtensors check: {outcome.complaint}", file=sys.stderr)
    if outcome.messages:
        print("typedtensors check: mypy stopped there; fix that error first", file=sys.stderr)


def _explain_unread(outcome: Outcome) -> None:
    for file, reason in outcome.unread.items():
        print(f"{file}: no shape annotation could be read: {reason}", file=sys.stderr)


def _summary(outcome: Outcome, shown: list[Message]) -> str:
    kind = "tensor error" if all(each.is_ours for each in shown) else "error"
    errors = [each for each in shown if each.is_error]
    read = _count(outcome.specs, "spec")
    if outcome.specs < outcome.written:
        read = f"{outcome.specs} of {_count(outcome.written, 'spec')}"
    checked = f"checked {_count(outcome.files, 'file')}, {read} read"
    if outcome.excluded:
        checked += f", {_count(outcome.excluded, 'file')} excluded"
    colored = is_interactive(sys.stderr)
    if not errors:
        return f"{paint('No ' + kind + 's', Style.GREEN, on=colored)} ({checked})"
    where = _count(len({each.file for each in errors}), "file")
    found = paint(f"Found {_count(len(errors), kind)}", Style.RED, on=colored)
    return f"{found} in {where} ({checked})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
