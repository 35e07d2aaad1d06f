# SPDX-License-Identifier: Apache-2.0
"""The mypy plugin: tensor shapes, checked after mypy has checked the module.

Enable it with `plugins = ["typedtensors_mypy"]` in mypy's configuration.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from typedtensors_mypy.hooks import TypedTensors

# The first mypy that calls its plugins after a module has been checked, and was tested.
FLOOR = (2, 4)


def plugin(version: str) -> type[TypedTensors]:
    """The entry point that mypy calls with its own version.

    Ends the process, with exit status 2 and one line on stderr, if mypy cannot carry the plugin:
    an exception here would be printed as a traceback.
    """
    if _release(version) < FLOOR:
        needed = ".".join(map(str, FLOOR))
        _refuse(f"needs mypy {needed} or newer, this is mypy {version}; fix: pip install -U mypy")
    from typedtensors.config import ConfigError
    from typedtensors_mypy.hooks import TypedTensors, configured

    try:
        configured()
    except ConfigError as error:
        _refuse(str(error))
    return TypedTensors


def _release(version: str) -> tuple[int, ...]:
    """`(2, 4)` of `2.4.1+dev.0123`; a part that is no number counts as 0."""
    return tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])


def _refuse(why: str) -> NoReturn:
    sys.stderr.write(f"typedtensors: {why}\n")
    sys.exit(2)
