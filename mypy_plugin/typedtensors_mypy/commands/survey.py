# SPDX-License-Identifier: Apache-2.0
"""`python -m typedtensors_mypy.commands.survey ARGS`: what mypy, given these arguments, would read.

Takes mypy's own arguments and configuration, as mypy reads them; checks nothing. Prints one JSON
object, the fields of `Survey`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mypy.fscache import FileSystemCache

from typedtensors.config import Config, ConfigError
from typedtensors_mypy.build import is_users
from typedtensors_mypy.commands.tally import tally
from typedtensors_mypy.commands.targets import PROGRAM, read_targets


@dataclass(frozen=True)
class Survey:
    """What mypy would do.

    Args:
        config_file: Where mypy's configuration is read; None if there is none.
        has_plugin: Whether it switches the plugin on.
        files: The files with code of the user's.
        specs: How many shape annotations can be read in them.
        unread: Files with shape annotations of which none can be read, and why.
    """

    config_file: str | None
    has_plugin: bool
    files: list[str]
    specs: int
    unread: dict[str, str]


def survey(arguments: Sequence[str], config: Config) -> Survey:
    """Read mypy's configuration and the files; mypy ends the process if it does not like them."""
    sources, options = read_targets(arguments, FileSystemCache())
    read = {
        source.module: source.path
        for source in sources
        if source.path and is_users(source.path) and not config.excludes(source.path)
    }
    counted = tally([source for source in sources if source.module in read], read, config)
    return Survey(
        options.config_file,
        PROGRAM in options.plugins,
        list(read.values()),
        counted.specs,
        counted.unread,
    )


def main(arguments: Sequence[str]) -> None:
    """Print the survey."""
    try:
        config = Config.find(Path.cwd())
    except ConfigError as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(asdict(survey(arguments, config))) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
