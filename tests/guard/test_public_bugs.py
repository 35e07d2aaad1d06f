# SPDX-License-Identifier: Apache-2.0
"""Broadcast bugs from public reports: the buggy version is caught, the corrected one is silent."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

from typedtensors.guard import Report, guard

FOLDER = Path(os.environ.get("TYPEDTENSORS_SHARED", Path(__file__).parents[3] / "shared"))
CASES = sorted((FOLDER / "guard_cases").glob("*.py"))
REASONS = {"R1": "loss", "R2": "rank", "R2b": "twins", "R3": "twins", "R5": "ambiguous"}

pytestmark = [
    pytest.mark.skipif(not CASES, reason=f"no bug reports under {FOLDER}"),
    # torch itself warns about some of these losses.
    pytest.mark.filterwarnings("ignore:Using a target size:UserWarning"),
]


def expected(case: Path) -> str | None:
    """The reason that the header of a case states; None for what no guard can see."""
    stated = re.search(r"^# expect: \S+ (R\w+)", case.read_text(encoding="utf-8"), re.MULTILINE)
    return REASONS[stated[1]] if stated else None


def guarded(case: Path, version: str, level: str = "suspicious") -> Report:
    """The report on one version of a case."""
    functions = runpy.run_path(str(case))
    with guard(level, action="record") as report:
        functions[version]()
    return report


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_bug_is_caught_for_the_stated_reason(case: Path) -> None:
    reasons = [event.reason for event in guarded(case, "buggy").events]
    assert reasons[:1] == [reason for reason in [expected(case)] if reason]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_corrected_version_is_silent(case: Path) -> None:
    assert guarded(case, "fixed").events == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_event_names_the_line_and_its_expression(case: Path) -> None:
    lines = case.read_text(encoding="utf-8").splitlines()
    for event in guarded(case, "buggy", level="explicit").events:
        assert event.file == str(case)
        assert event.expression is not None
        assert event.expression in lines[event.line - 1]
