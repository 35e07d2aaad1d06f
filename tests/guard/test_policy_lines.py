# SPDX-License-Identifier: Apache-2.0
"""Each line of the policy names the tests that hold it, and they exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
LINES = [
    line
    for line in (TESTS / "guard" / "POLICY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "held by" not in line
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split("|")[1].strip())
def test_line_is_held_by_tests_that_exist(line: str) -> None:
    named = NAMED.findall(line)
    assert named or "bench/" in line
    for file, test in named:
        assert f"def {test}(" in (TESTS / file).read_text(encoding="utf-8"), (file, test)
