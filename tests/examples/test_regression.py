# SPDX-License-Identifier: Apache-2.0
"""The claims that the demo on real data makes, read off its own screens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_build import environment

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FOLDER = ROOT / "examples" / "regression"


@pytest.fixture(scope="module")
def screens() -> list[str]:
    """What `make demo` prints, a text for each step."""
    command = [sys.executable, "-W", "error", str(FOLDER / "demo.py")]
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout
    return re.split(r"^-{20,}$", done.stdout, flags=re.MULTILINE)[1:]


def screen(screens: list[str], command: str) -> str:
    """The screen of the step that runs a command."""
    (found,) = (each for each in screens if f"$ {command}\n" in each)
    return found


def r2(text: str) -> float:
    """The score that a script prints."""
    match = re.search(r"R2 on held-out data: (-?[\d.]+)", text)
    assert match is not None, text
    return float(match[1])


def line_of(file: str, code: str) -> int:
    """The number of the one line of an example that holds a piece of code."""
    lines = (FOLDER / file).read_text().splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if code in line)
    return number


def test_every_step_fits_on_a_screen(screens: list[str]) -> None:
    assert len(screens) == 6
    assert [len(text.splitlines()) for text in screens if len(text.splitlines()) > 30] == []


def test_the_buggy_script_trains_and_learns_nothing(screens: list[str]) -> None:
    text = screen(screens, "python examples/regression/buggy.py")
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", text)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 4 * losses[-1]
    assert abs(r2(text)) < 0.15


def test_the_fixed_script_learns(screens: list[str]) -> None:
    assert r2(screen(screens, "python examples/regression/fixed.py")) > 0.4


def test_the_guard_stops_the_unannotated_script_at_the_line(screens: list[str]) -> None:
    text = screen(screens, "typedtensors run --guard suspicious examples/regression/buggy.py")
    assert f'buggy.py", line {line_of("buggy.py", "(pred - y")}' in text
    assert "(342, 1)" in text
    assert "[tensor-broadcast]" in text
    assert "R2" not in text.replace("R2 near", "")


@pytest.mark.parametrize("file", ["annotated.py", "train.py"])
def test_the_static_check_names_line_and_fix(file: str, screens: list[str]) -> None:
    text = screen(screens, f"typedtensors check examples/regression/{file}")
    assert f"examples/regression/{file}:{line_of(file, '(pred - y)')}: error: " in text
    assert "; fix: " in text
    assert "[tensor-broadcast]" in text
    assert "Found 1 tensor error in 1 file" in text


def test_the_checked_function_names_the_argument_and_the_dim(screens: list[str]) -> None:
    text = screen(screens, "python examples/regression/checked.py")
    assert "mean_squared_error" in text
    assert re.search(r"\bpred\b.*342, 1", text)


def test_the_readme_shows_what_the_demo_prints(screens: list[str]) -> None:
    printed = "".join(screens).splitlines()
    (block,) = re.findall(r"^\$ make demo\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    shown = [line for line in block.splitlines() if line != "..."]
    assert len(shown) > 8
    assert [line for line in shown if line not in printed] == []


def test_the_fixed_script_passes_the_static_check() -> None:
    command = [sys.executable, "-m", "typedtensors", "check", str(FOLDER / "fixed.py")]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment()
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_fixed_script_passes_the_guard() -> None:
    command = [sys.executable, "-m", "typedtensors", "run", str(FOLDER / "fixed.py")]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert r2(done.stdout) > 0.4
