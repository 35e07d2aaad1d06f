# SPDX-License-Identifier: Apache-2.0
"""`python -m typedtensors_mypy ARGS`: mypy, with the plugin switched on whatever the config says.

Takes mypy's own arguments and configuration, which mypy itself reads: so nothing in them can be
misunderstood. Prints one JSON object a report, and last the tally of the run. Without a tally,
mypy could not check.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from mypy.defaults import RECURSION_LIMIT
from mypy.fscache import FileSystemCache
from mypy.main import process_options, run_build

from typedtensors_mypy.tally import tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy.options import Options

_PLUGIN = "typedtensors_mypy"
# `--soft-error-limit`: from 200 errors on, mypy would hide what is not about imports.
_FLAGS = ("--output", "json", "--no-pretty", "--no-color-output", "--soft-error-limit", "-1")


def main(arguments: Sequence[str]) -> None:
    """Run mypy and print what it found."""
    sys.setrecursionlimit(RECURSION_LIMIT)
    files = FileSystemCache()
    sources, options = process_options(
        [*_FLAGS, *arguments], require_targets=False, fscache=files, program=_PLUGIN
    )
    if not sources:
        sys.exit("name a file or folder to check, or set `files` in mypy's configuration")
    _switch_on(options)
    # Both streams are one: to mypy a report that ends the run belongs on stderr.
    _, _, blocked = run_build(sources, options, files, time.time(), sys.stdout, sys.stdout)
    if not blocked:
        sys.stdout.write(json.dumps({"tally": asdict(tally(sources))}) + "\n")


def _switch_on(options: Options) -> None:
    """Add the plugin; leave out what a user's own run of mypy is for."""
    if _PLUGIN not in options.plugins:
        options.plugins = [*options.plugins, _PLUGIN]
        # A cache made with other plugins is void, libraries included: sharing one folder with
        # runs that lack ours would make each run of either as slow as the first.
        if options.cache_dir != os.devnull:
            options.cache_dir = os.path.join(options.cache_dir, "typedtensors")  # noqa: PTH118
    options.junit_xml = None
    options.report_dirs = {}
    options.num_workers = 0


if __name__ == "__main__":
    main(sys.argv[1:])
