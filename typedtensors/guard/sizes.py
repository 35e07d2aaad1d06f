# SPDX-License-Identifier: Apache-2.0
"""Which dims of a function had equal sizes whenever it was called: a run cannot tell them apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Pair = tuple[str, str]


@dataclass(frozen=True)
class EqualSizes:
    """Two dims of a checked function that had one size, the same or a new one, in every call."""

    function: str
    names: tuple[str, str]
    size: int

    def __str__(self) -> str:
        one, two = self.names
        problem = f"`{one}` and `{two}` had equal sizes in every call, such as {self.size}"
        return f"{self.function}: {problem}; use distinct sizes, so that mixing them up shows"


@dataclass
class SizesSeen:
    """What each checked function was called with: the pairs of its dims that never differed."""

    _equal: dict[str, dict[Pair, int]] = field(default_factory=dict)
    _differed: dict[str, set[Pair]] = field(default_factory=dict)

    def note(self, function: str, sizes: Mapping[str, int]) -> None:
        """Note the sizes of one call."""
        equal = self._equal.setdefault(function, {})
        differed = self._differed.setdefault(function, set())
        for one, two in combinations(sorted(sizes), 2):
            if sizes[one] != sizes[two]:
                differed.add((one, two))
                equal.pop((one, two), None)
            elif (one, two) not in differed:
                equal[one, two] = sizes[one]

    def __iter__(self) -> Iterator[EqualSizes]:
        for function, equal in self._equal.items():
            for names, size in equal.items():
                yield EqualSizes(function, names, size)
