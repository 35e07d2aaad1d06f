# SPDX-License-Identifier: Apache-2.0
"""jaxtyping's own tests pass with our decorator and hook in place of theirs, but for a few."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.runtime.conformance.suite import ROOT, UnavailableError, fetch, make_environment, run

PAGE = ROOT / "docs" / "jaxtyping.md"
_ROW = re.compile(r"^\| `(test_\w+)::(test_\w+)` \|")


def deviations() -> set[str]:
    """The tests that the page lists, for all of their parameters."""
    rows = map(_ROW.match, PAGE.read_text(encoding="utf-8").splitlines())
    return {f"{row[1]}::{row[2]}" for row in rows if row is not None}


def test_the_page_lists_deviations() -> None:
    assert "test_messages::test_return" in deviations()


@pytest.mark.slow
def test_just_the_listed_tests_fail(tmp_path: Path) -> None:
    try:
        fetch(tmp_path)
        python = make_environment(ROOT / "build" / "jaxtyping-suite")
    except UnavailableError as reason:
        pytest.skip(str(reason))
    outcomes = run(tmp_path, python)
    # One test asks for a package that exists for Macs only.
    outcomes = {name: each for name, each in outcomes.items() if "::test_mlx[" not in name}
    failed = {name.partition("[")[0] for name, each in outcomes.items() if each == "failed"}
    assert failed == deviations()
    assert Counter(outcomes.values())["passed"] > 250
