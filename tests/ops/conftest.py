# SPDX-License-Identifier: Apache-2.0
"""A line per module of rules at the end of a run: how often it decided, and how often not."""

from __future__ import annotations

import pytest
import torch

from tests.ops.conformance import tally

_VERDICTS = ("agreed", "rejected", "unknown", "missed")


@pytest.fixture(autouse=True)
def _distributions_check_their_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do by default, and no longer once `torch.compile` has run in the process."""
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not tally:
        return
    terminalreporter.section("op rules beside their framework")
    for module in sorted({module for module, _ in tally}):
        counts = (f"{verdict} {tally[module, verdict]:6}" for verdict in _VERDICTS)
        terminalreporter.write_line(f"{module or 'no family':32}" + "  ".join(counts))
