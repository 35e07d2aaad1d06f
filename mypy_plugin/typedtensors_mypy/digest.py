# SPDX-License-Identifier: Apache-2.0
"""What a cached result of ours depends on, apart from the user's sources."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.config import Config

_PACKAGES = ("typedtensors", "typedtensors_mypy")


def digest(config: Config) -> str:
    """A hash of our sources and the configuration.

    mypy hashes only the file of a plugin's entry point; without this a new rule would not reach
    modules that are in the cache, and mypy would say Success where there is an error.
    """
    found = hashlib.sha256(repr(config).encode())
    for path in sorted(_sources()):
        found.update(path.name.encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    for package in _PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield from Path(folder).rglob("*.py")
            yield from Path(folder).rglob("*.txt")  # the index of the rules
