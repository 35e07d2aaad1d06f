# SPDX-License-Identifier: Apache-2.0
"""`typedtensors run`: a program sees what it would see under `python`, and the guard besides."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_build import environment
from tests.tensorflow_arrays import needs_tensorflow
from typedtensors.cli import main

BUGGY = """\
import torch

def loss_of(pred, y):
    return ((pred - y) ** 2).mean()

print("before")
loss_of(torch.ones(4, 1), torch.ones(4))
print("after")
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `typedtensors run` in a folder."""
    command = [sys.executable, "-m", "typedtensors", "run", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment()
    )


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python` in a folder."""
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment()
    )


def test_a_silent_broadcast_stops_the_program_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUGGY)
    done = run(tmp_path, "train.py")
    assert (done.returncode, done.stdout) == (1, "before\n")
    assert 'File "train.py", line 7, in <module>' in done.stderr
    assert 'File "train.py", line 4, in loss_of' in done.stderr
    assert "return ((pred - y) ** 2).mean()" in done.stderr
    assert "[tensor-broadcast]" in done.stderr


def test_the_traceback_of_a_broadcast_shows_no_frame_but_the_users(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUGGY)
    trace = [line for line in run(tmp_path, "train.py").stderr.splitlines() if "File " in line]
    assert len(trace) == 2


def test_a_folder_that_is_called_as_this_package_is_the_users(tmp_path: Path) -> None:
    folder = tmp_path / "typedtensors"
    folder.mkdir()
    (folder / "train.py").write_text(BUGGY)
    assert 'File "train.py", line 4, in loss_of' in run(folder, "train.py").stderr


def test_a_warning_lets_the_program_go_on(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUGGY + "loss_of(torch.ones(3, 1), torch.ones(3))\n")
    done = run(tmp_path, "--action", "warn", "train.py")
    assert (done.returncode, done.stdout) == (0, "before\nafter\n")
    assert done.stderr.count("train.py:4") == 1
    assert "note: broadcasts that nobody asked for: 2, in 1 line" in done.stderr


def test_a_record_sums_up_at_the_end_however_that_comes(tmp_path: Path) -> None:
    program = BUGGY + "loss_of(torch.ones(4, 1), torch.ones(4))\nraise SystemExit(3)\n"
    (tmp_path / "train.py").write_text(program)
    done = run(tmp_path, "--action", "record", "--report", "seen.json", "train.py")
    assert (done.returncode, done.stdout) == (3, "before\nafter\n")
    assert done.stderr.count("train.py:4: warning: `pred - y` broadcasts") == 1
    assert "[tensor-broadcast] (2 times)" in done.stderr
    (event,) = json.loads((tmp_path / "seen.json").read_text())["events"]
    assert (event["line"], event["reason"], event["times"]) == (4, "rank", 2)


def test_dims_that_no_call_could_tell_apart_are_named_at_the_end(tmp_path: Path) -> None:
    program = """\
import torch
from jaxtyping import Float
from torch import Tensor
from typedtensors import typechecked

@typechecked
def score(x: Float[Tensor, "batch seq"]) -> Float[Tensor, "batch"]:
    return x.sum(1)

for size in SIZES:
    score(torch.ones(size))
"""
    (tmp_path / "same.py").write_text(program.replace("SIZES", "[(3, 3), (5, 5)]"))
    (tmp_path / "apart.py").write_text(program.replace("SIZES", "[(3, 3), (5, 7)]"))
    said = run(tmp_path, "same.py").stderr
    assert said.startswith("note: score: `batch` and `seq` had equal sizes in every call")
    assert run(tmp_path, "apart.py").stderr == ""


def test_a_level_that_allows_everything_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUGGY)
    assert run(tmp_path, "--guard", "allow", "train.py").returncode == 0


def test_the_level_comes_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUGGY)
    (tmp_path / "pyproject.toml").write_text('[tool.typedtensors]\nbroadcasts = "allow"\n')
    assert run(tmp_path, "train.py").returncode == 0
    assert run(tmp_path, "--guard", "suspicious", "train.py").returncode == 1


def test_the_level_of_a_module_counts_where_the_broadcast_is(tmp_path: Path) -> None:
    (tmp_path / "losses.py").write_text(BUGGY)
    (tmp_path / "train.py").write_text(
        "import losses\nimport torch\ntorch.eye(3) + torch.ones(3)\n"
    )
    table = '[[tool.typedtensors.overrides]]\nmodule = "{}"\nbroadcasts = "{}"\n'
    config = tmp_path / "pyproject.toml"
    config.write_text(table.format("losses", "allow"))
    assert "train.py:3" in run(tmp_path, "train.py").stderr
    config.write_text(table.format("losses", "allow") + table.format("train", "allow"))
    assert run(tmp_path, "train.py").returncode == 0
    assert run(tmp_path, "--guard", "suspicious", "train.py").returncode == 1


