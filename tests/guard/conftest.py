# SPDX-License-Identifier: Apache-2.0
"""A bug of ours ends a test, where it would only be a warning to a user."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _our_bugs_are_fatal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS_DEBUG", "1")
