# SPDX-License-Identifier: Apache-2.0
"""Programs distilled from public reports: a broadcast bug is told by one check or the other."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
from pathlib import Path

import pytest

from tests.typedtensors_mypy.programs import findings
from typedtensors.guard import guard

FOLDER = Path(os.environ.get("TYPEDTENSORS_SHARED", Path(__file__).parents[3] / "shared"))
BUGS = [
    path
    for path in sorted((FOLDER / "cases").glob("*_bug.py"))
    if "# lint: broadcast" in path.read_text(encoding="utf-8")
]

pytestmark = [
    pytest.mark.skipif(not BUGS, reason=f"no cases under {FOLDER}"),
    pytest.mark.filterwarnings("ignore:Using a target size:UserWarning"),
]


def told_statically(case: Path) -> set[int]:
    """The lines of the findings of the static check."""
    source = case.read_text(encoding="utf-8")
    return {found.place.line for found in findings(source) if found.code is not None}


def told_under_a_guard(case: Path) -> set[int]:
    """The lines of the events of a run."""
    with guard(action="record") as report, contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(case), run_name="__main__")
    return {event.line for event in report.events}


def line_of_the_bug(case: Path) -> int:
    """The line that the header of a case names."""
    stated = re.search(r"^# bug_line: (\d+)", case.read_text(encoding="utf-8"), re.MULTILINE)
    assert stated is not None
    return int(stated[1])


@pytest.mark.parametrize("case", BUGS, ids=lambda case: case.stem)
def test_bug_is_told_at_its_line_by_one_check_or_the_other(case: Path) -> None:
    assert line_of_the_bug(case) in told_statically(case) | told_under_a_guard(case)


@pytest.mark.parametrize("case", BUGS, ids=lambda case: case.stem)
def test_corrected_twin_is_clean_in_both(case: Path) -> None:
    twin = case.with_name(case.name.replace("_bug", "_ok"))
    assert told_statically(twin) == told_under_a_guard(twin) == set()
