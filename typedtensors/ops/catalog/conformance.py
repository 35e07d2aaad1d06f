# SPDX-License-Identifier: Apache-2.0
"""How each rule did beside its framework, as `make conformance` last counted it.

The tests compare every rule anew, and fail at the first call that it gets wrong. A rule that is
newer than the counts has none yet.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typedtensors.ops.rule import Rule

PATH = Path(__file__).with_name("conformance.txt")
_HEADER = "# Written by `make conformance`. Counts: agreed, rejected by both, unknown, missed"


@dataclass(frozen=True)
class Compared:
    """How many of the calls that were drawn for a rule came out how.

    Args:
        agreed: The result is the framework's.
        rejected: The rule reports a conflict, and the framework raises.
        unknown: The rule does not say.
        missed: The framework raises, for a reason that the rule does not see.
    """

    agreed: int
    rejected: int
    unknown: int
    missed: int

    @property
    def calls(self) -> int:
        """How many were drawn."""
        return sum(astuple(self))

    @property
    def text(self) -> str:
        """In words."""
        return (
            f"{self.calls} calls: {self.agreed} agree, {self.rejected} rejected by both, "
            f"{self.unknown} unknown, {self.missed} rejected by the framework alone"
        )


def compared(rule: Rule) -> Compared | None:
    """The counts of a rule, or None if it is newer than they are."""
    return _table().get(rule.names[0])


def versions() -> str:
    """The frameworks that were compared with: `torch 2.13.0, numpy 2.4.6`."""
    return _lines()[0].rpartition("; ")[2]


@cache
def _table() -> Mapping[str, Compared]:
    rows = (line.split() for line in _lines()[1:])
    return {name: Compared(*map(int, counts)) for name, *counts in rows}


@cache
def _lines() -> list[str]:
    return PATH.read_text(encoding="utf-8").splitlines()


def write(table: Mapping[str, Compared], frameworks: str) -> str:
    """The text of a file of counts, by the first name of each rule."""
    rows = (" ".join((name, *map(str, astuple(table[name])))) for name in sorted(table))
    return "\n".join([f"{_HEADER}; {frameworks}", *rows, ""])
