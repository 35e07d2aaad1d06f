# SPDX-License-Identifier: Apache-2.0
"""The bug of examples/keras_regression: silent in a run, and told by the static check."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.case_build import ROOT, environment
from tests.tensorflow_arrays import needs_tensorflow

FOLDER = ROOT / "examples" / "keras_regression"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, *command]
    return subprocess.run(
        whole, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )


def line_of(file: str, text: str) -> int:
    lines = (FOLDER / file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("file", ["annotated.py", "train.py", "fitted.py"])
def test_the_static_check_names_line_and_fix(file: str) -> None:
    done = run("-m", "typedtensors", "check", str(FOLDER / file))
    line = line_of(file, "(y_true - y_pred)")
    assert done.returncode == 1, done.stderr
    assert f"examples/keras_regression/{file}:{line}: error: " in done.stdout
    assert "; fix: `y_true[..., None]` or `y_pred[..., 0]`" in done.stdout
    assert "[tensor-broadcast]" in done.stdout


@pytest.mark.parametrize("file", ["fixed.py", "model.py"])
def test_nothing_is_reported_where_there_is_no_bug(file: str) -> None:
    done = run("-m", "typedtensors", "check", str(FOLDER / file))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@needs_tensorflow
def test_the_demo_shows_what_it_says() -> None:
    done = run(str(FOLDER / "demo.py"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert [*map(float, re.findall(r"R2 on held-out data: (\S+)", done.stdout))] == [
        pytest.approx(-0.1, abs=0.15),
        pytest.approx(0.4, abs=0.1),
    ]
    line = line_of("buggy.py", "(y_true - y_pred)")
    assert f"buggy.py:{line}: error: `y_true - y_pred` broadcasts (None,)" in done.stderr
    assert "argument `y_pred` of `RelativeError.call`: 2 axes (?, 1)" in done.stderr
