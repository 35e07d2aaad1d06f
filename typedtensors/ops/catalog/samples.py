# SPDX-License-Identifier: Apache-2.0
"""How the rules did on torch's own test inputs, as `make samples` last counted it.

torch's tests draw from two databases, which come with it: samples of calls and calls that raise, by
op, and samples of modules. The tests count anew, and fail where a rule is wrong.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PATH = Path(__file__).with_name("samples.txt")
_COUNTS = "samples, shape, dtype, open, faults, raising, rejected"
_HEADER = f"# Written by `make samples`. Counts: {_COUNTS}"


@dataclass(frozen=True)
class Counts:
    """How an op, or a module, did.

    Args:
        samples: The calls that torch's tests make.
        shape: Of them, those of whose result the rule says the whole shape.
        dtype: And those of which it says the one dtype.
        open: Those of which it says every size but the ones that differ with the elements.
        faults: Those where it says something else than torch does.
        raising: The calls that raise because of shapes.
        rejected: Of them, those that the rule reports.
    """

    samples: int = 0
    shape: int = 0
    dtype: int = 0
    open: int = 0
    faults: int = 0
    raising: int = 0
    rejected: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Of both together."""
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@cache
def table() -> Mapping[str, Counts]:
    """The counts by name, as torch's databases have it."""
    rows = (line.split() for line in _lines()[1:])
    return {name: Counts(*map(int, counts)) for name, *counts in rows}


def version() -> str:
    """The version of torch whose inputs they are."""
    return _lines()[0].rpartition("torch ")[2]


@cache
def _lines() -> list[str]:
    return PATH.read_text(encoding="utf-8").splitlines()


def write(found: Mapping[str, Counts], release: str) -> str:
    """The text of a file of counts."""
    rows = (" ".join((name, *map(str, astuple(found[name])))) for name in sorted(found))
    return "\n".join([f"{_HEADER}; torch {release}", *rows, ""])


def total(found: Iterable[Counts]) -> Counts:
    """Of all together."""
    return sum(found, Counts())