@pytest.mark.parametrize("allowed", ["train.py", "train.loss_of"])
def test_what_the_configuration_allows_is_no_finding(allowed: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BUGGY)
    (tmp_path / "pyproject.toml").write_text(f'[tool.typedtensors]\nallow = ["{allowed}"]\n')
    assert run(tmp_path, "train.py").returncode == 0


PROBE = """\
import sys
import neighbor
print(sys.argv, sys.path[0], __name__, __file__, __package__, __spec__ and __spec__.name)
print(sys.modules["__main__"].__dict__ is globals(), neighbor.__name__, __builtins__)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("jobs/probe.py", "--epochs", "3"), id="script"),
        pytest.param(("-m", "jobs.probe", "-m", "x"), id="module"),
        pytest.param(("-m", "jobs"), id="package"),
    ],
)
def test_a_program_sees_what_python_shows_it(arguments: tuple[str, ...], tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    for name in ("probe", "__main__"):
        (jobs / f"{name}.py").write_text(PROBE)
    (jobs / "__init__.py").touch()
    for folder in (jobs, tmp_path):
        (folder / "neighbor.py").touch()
    plain = python(tmp_path, *arguments)
    guarded = run(tmp_path, "--guard", "allow", *arguments)
    assert plain.returncode == 0
    assert (guarded.stdout, guarded.returncode) == (plain.stdout, 0)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("raise ValueError('mine')", id="exception"),
        pytest.param("import sys\nsys.exit(7)", id="exit-status"),
        pytest.param("import sys\nsys.exit('a message')", id="exit-message"),
        pytest.param("def f():\n    1 / 0\n\nf()", id="deeper"),
        pytest.param("x = (", id="syntax-error"),
        pytest.param(
            "try:\n    1 / 0\nexcept Exception as e:\n    raise OSError from e", id="cause"
        ),
        pytest.param("import sys\nsys.excepthook = lambda *_: print('hook')\n1 / 0", id="hook"),
        pytest.param("import atexit\natexit.register(print, 'bye')", id="atexit"),
    ],
)
def test_a_program_ends_as_it_does_under_python(program: str, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(program)
    plain, guarded = python(tmp_path, "job.py"), run(tmp_path, "--guard", "allow", "job.py")
    assert (guarded.returncode, guarded.stdout) == (plain.returncode, plain.stdout)
    assert guarded.stderr == plain.stderr


def test_an_interrupted_program_ends_as_it_does_under_python(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("raise KeyboardInterrupt\n")
    plain, guarded = python(tmp_path, "job.py"), run(tmp_path, "--guard", "allow", "job.py")
    assert guarded.stderr == plain.stderr
    # `python` ends by the signal, which a shell shows as this status.
    assert guarded.returncode == 128 - plain.returncode == 130


def test_two_dashes_may_come_before_the_program(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import sys\nprint(sys.argv)\n")
    assert run(tmp_path, "--guard", "allow", "--", "job.py", "-x").stdout == "['job.py', '-x']\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param([], "name a script", id="nothing"),
        pytest.param(["missing.py"], "there is no script missing.py", id="no-script"),
        pytest.param(["."], "is a folder", id="folder"),
        pytest.param(["-m", "no_such_module"], "there is no module no_such_module", id="no-module"),
        pytest.param(
            ["-m", "no_such.module"], "module no_such.module cannot be found", id="no-pkg"
        ),
        pytest.param(["-m", "_struct"], "has no Python code to run", id="extension"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["run", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("typedtensors run: ")
    assert complaint in error
    assert error.count("\n") == 1


def test_a_slip_in_the_configuration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.typedtensors]\nbroadcast = 'allow'\n")
    monkeypatch.chdir(tmp_path)
    assert main(["run", "train.py"]) == 2
    assert 'unknown key "broadcast"; did you mean "broadcasts"?' in capsys.readouterr().err


@needs_tensorflow
def test_a_program_of_tensorflow_is_stopped_at_its_line_in_its_own_source(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n\n"
        "@tf.function\n"
        "def loss_of(pred, y):\n"
        "    return tf.reduce_mean((pred - y) ** 2)\n\n"
        "loss_of(tf.ones((4, 1)), tf.ones(4))\n"
    )
    done = run(tmp_path, "train.py")
    assert done.returncode == 1
    assert 'File "train.py", line 7, in <module>' in done.stderr
    assert "train.py:5: error: `pred - y` broadcasts (4, 1) and (4,) to (4, 4)" in done.stderr
    assert "autograph" not in done.stderr
    assert run(tmp_path, "--guard", "allow", "train.py").returncode == 0
