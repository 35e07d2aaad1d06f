# SPDX-License-Identifier: Apache-2.0
"""`typedtensors run SCRIPT`: a program under the guard."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from typedtensors.cli.refusal import CLEAN, FOUND, INTERRUPTED, RefusalError
from typedtensors.cli.script import Program, load_module, load_script
from typedtensors.cli.terminal import Style, is_interactive, paint
from typedtensors.config import LEVELS, Config, ConfigError
from typedtensors.guard import BroadcastError, GuardEvent, Report, guard
from typedtensors.shapes.broadcast import Level, Reason

if TYPE_CHECKING:
    from argparse import _SubParsersAction
    from collections.abc import Callable

_DESCRIPTION = """\
Runs a program as python would, and stops it at the first broadcast that nobody asked for.
The program needs no change and no annotation. Its arguments follow its name.
"""
_EPILOG = """\
levels:
  suspicious   broadcasts that are nearly always mistakes, such as (32, 1) - (32,)
  explicit     every broadcast that is not written out
  allow        none

examples:
  typedtensors run train.py
  typedtensors run --guard explicit train.py --epochs 3
  typedtensors run --action warn -m package.train
"""
# What a traceback leaves out as ours.
_PACKAGE = Path(__file__).parents[1]
# In the names of the files that TensorFlow's AutoGraph writes.
_CONVERTED = "__autograph_generated_file"


def add_to(verbs: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser(
        "run",
        help="run a program under the guard",
        usage="typedtensors run [OPTIONS] (SCRIPT | -m MODULE) [ARGS ...]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--guard",
        choices=LEVELS,
        metavar="LEVEL",
        help="which broadcasts count (default: `broadcasts` of [tool.typedtensors], "
        "else suspicious)",
    )
    parser.add_argument(
        "--action",
        choices=("raise", "warn", "record"),
        default="raise",
        help="stop at the first (default), warn and go on, or only sum them up in the end",
    )
    parser.add_argument(
        "--report", metavar="FILE", type=Path, help="write what the guard saw to a file, as JSON"
    )
    parser.add_argument("-m", dest="as_module", action="store_true", help="run a module")
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the program; a broadcast that the level forbids makes it fail."""
    if arguments.program in ([], ["--"]):
        raise RefusalError("name a script, as in: typedtensors run train.py")
    config = _config()
    if arguments.guard is not None:
        config = config.at_level(arguments.guard)
    name, *rest = arguments.program[arguments.program[0] == "--" :]
    try:
        program = load_module(name) if arguments.as_module else load_script(name)
    except SyntaxError as error:
        return _end_as_python_does(error.with_traceback(None))
    with ExitStack() as stack:
        if config.strictest != "allow":
            _enter_guard(stack, arguments, config)
        return _execute(program, rest)


def _sum_up(report: Report, arguments: argparse.Namespace) -> None:
    """Say at the end of a run what its sizes hid, and which broadcasts it had if nobody has yet."""
    if arguments.report is not None:
        arguments.report.write_text(json.dumps(report.as_json(), indent=2) + "\n", "utf-8")
    for event in report.events if arguments.action == "record" else ():
        found = f"{event.diagnostic.text}  [{event.diagnostic.code}]"
        times = f" ({report.times(event)} times)" if report.times(event) > 1 else ""
        print(f"{_short(event.file)}:{event.line}: warning: {found}{times}", file=sys.stderr)
    if arguments.action == "warn" and report.events:
        total = sum(map(report.times, report.events))
        lines = len({(event.file, event.line) for event in report.events})
        where = "1 line" if lines == 1 else f"{lines} lines"
        print(f"note: broadcasts that nobody asked for: {total}, in {where}", file=sys.stderr)
    for equal in report.equal_sizes:
        print(f"note: {equal}", file=sys.stderr)


def _enter_guard(stack: ExitStack, arguments: argparse.Namespace, config: Config) -> None:
    try:
        watch = guard(config.strictest, arguments.action, allows=allowed_by(config))
        # However the program ends, and when the guard is off again.
        stack.callback(_sum_up, watch.report, arguments)
        stack.enter_context(watch)
    except ImportError as error:
        raise RefusalError(str(error)) from None


def allowed_by(config: Config) -> Callable[[GuardEvent], bool]:
    """Whether a configuration lets an event pass: by its module's level, or by name."""

    def allows(event: GuardEvent) -> bool:
        level = Level(config.level(event.module))
        return not level.reports(Reason(event.reason)) or config.allows(event.file, event.function)

    return allows


def _execute(program: Program, rest: list[str]) -> int:
    try:
        program.execute(rest)
    except BroadcastError as error:
        _show_broadcast(error)
        return FOUND
    except KeyboardInterrupt as error:
        _end_as_python_does(error.with_traceback(_of_program(error.__traceback__)))
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - what the program raises is its own business
        return _end_as_python_does(error.with_traceback(_of_program(error.__traceback__)))
    return CLEAN


def _end_as_python_does(error: BaseException) -> int:
    sys.excepthook(type(error), error, error.__traceback__)
    return FOUND


def _config() -> Config:
    try:
        return Config.find(Path.cwd())
    except ConfigError as error:
        raise RefusalError(str(error)) from None


def _show_broadcast(error: BroadcastError) -> None:
    """Print the finding last, where the eye is, under the user's own frames."""
    frames = traceback.extract_tb(_of_program(error.__traceback__))
    print("Traceback (your frames only, most recent call last):", file=sys.stderr)
    for frame in frames:
        if _is_users(frame.filename):
            place = f'  File "{_short(frame.filename)}", line {frame.lineno}, in {frame.name}'
            print(f"{place}\n    {frame.line}", file=sys.stderr)
    found = f"{error.diagnostic.text}  [{error.diagnostic.code}]"
    text = f"{_short(error.event.file)}:{error.event.line}: error: {found}"
    print(paint(text, Style.RED, on=is_interactive(sys.stderr)), file=sys.stderr)


def _of_program(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins in the program: none of our own frames."""
    here = str(Path(__file__).parent)
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(here):
        trace = trace.tb_next
    return trace


def _is_users(file: str) -> bool:
    # By its path, not its name: a user's folder, or a clone, may be called `typedtensors` too.
    if file.startswith("<") or _CONVERTED in file or Path(file).is_relative_to(_PACKAGE):
        return False
    return {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _short(file: str) -> str:
    """Write a file as its user would: relative to the current folder if it is in there."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
