# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check`: what it cannot check, and what it says then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.programs import BUGGY
from typedtensors.cli import main


def test_a_syntax_error_is_mypys_message_and_the_status_2(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text("def f(:\n")
    assert main(["check", "train.py"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("train.py:1: error: ")
    assert err.endswith("mypy stopped there; fix that error first\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["missing.py"], "there is no file or folder missing.py", id="missing-file"),
        pytest.param(["empty"], "no .py[i] files in directory 'empty'", id="empty-folder"),
        pytest.param([], "name a file or folder to check", id="nothing"),
        pytest.param(["--mypy-config", "no.ini", "x.py"], "there is no file", id="no-config"),
        pytest.param(["--mypy-config", "empty", "x.py"], "there is no file", id="config-folder"),
        pytest.param(["notes.txt"], "name files that end in .py, or folders", id="text"),
        pytest.param(["train.ipynb"], "`jupyter nbconvert --to script`", id="notebook"),
        pytest.param(["train"], "give it a name that ends in .py", id="no-ending"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    arguments: list[str], complaint: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "empty").mkdir()
    for name in ("x.py", "notes.txt", "train.ipynb", "train"):
        (project / name).touch()
    assert main(["check", *arguments]) == 2
    error = capfd.readouterr().err
    assert error.startswith("typedtensors check: ")
    assert complaint in error.replace("\n", " ")
    assert "Traceback" not in error


def test_two_files_of_one_name_are_refused_with_advice(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for folder in ("a", "b"):
        (project / folder).mkdir()
        (project / folder / "train.py").touch()
    assert main(["check", "a/train.py", "b/train.py"]) == 2
    error = capfd.readouterr().err
    assert "a/train.py and b/train.py would both be the module `train`; fix: " in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("fix", ["__init__.py", "explicit_package_bases"])
def test_the_advice_about_files_of_one_name_is_good(fix: str, project: Path) -> None:
    for folder in ("a", "b"):
        (project / folder).mkdir()
        (project / folder / "train.py").touch()
        if fix == "__init__.py":
            (project / folder / fix).touch()
    if fix != "__init__.py":
        (project / "mypy.ini").write_text(f"[mypy]\n{fix} = true\n")
    assert main(["check", "a", "b"]) == 0


@pytest.mark.parametrize("name", ["pyproject.toml", "mypy.ini", ".mypy.ini", "setup.cfg"])
def test_a_folder_in_the_place_of_a_configuration_ends_in_no_traceback(
    name: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").unlink()
    (project / name).mkdir()
    (project / "train.py").write_text(BUGGY)
    status = main(["check", "train.py"])
    error = capfd.readouterr().err
    assert status == (2 if name == "pyproject.toml" else 1)
    assert error.count("\n") == 1
    assert "pyproject.toml: cannot be read: " in error or status == 1


def test_a_bad_configuration_of_mypys_is_one_sentence(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "mypy.ini").write_text("[mypy]\npython_version = 2.7\n")
    (project / "train.py").touch()
    assert main(["check", "train.py"]) == 2
    error = capfd.readouterr().err
    assert error.startswith("typedtensors check: Mypy no longer supports checking Python 2")
    assert error.count("\n") == 1


def test_a_slip_in_the_configuration_is_refused(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text("[tool.typedtensors]\nbroadcast = 'explicit'\n")
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "train.py"]) == 2
    error = capfd.readouterr().err
    assert 'unknown key "broadcast"; did you mean "broadcasts"?' in error
    assert error.count("\n") == 1
