# SPDX-License-Identifier: Apache-2.0
"""`python -m typedtensors_mypy ARGS`: mypy, with the plugin switched on whatever the config says.

Takes mypy's own arguments and configuration, which mypy itself reads: so nothing in them can be
misunderstood. Prints one JSON object a report, and last the tally of the run. Without a tally,
mypy could not check. Three options of ours may come first, in this order: with `--tensors-only`,
mypy's own reports are not worth reading; with `--coverage`, the tally tells of each file how much
is known in it; the level of `--broadcasts LEVEL` holds for all modules.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from mypy.build import build
from mypy.errors import CompileError
from mypy.fscache import FileSystemCache
from mypy.version import __version__

from typedtensors_mypy import plugin
from typedtensors_mypy.commands.targets import PROGRAM, read_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy.modulefinder import BuildSource
    from mypy.options import Options

_TENSORS_ONLY = "--tensors-only"
_COVERAGE = "--coverage"
_BROADCASTS = "--broadcasts"
# mypy's own, for expressions of many terms.
_RECURSION_LIMIT = 2**14
# `--soft-error-limit`: from 200 errors on, mypy would hide what is not about imports.
_FLAGS = ("--output", "json", "--no-pretty", "--no-color-output", "--soft-error-limit", "-1")
# What these define is known to the op rules. Reading them takes mypy 20 seconds of CPU once, and
# a second in every run after; what is found is the same (a test compares).
_FRAMEWORKS = ("torch", "tensorflow", "keras", "jax", "numpy")


def main(arguments: Sequence[str]) -> None:
    """Run mypy and print what it found."""
    sys.setrecursionlimit(_RECURSION_LIMIT)
    hooks = plugin(__version__)
    # What follows may use names that an older mypy lacks; that one has been refused by now.
    from typedtensors_mypy.commands.coverage import coverage
    from typedtensors_mypy.commands.tally import tally
    from typedtensors_mypy.hooks import configured

    tensors_only, arguments = _flag(_TENSORS_ONLY, arguments)
    covers, arguments = _flag(_COVERAGE, arguments)
    level, rest = own_options(arguments)
    files = FileSystemCache()
    same = level is None and not covers
    sources, options = options_of(rest, files, tensors_only=tensors_only, same=same)
    if not same:
        options.plugins = [name for name in options.plugins if name != PROGRAM]
    # Not by `options.plugins`, which mypy reads only where there is a configuration file.
    own = [] if PROGRAM in options.plugins else [hooks(options, level)]
    try:
        result = build(sources, options, flush_errors=_print, fscache=files, extra_plugins=own)
    except CompileError:
        return  # Its messages have been printed.
    paths = {name: state.path for name, state in result.graph.items() if state.path}
    counted = asdict(tally(sources, paths, configured()))
    if covers:
        found = coverage(sources, paths, configured(), own[0].look_through)
        counted["coverage"] = {file: asdict(each) for file, each in found.items()}
    sys.stdout.write(json.dumps({"tally": counted}) + "\n")


def _flag(name: str, arguments: Sequence[str]) -> tuple[bool, Sequence[str]]:
    """Whether the arguments begin with a flag, and those behind it."""
    given = arguments[:1] == [name]
    return given, arguments[given:]


def own_options(arguments: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """The level that our own option names, and mypy's arguments behind it."""
    if arguments[:1] == [_BROADCASTS]:
        return arguments[1], arguments[2:]
    return None, arguments


def options_of(
    arguments: Sequence[str], files: FileSystemCache, *, tensors_only: bool, same: bool = False
) -> tuple[list[BuildSource], Options]:
    """What mypy would check, and how; `same`: as the user's own run of it would, if it is ours too.

    Ends the process if there is nothing to check, or if mypy does not like its arguments.
    """
    sources, options = read_targets([*_FLAGS, *arguments], files)
    if not sources:
        sys.exit("name a file or folder to check, or set `files` in mypy's configuration")
    _set_up_cache(options, same=same and not tensors_only)
    _leave_out(options)
    if tensors_only:
        _skip_frameworks(options)
    return sources, options


def _print(_file: str | None, messages: list[str], _serious: bool) -> None:  # noqa: FBT001 - mypy's
    sys.stdout.writelines(f"{message}\n" for message in messages)


def _set_up_cache(options: Options, *, same: bool) -> None:
    """Use a cache of our own, unless a user's run of mypy does just what this one does.

    A cache made with other plugins is void, libraries included: with one folder for both, each
    run would be as slow as the first.
    """
    same = same and PROGRAM in options.plugins
    if not same and options.cache_dir != os.devnull:
        options.cache_dir = os.path.join(options.cache_dir, "typedtensors")  # noqa: PTH118


def _leave_out(options: Options) -> None:
    """Leave out what a user's own run of mypy is for."""
    options.junit_xml = None
    options.report_dirs = {}
    options.num_workers = 0
    options.warn_unused_configs = False


def _skip_frameworks(options: Options) -> None:
    for name in _FRAMEWORKS:
        section = options.per_module_options.setdefault(f"{name}.*", {})
        section["follow_imports"] = "skip"


if __name__ == "__main__":
    main(sys.argv[1:])
