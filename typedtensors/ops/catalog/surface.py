# SPDX-License-Identifier: Apache-2.0
"""What torch has, read from `surface.txt`, so that saying what has no rule needs no torch.

`make surface` writes the file from the torch that is installed; a test compares the two.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PATH = Path(__file__).with_name("surface.txt")
_PRIVATE = re.compile(r"\.(?:_(?!_)|__(?:reduce_ex|setstate|deepcopy|repr|format)__)")
_HEADER = "# Written by `make surface`: the functions, methods and layers of torch"


@cache
def surface() -> tuple[str, ...]:
    """The public names of torch that take tensors, and its layers, sorted."""
    return tuple(line for line in _lines() if not line.startswith("#"))


@cache
def version() -> str:
    """The version of torch that has them."""
    return _lines()[0].rpartition(" ")[2]


def _lines() -> list[str]:
    return PATH.read_text(encoding="utf-8").splitlines()


def write(names: Iterable[str], release: str) -> str:
    """The text of a list of names."""
    return "\n".join([f"{_HEADER} {release}", *sorted(names), ""])


def is_public(name: str) -> bool:
    """Whether people may use a name: not `_values`, nor what pickling calls."""
    return _PRIVATE.search(name) is None
