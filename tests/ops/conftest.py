# SPDX-License-Identifier: Apache-2.0
"""A line per module of rules at the end of a run: how often it decided, and how often not."""

from __future__ import annotations

import pytest

from tests.ops.conformance import tally

_VERDICTS = ("agreed", "rejected", "unknown", "missed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not tally:
        return
    terminalreporter.section("op rules beside their framework")
    for module in sorted({module for module, _ in tally}):
        counts = (f"{verdict} {tally[module, verdict]:6}" for verdict in _VERDICTS)
        terminalreporter.write_line(f"{module or 'no family':32}" + "  ".join(counts))
