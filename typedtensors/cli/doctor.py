# SPDX-License-Identifier: Apache-2.0
"""`typedtensors doctor`: what is installed, what stands in the way, what would be read."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typedtensors import __version__
from typedtensors.cli.mypy_run import run_plugin
from typedtensors.cli.refusal import CLEAN, FOUND
from typedtensors.cli.sources import require_sources
from typedtensors.cli.terminal import Style, is_interactive, paint

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_EPILOG = """\
examples:
  typedtensors doctor                        what is installed, and what mypy's `files` hold
  typedtensors doctor src/                   what `typedtensors check src/` would read

Nothing is checked, and nothing of yours is run or imported.

exit status: 0 nothing stands in the way, 1 something does, 2 could not look
"""
_NEEDED = ("jaxtyping", "beartype", "einops")
_TENSORFLOWS = ("tensorflow", "tensorflow-cpu", "tf-nightly")
_FRAMEWORKS = ("torch", "numpy", "jax", *_TENSORFLOWS, "keras", "types-tensorflow")
# Distributions that do not go together with the plugin: what happens, and what to do.
_CONFLICTS = {
    "pyrefly-torch-stubs": "mypy stops with status 2 at any import of torch; "
    "fix: pip uninstall pyrefly-torch-stubs",
}
_DAEMON_STATUS = ".dmypy.json"
_MOST_FILES = 20


class Level(Enum):
    """What a line of the report is; only a problem changes the exit status."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


_LOOKS = {Level.OK: Style.GREEN, Level.NOTE: Style.CYAN, Level.PROBLEM: Style.RED}


@dataclass(frozen=True)
class Line:
    """One line of the report."""

    level: Level
    text: str


def add_to(verbs: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser(
        "doctor",
        help="say what is installed, what is in the way, and what would be read",
        description="Says which versions are installed and whether they go together, whether "
        "mypy's configuration switches the plugin on, which files would be read, and how many "
        "shape annotations they hold.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and folders (default: `files` in mypy's configuration)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report."""
    require_sources(arguments.paths)
    lines = list(_report(arguments.paths))
    colored = is_interactive(sys.stdout)
    for line in lines:
        print(f"{paint(f'{line.level.value:8}', _LOOKS[line.level], on=colored)} {line.text}")
    return FOUND if any(line.level is Level.PROBLEM for line in lines) else CLEAN


def _report(paths: Sequence[str]) -> Iterator[Line]:
    yield Line(Level.OK, f"typedtensors {__version__} on Python {platform.python_version()}")
    yield from _needed()
    mypy = _mypy()
    yield mypy
    yield from _conflicts()
    if mypy.level is Level.OK:
        yield from _project(paths)
    yield from _daemon()


def _installed(name: str) -> str | None:
    """Return the version of a distribution, from its metadata: nothing is imported."""
    try:
        return version(name) or "of unknown version"
    except PackageNotFoundError:
        return None


def _needed() -> Iterator[Line]:
    for name in _NEEDED:
        found = _installed(name)
        if found is None:
            yield Line(Level.PROBLEM, f"{name} is not installed; fix: pip install {name}")
        else:
            yield Line(Level.OK, f"{name} {found}")
    present = [f"{name} {found}" for name in _FRAMEWORKS if (found := _installed(name))]
    listed = ", ".join(present) if present else "no framework; the static check needs none"
    yield Line(Level.OK, listed)


def _mypy() -> Line:
    from typedtensors_mypy import FLOOR

    found = _installed("mypy")
    floor = ".".join(map(str, FLOOR))
    if found is None:
        return Line(Level.PROBLEM, 'mypy is not installed; fix: pip install "typedtensors[mypy]"')
    if _release(found) < FLOOR:
        return Line(
            Level.PROBLEM, f"mypy {found} is too old, {floor} is needed; fix: pip install -U mypy"
        )
    return Line(Level.OK, f"mypy {found} ({floor} or newer is supported)")


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in text.split(".")[:2])


def _conflicts() -> Iterator[Line]:
    for name, consequence in _CONFLICTS.items():
        found = _installed(name)
        if found is not None:
            yield Line(Level.PROBLEM, f"{name} {found} is installed: {consequence}")


def _project(paths: Sequence[str]) -> Iterator[Line]:
    """What mypy's configuration and the project's files say, found out in a process of its own."""
    done = run_plugin("commands.survey", ["--", *paths])
    try:
        found = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        yield Line(Level.PROBLEM, f"the project cannot be read: {reason[-1]}")
        return
    yield _plugin(found)
    yield from _files(found)


def _plugin(found: dict[str, Any]) -> Line:
    where = found["config_file"] or "mypy's configuration (there is none)"
    if found["has_plugin"]:
        return Line(Level.OK, f"the plugin is switched on in {where}")
    return Line(
        Level.NOTE,
        f"the plugin is not switched on in {where}: `typedtensors check` works, mypy itself finds "
        'nothing of ours; fix: plugins = ["typedtensors_mypy"]',
    )


def _files(found: dict[str, Any]) -> Iterator[Line]:
    files: list[str] = found["files"]
    if not files:
        yield Line(
            Level.NOTE,
            "no files to read; fix: name a folder, or set `files` in mypy's configuration",
        )
        return
    level = Level.OK if found["specs"] else Level.NOTE
    yield Line(level, f"files that would be read: {len(files)}; specs seen: {found['specs']}")
    for file in files[:_MOST_FILES]:
        yield Line(level, f"  {file}")
    if len(files) > _MOST_FILES:
        yield Line(level, f"  and {len(files) - _MOST_FILES} more")
    for file, reason in found["unread"].items():
        yield Line(Level.PROBLEM, f"{file}: no shape annotation can be read: {reason}")


def _daemon() -> Iterator[Line]:
    if Path(_DAEMON_STATUS).exists():
        yield Line(
            Level.NOTE,
            "dmypy runs here: it does not see edits of [tool.typedtensors], and `dmypy suggest` "
            "knows less of checked modules; fix: dmypy restart",
        )
