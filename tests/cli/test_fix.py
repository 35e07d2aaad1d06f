# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check --fix`: edits as a diff first, and none that leaves a choice."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

from tests.case_build import environment
from typedtensors.cli import main

PROGRAM = """\
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def loss(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    name = "Größe"; error = ((pred -  y) ** 2)
    return error.mean() + F.mse_loss(pred, y)


def centered(x: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    return x - x.mean(1)


def scaled(x: Float[Tensor, "n n"], weight: Float[Tensor, "n"]) -> Float[Tensor, "n n"]:
    return x * weight


def column(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> Float[Tensor, "n 1"]:
    return pred - y


def table(a: Float[Tensor, "n 1"], b: Float[Tensor, "n"]) -> Float[Tensor, "n n"]:
    return a * b
"""
EDITS = (
    ("pred -  y", "pred.squeeze(-1) -  y"),
    ("mse_loss(pred, y)", "mse_loss(pred.squeeze(-1), y)"),
    ("x.mean(1)", "x.mean(1, keepdim=True)"),
    ("return pred - y", "return pred - y.unsqueeze(-1)"),
)
FIXED = functools.reduce(lambda text, edit: text.replace(*edit), EDITS, PROGRAM)
ODD = {
    "crlf.py": PROGRAM.replace("\n", "\r\n").encode(),
    "mark.py": PROGRAM.encode("utf-8-sig"),
    "form_feed.py": PROGRAM.replace("\n\n\n", "\n\x0c\n").encode(),
    "separator.py": PROGRAM.replace("ö", "\u2028").encode(),
    "ended.py": PROGRAM.rstrip("\n").encode(),
    "./my train.py": PROGRAM.encode(),
}
LATIN = b"# coding: latin-1\n" + PROGRAM.encode("latin-1")


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Path:
    """A project with findings, which is the current folder."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    monkeypatch.setenv("MYPY_CACHE_DIR", str(request.config.cache.mkdir("mypy-check")))
    return tmp_path


def test_edits_are_shown_as_a_diff_and_nothing_is_written(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--fix", "train.py"]) == 1
    out, err = capfd.readouterr()
    changed = [line for line in out.splitlines() if line[:2] in {"+ ", "- "}]
    assert changed == [
        '-    name = "Größe"; error = ((pred -  y) ** 2)',
        "-    return error.mean() + F.mse_loss(pred, y)",
        '+    name = "Größe"; error = ((pred.squeeze(-1) -  y) ** 2)',
        "+    return error.mean() + F.mse_loss(pred.squeeze(-1), y)",
        "-    return x - x.mean(1)",
        "+    return x - x.mean(1, keepdim=True)",
        "-    return pred - y",
        "+    return pred - y.unsqueeze(-1)",
    ]
    assert err == "Would fix 4 findings in 1 file; --fix --write does\n"
    assert (project / "train.py").read_text(encoding="utf-8") == PROGRAM


def test_written_edits_leave_what_is_a_choice_or_would_be_an_error(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Which axis a weight belongs to is a choice; a table that is declared needs its broadcast."""
    assert main(["check", "--fix", "--write", "train.py"]) == 1
    assert (project / "train.py").read_text(encoding="utf-8") == FIXED
    out, err = capfd.readouterr()
    assert [line.split(":")[1] for line in out.splitlines()] == ["16", "24"]
    assert err.startswith("Fixed 4 findings in 1 file\n")
    assert main(["check", "--fix", "train.py"]) == 0
    assert capfd.readouterr().err == "Nothing to fix that leaves no choice\n"


def test_the_diff_makes_the_edits_that_are_written(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """In each file's own encoding, with its own line ends; and nothing besides is changed."""
    for name, source in ODD.items():
        (project / name).write_bytes(source)
    assert main(["check", "--fix", *ODD]) == 1
    # `git apply` takes a patch as it is, or not at all.
    patch = ["git", "apply", "-p0", "-"]
    subprocess.run(patch, cwd=project, input=capfdbinary.readouterr().out, check=True)
    patched = {name: (project / name).read_bytes() for name in ODD}
    for name, source in {**ODD, "latin.py": LATIN}.items():
        (project / name).write_bytes(source)
    main(["check", "--fix", "--write", *ODD, "latin.py"])
    written = {name: (project / name).read_bytes() for name in ODD}
    assert written == patched == {name: _edited(source) for name, source in ODD.items()}
    assert (project / "latin.py").read_bytes() == _edited(LATIN)


def _edited(source: bytes) -> bytes:
    for before, after in EDITS:
        source = source.replace(before.encode(), after.encode())
    return source


def test_write_alone_is_refused(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--write", str(project / "train.py")]) == 2
    assert "--write goes with --fix" in capfd.readouterr().err
