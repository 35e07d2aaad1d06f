# SPDX-License-Identifier: Apache-2.0
"""The README says nothing that is not so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_build import differences, environment, lay_out, run_mypy
from tests.case_files import Case, read_cases
from typedtensors.diagnostics import codes

README = Path(__file__).resolve().parent.parent / "README.md"
CASES = read_cases(README)
RUNNABLE = [case for case in CASES if not case.expectations]


def test_what_mypy_says_of_each_example_is_what_the_readme_says(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    places = lay_out(CASES, tmp_path)
    messages = run_mypy(tmp_path, tmp_path_factory.getbasetemp().parent / "readme-cache")
    found = {
        case.name: differences(
            case, [each for each in messages if (tmp_path / each.path).is_relative_to(place)]
        )
        for case, place in places.items()
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("case", RUNNABLE, ids=lambda case: case.name)
def test_an_example_without_findings_runs(case: Case, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(case.files["main.py"])
    command = [sys.executable, "-W", "error", "main.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_code_is_in_the_table() -> None:
    rows = [f"| `{code.name}` | {code.summary} |" for code in codes.ALL]
    assert [row for row in rows if row not in README.read_text()] == []
