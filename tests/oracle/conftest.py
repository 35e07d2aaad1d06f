# SPDX-License-Identifier: Apache-2.0
"""Prints what the oracle has judged at the end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.tally import TALLY

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was counted."""
    if TALLY.arrays:
        terminalreporter.section("inferred shapes beside those of runs")
        for line in TALLY.lines():
            terminalreporter.write_line(line)
