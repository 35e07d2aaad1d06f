# SPDX-License-Identifier: Apache-2.0
"""What a cached result of ours depends on, apart from the user's sources."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from io import FileIO
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.config import Config

_PACKAGES = ("typedtensors", "typedtensors_mypy")
_SUFFIXES = (".py", ".txt")  # the index of the rules is a text


def digest(config: Config) -> str:
    """A hash of our sources and the configuration.

    mypy hashes only the file of a plugin's entry point; without this a new rule would not reach
    modules that are in the cache, and mypy would say Success where there is an error.
    """
    found = hashlib.sha256(repr(config).encode())
    for entry in sorted(_sources(), key=attrgetter("path")):
        found.update(entry.name.encode())
        with FileIO(entry.path) as source:
            found.update(source.read())
    return found.hexdigest()[:16]


def _sources() -> Iterator[os.DirEntry[str]]:
    for package in _PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield from _inside(folder)


# Hundreds of files in every run, before it begins: with `Path.rglob` it takes four times as long.
def _inside(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _inside(entry.path)
            elif entry.name.endswith(_SUFFIXES):
                yield entry
