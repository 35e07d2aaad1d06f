# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check`: what it shows and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from typedtensors.cli import main

BUGGY = """\
from jaxtyping import Float
from torch import Tensor

def loss(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return ((pred - y) ** 2).mean()
"""
CLEAN = BUGGY.replace("n 1", "n")
NATIVE = "count: int = 'three'\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and the current folder."""
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_finding_has_mypys_format_and_the_status_1(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "train.py"]) == 1
    out, err = capfd.readouterr()
    assert out.startswith("train.py:5: error: ")
    assert out.endswith("  [tensor-broadcast]\n")
    assert err == "Found 1 tensor error in 1 file (checked 1 file, 3 specs read)\n"


def test_clean_code_has_the_status_0(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(CLEAN)
    assert main(["check", "train.py"]) == 0
    out, err = capfd.readouterr()
    assert (out, err) == ("", "No tensor errors (checked 1 file, 3 specs read)\n")


def test_a_second_run_says_the_same(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(BUGGY)
    first = main(["check", "train.py"]), capfd.readouterr()
    assert (main(["check", "train.py"]), capfd.readouterr()) == first


def test_mypys_own_errors_are_left_to_mypy(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(CLEAN + NATIVE)
    assert main(["check", "train.py"]) == 0
    assert capfd.readouterr().out == ""


def test_all_shows_mypys_errors_too(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(BUGGY + NATIVE)
    assert main(["check", "--all", "train.py"]) == 1
    out, err = capfd.readouterr()
    assert "[tensor-broadcast]" in out
    assert "[assignment]" in out
    assert err.startswith("Found 2 errors in 1 file")


def test_mypys_errors_do_not_hide_ours(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    many = "import no_such_module\n" + "".join(f"v{n}: int = 'x'\n" for n in range(300))
    (project / "train.py").write_text(BUGGY + many)
    assert main(["check", "train.py"]) == 1
    assert "[tensor-broadcast]" in capfd.readouterr().out


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
    ],
)
def test_what_cannot_be_checked_is_refused(
    arguments: list[str], complaint: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "empty").mkdir()
    (project / "x.py").touch()
    assert main(["check", *arguments]) == 2
    error = capfd.readouterr().err
    assert error.startswith("typedtensors check: ")
    assert complaint in error.replace("\n", " ")
    assert "Traceback" not in error


def test_a_slip_in_the_configuration_is_refused(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text("[tool.typedtensors]\nbroadcast = 'explicit'\n")
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "train.py"]) == 2
    error = capfd.readouterr().err
    assert 'unknown key "broadcast"; did you mean "broadcasts"?' in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("mypy.ini", "[mypy]\ndisable_error_code = tensor-broadcast\n", id="ini"),
        pytest.param("setup.cfg", "[mypy]\ndisable_error_code = tensor-broadcast\n", id="cfg"),
        pytest.param(
            "pyproject.toml",
            '[tool.mypy]\ndisable_error_code = ["tensor-broadcast"]\n',
            id="pyproject",
        ),
        pytest.param("mypy.ini", "[mypy]\n[mypy-train]\nignore_errors = true\n", id="section"),
    ],
)
def test_mypys_configuration_is_respected(
    name: str, text: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / name).write_text(text)
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "train.py"]) == 0
    assert capfd.readouterr().out == ""


def test_a_configuration_can_be_named(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "ci.ini").write_text("[mypy]\nfiles = train.py\n")
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "--mypy-config", "ci.ini"]) == 1
    assert "train.py:5" in capfd.readouterr().out


def test_a_line_can_be_silenced(project: Path) -> None:
    line = "    return ((pred - y) ** 2).mean()"
    ignored = BUGGY.replace(line, f"{line}  # type: ignore[tensor-broadcast]")
    (project / "train.py").write_text(ignored)
    assert main(["check", "train.py"]) == 0


def test_reveal_type_shows_the_shape(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(CLEAN.replace("return", "reveal_type(pred)\n    return"))
    assert main(["check", "train.py"]) == 0
    assert 'train.py:5: note: Revealed tensor is "Float[Tensor, \\"n\\"]"' in capfd.readouterr().out


def test_a_users_own_run_of_mypy_keeps_its_cache(project: Path) -> None:
    (project / "train.py").write_text(CLEAN)
    assert main(["check", "train.py"]) == 0
    assert {path.name for path in (project / ".mypy_cache").iterdir()} == {"typedtensors"}


def test_without_mypy_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert main(["check", str(tmp_path)]) == 2
    assert 'pip install "typedtensors[mypy]"' in capsys.readouterr().err


IMPORTED = """\
import sys
print(*(name for name in ("torch", "tensorflow", "train") if name in sys.modules))
"""


def test_nothing_that_is_checked_is_imported(project: Path) -> None:
    """A module that ends the process when it is imported can still be checked."""
    (project / "train.py").write_text(CLEAN + "raise SystemExit('imported')\n")
    probe = "import sys\nfrom typedtensors_mypy.__main__ import main\nmain(['train.py'])\n"
    command = [sys.executable, "-c", probe + IMPORTED]
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout.splitlines()[-1] == ""


def test_what_is_found_does_not_depend_on_what_mypy_reads_of_torch(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(BUGGY + NATIVE)
    main(["check", "train.py"])
    alone = capfd.readouterr().out.splitlines()
    main(["check", "--all", "train.py"])
    among = [line for line in capfd.readouterr().out.splitlines() if "[tensor-" in line]
    assert len(alone) == 1
    assert alone == among
