# SPDX-License-Identifier: Apache-2.0
"""The examples of Keras under `typedtensors run`: silent if they are right, stopped at the bug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_build import ROOT, environment

EXAMPLES = ROOT / "examples"
CORRECT = [*sorted(EXAMPLES.glob("keras_*.py")), EXAMPLES / "keras_regression" / "fixed.py"]


def run(path: Path) -> subprocess.CompletedProcess[str]:
    """A program under a guard that stops it."""
    command = [sys.executable, "-m", "typedtensors", "run", "--guard", "suspicious", str(path)]
    env = environment() | {"TYPEDTENSORS_DEBUG": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: path.stem)
def test_program_without_a_mistake_runs_to_its_end(path: Path) -> None:
    done = run(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("name", ["buggy", "train"])
def test_bug_in_a_loss_stops_the_training_before_its_first_step(name: str) -> None:
    path = EXAMPLES / "keras_regression" / f"{name}.py"
    lines = path.read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if "y_true - y_pred" in text]
    done = run(path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"{name}.py:{line}: error: `y_true - y_pred` broadcasts" in done.stderr
    assert "fix: `y_true[..., None]` or `y_pred[..., 0]`" in done.stderr
