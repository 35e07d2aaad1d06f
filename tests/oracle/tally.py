# SPDX-License-Identifier: Apache-2.0
"""What the oracle has judged so far in this run of the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.judge import Judgement


@dataclass
class Tally:
    """The expressions that were judged, and what of each example is known and is reported."""

    arrays: int = 0
    verified: int = 0
    sizes: int = 0
    wrong: int = 0
    coverage: dict[str, float] = field(default_factory=dict)
    slips: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, judgement: Judgement) -> None:
        """Count the expressions of a program."""
        self.arrays += len(judgement.arrays)
        self.verified += len(judgement.arrays & judgement.verified)
        self.sizes += len(judgement.sizes & judgement.verified)
        self.wrong += len(judgement.wrong)

    def lines(self) -> Iterator[str]:
        """The counts, for people."""
        yield (
            f"{self.arrays} array-valued expressions were run, {self.verified} of them with a "
            f"shape that was known and is so; {self.sizes} sizes; {self.wrong} wrong"
        )
        for name, share in sorted(self.coverage.items()):
            slips = self.slips.get(name, [])
            yield f"{name}: {share:.1%} known and so; {sum(slips)} of {len(slips)} slips reported"


TALLY = Tally()
