# SPDX-License-Identifier: Apache-2.0
"""pytest runs each test under a guard, where it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.running import run_pytest

TESTS = """
import pytest, torch
from jaxtyping import Float
from torch import Tensor
from typedtensors import typechecked

COLUMN, ROW = torch.ones(4, 1), torch.ones(4)

@typechecked
def score(x: Float[Tensor, "batch seq"]) -> Float[Tensor, "batch"]:
    return x.sum(1)

@pytest.fixture
def table():
    return COLUMN - ROW

def test_fine(table):
    score(torch.ones(3, 3))

def test_buggy():
    COLUMN - ROW

def test_bias():
    torch.ones(3, 4) + ROW
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_shapes.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def run(project: Path, *options: str) -> str:
    """Run the tests of a project, and return what pytest prints."""
    return run_pytest(project, "typedtensors_guard", "typedtensors.testing.guarded", *options)


def failed(text: str) -> set[str]:
    """Return the tests that failed."""
    return {name for name in ("fine", "buggy", "bias") if f"test_{name} FAILED" in text}


def test_no_test_is_guarded_unless_it_is_asked_for(project: Path) -> None:
    text = run(project)
    assert "3 passed" in text
    assert "cannot tell apart" not in text


def test_test_fails_at_its_first_finding(project: Path) -> None:
    text = run(project, "--tensor-guard=suspicious")
    assert failed(text) == {"buggy"}
    assert "`COLUMN - ROW` broadcasts (4, 1) and (4,) to (4, 4) (rank)" in text


def test_summary_names_dims_of_equal_sizes(project: Path) -> None:
    text = run(project, "--tensor-guard=suspicious")
    assert "sizes that the tests cannot tell apart" in text
    assert "score: `batch` and `seq` had equal sizes in every call, such as 3" in text


def test_level_may_come_from_either_configuration(project: Path) -> None:
    settings = '[tool.pytest.ini_options]\ntensor_guard = "explicit"\n'
    (project / "pyproject.toml").write_text(settings, encoding="utf-8")
    assert failed(run(project)) == {"buggy", "bias"}
    allowed = settings + '[tool.typedtensors]\nallow = ["test_shapes.test_buggy"]\n'
    (project / "pyproject.toml").write_text(allowed, encoding="utf-8")
    assert failed(run(project)) == {"bias"}
    (project / "pyproject.toml").write_text(settings.replace("ex", "x"), encoding="utf-8")
    assert "tensor_guard = 'xplicit': use one of" in run(project)


INSIDE = """
import torch
from torch.nn.functional import mse_loss
from typedtensors import guard

def loss(pred, target):
    return mse_loss(pred, target)

def test_inside():
    with guard():
        loss(torch.ones(4, 1), torch.ones(4))
"""


@pytest.mark.parametrize("option", ["--tensor-guard=suspicious", "--tensor-guard=allow"])
def test_traceback_ends_at_the_line_that_broadcasts(tmp_path: Path, option: str) -> None:
    (tmp_path / "test_inside.py").write_text(INSIDE, encoding="utf-8")
    text = run(tmp_path, option)
    assert "test_inside.py:7: BroadcastError" in text
    assert "handle_torch_function" not in text
    assert "__torch_function__" in run(tmp_path, option, "--full-trace")
