# SPDX-License-Identifier: Apache-2.0
"""What mypy, given some arguments, is to check: each file once, and no two under one name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mypy.main import process_options

if TYPE_CHECKING:
    from mypy.fscache import FileSystemCache
    from mypy.modulefinder import BuildSource
    from mypy.options import Options

PROGRAM = "typedtensors_mypy"


def read_targets(
    arguments: Sequence[str], files: FileSystemCache
) -> tuple[list[BuildSource], Options]:
    """The sources and options that mypy makes of its arguments and its configuration.

    Ends the process, with one line on stderr, where they cannot be read or contradict each other.
    """
    try:
        sources, options = process_options(
            list(arguments), require_targets=False, fscache=files, program=PROGRAM
        )
    except OSError as error:
        sys.exit(f"mypy's configuration cannot be read: {error}")
    return _distinct(sources), options


def _distinct(sources: Iterable[BuildSource]) -> list[BuildSource]:
    """The sources, each file once, by whatever paths it was reached."""
    by_path: dict[object, BuildSource] = {}
    by_module: dict[str, BuildSource] = {}
    for source in sources:
        by_path.setdefault(Path(source.path).resolve() if source.path else source.module, source)
    for source in by_path.values():
        before = by_module.setdefault(source.module, source)
        if before is not source:
            sys.exit(_same_name(source.module, before.path, source.path))
    return list(by_path.values())


def _same_name(module: str, *paths: str | None) -> str:
    """Say why mypy would stop at once."""
    return (
        f"{' and '.join(map(str, paths))} would both be the module `{module}`; "
        "fix: check their folders one at a time, put an `__init__.py` into each, or set "
        "`explicit_package_bases` in mypy's configuration"
    )
