# SPDX-License-Identifier: Apache-2.0
"""The README says nothing that is not so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_build import environment
from tests.case_files import Case, read_cases
from typedtensors.diagnostics import codes

README = Path(__file__).resolve().parent.parent / "README.md"
# The others show findings; those are checked with all the cases.
RUNNABLE = [case for case in read_cases(README) if not case.expectations]


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
