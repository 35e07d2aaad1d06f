# SPDX-License-Identifier: Apache-2.0
"""`typedtensors doctor`: what it finds, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_build import environment
from typedtensors.cli import doctor, main

SPECS = """\
from jaxtyping import Float
from torch import Tensor

def loss(pred: Float[Tensor, "n"], y: Float[Tensor, "n"]) -> Float[Tensor, ""]: ...
"""
SWITCHED_ON = '[tool.mypy]\nplugins = ["typedtensors_mypy"]\nfiles = ["train.py"]\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, which is the current folder."""
    (tmp_path / "pyproject.toml").write_text(SWITCHED_ON)
    (tmp_path / "train.py").write_text(SPECS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    return tmp_path


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str | None]:
    """Versions to pretend, by distribution; None for one that is not there."""
    versions: dict[str, str | None] = {}
    known = doctor._installed
    monkeypatch.setattr(
        doctor, "_installed", lambda name: versions[name] if name in versions else known(name)
    )
    return versions


def report(capfd: pytest.CaptureFixture[str], *paths: str) -> tuple[int, str]:
    status = main(["doctor", *paths])
    out, err = capfd.readouterr()
    assert err == ""
    return status, out


@pytest.mark.usefixtures("project")
def test_a_healthy_project_has_the_status_0(capfd: pytest.CaptureFixture[str]) -> None:
    status, out = report(capfd)
    assert status == 0
    assert "ok       the plugin is switched on in pyproject.toml\n" in out
    assert "ok       files that would be read: 1; specs seen: 3\nok         train.py\n" in out
    assert "2.4 or newer is supported" in out


def test_a_plugin_that_is_off_is_worth_a_note(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text("[tool.mypy]\n")
    status, out = report(capfd, "train.py")
    assert status == 0
    assert "note     the plugin is not switched on in pyproject.toml" in out


def test_files_that_are_excluded_are_not_read(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text('[tool.typedtensors]\nexclude = ["train.py"]\n')
    assert "note     no files to read" in report(capfd, ".")[1]


@pytest.mark.parametrize(
    ("name", "version", "words"),
    [
        pytest.param("pyrefly-torch-stubs", "0.1", "status 2 at any import of torch", id="stubs"),
        pytest.param("mypy", "1.19.1", "mypy 1.19.1 is too old, 2.4 is needed", id="old-mypy"),
        pytest.param("mypy", None, "mypy is not installed", id="no-mypy"),
        pytest.param("jaxtyping", None, "pip install jaxtyping", id="no-jaxtyping"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_stands_in_the_way_is_a_problem(
    name: str,
    version: str | None,
    words: str,
    installed: dict[str, str | None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    installed[name] = version
    status, out = report(capfd)
    assert status == 1
    (problem,) = [line for line in out.splitlines() if line.startswith("problem ")]
    assert words in problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("[tool.typedtensors]\nbroadcast = 1\n", "unknown key", id="ours"),
        pytest.param("[tool.mypy\n", "cannot be read", id="not-toml"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_one_line(
    text: str, words: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text(text)
    status, out = report(capfd, "train.py")
    assert status == 1
    assert words in out
    assert "Traceback" not in out


def test_specs_that_cannot_be_read_are_a_problem(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(SPECS.replace('"n"', "axes()").replace('""', "axes()"))
    status, out = report(capfd)
    assert status == 1
    assert "problem  train.py: no shape annotation can be read: line 4" in out


def test_a_daemon_is_worth_a_note(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / ".dmypy.json").write_text("{}")
    assert "fix: dmypy restart" in report(capfd)[1]


@pytest.mark.usefixtures("project")
def test_a_folder_that_is_not_there_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "nope"]) == 2
    assert "no file or folder nope" in capfd.readouterr().err
