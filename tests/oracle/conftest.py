# SPDX-License-Identifier: Apache-2.0
"""Counts what the oracle has verified, and prints it at the end."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.oracle.judge import Judgement


@dataclass
class Tally:
    """The expressions that were judged."""

    arrays: int = 0
    verified: int = 0
    sizes: int = 0
    wrong: int = 0

    def add(self, judgement: Judgement) -> None:
        """Count those of a program."""
        self.arrays += len(judgement.arrays)
        self.verified += len(judgement.arrays & judgement.verified)
        self.sizes += len(judgement.sizes & judgement.verified)
        self.wrong += len(judgement.wrong)


_tally = Tally()


@pytest.fixture
def tally() -> Tally:
    """What has been counted so far."""
    return _tally


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was counted."""
    if _tally.arrays:
        terminalreporter.write_line(
            f"oracle: {_tally.arrays} array-valued expressions were run, {_tally.verified} of them "
            f"with a shape that was known and is so; {_tally.sizes} sizes; {_tally.wrong} wrong"
        )
