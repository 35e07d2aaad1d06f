# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check`: what it shows and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import BUGGY, CLEAN
from typedtensors.cli import main

NATIVE = "count: int = 'three'\n"


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


COVERED = """\
from jaxtyping import Float
from torch import Tensor

def known(x: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
    return x.sum(0)

def unknown(x: Tensor) -> Tensor:
    return x
"""
TABLE = """\
file      specs read    arrays known
train.py  2 of 2        3 of 5           60%
       1  a parameter whose annotation says no shape
total     2 of 2        3 of 5           60%
       1  a parameter whose annotation says no shape
"""


@pytest.mark.parametrize("option", ["--coverage", "--all"])
def test_the_coverage_is_a_table_and_no_error(
    option: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(COVERED)
    (project / "plain.py").write_text("x = 1\n")
    for _ in ("cold", "warm"):
        assert main(["check", "--coverage", option, "train.py", "plain.py"]) == 0
        assert capfd.readouterr().out == TABLE


@pytest.mark.parametrize(("least", "status"), [("60", 0), ("60.5", 1)])
def test_too_little_coverage_has_the_status_1(
    least: str, status: int, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.typedtensors]\nmin-coverage = {least}\n")
    (project / "train.py").write_text(COVERED)
    assert main(["check", "train.py"]) == status
    out, err = capfd.readouterr()
    assert out == ""
    assert ("shapes known: 60.0%, less than min-coverage = 60.5\n" in err) is bool(status)


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
    (project / "mypy.ini").write_text("[mypy]\n[mypy-torch.*]\nfollow_imports = skip\n")
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


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(["p/train.py", "p/train.py"], id="twice"),
        pytest.param(["p/train.py", "./p/../p/train.py"], id="two-paths"),
        pytest.param(["p", "p/train.py"], id="in-a-folder"),
        pytest.param(["link.py", "p/train.py"], id="a-link"),
    ],
)
def test_a_file_that_is_named_twice_is_checked_once(
    paths: list[str], project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "p").mkdir()
    (project / "p" / "train.py").write_text(BUGGY)
    (project / "link.py").symlink_to(project / "p" / "train.py")
    assert main(["check", *paths]) == 1
    assert "Found 1 tensor error in 1 file (checked 1 file" in capfd.readouterr().err


def test_files_that_are_excluded_do_not_count_as_checked(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text('[tool.typedtensors]\nexclude = ["train.py"]\n')
    (project / "train.py").write_text(BUGGY)
    (project / "other.py").write_text(CLEAN)
    assert main(["check", "train.py", "other.py"]) == 0
    summary = "No tensor errors (checked 1 file, 3 specs read, 1 file excluded)\n"
    assert capfd.readouterr().err == summary


# An option of all modules would void the cache that the tests share.
SECTION = "[mypy]\n[mypy-train]\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("mypy.ini", f"{SECTION}disable_error_code = tensor-broadcast\n", id="ini"),
        pytest.param("setup.cfg", f"{SECTION}disable_error_code = tensor\n", id="cfg-family"),
        pytest.param(
            "pyproject.toml",
            "[[tool.mypy.overrides]]\nmodule = 'train'\ndisable_error_code = ['tensor']\n",
            id="pyproject",
        ),
        pytest.param("mypy.ini", f"{SECTION}ignore_errors = true\n", id="all-errors"),
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
    assert 'train.py:5: note: Revealed tensor is "Float[Tensor, "n"]"\n' in capfd.readouterr().out


def test_a_users_own_run_of_mypy_keeps_its_cache(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MYPY_CACHE_DIR")
    (project / "train.py").write_text(CLEAN)
    assert main(["check", "train.py"]) == 0
    assert {path.name for path in (project / ".mypy_cache").iterdir()} == {"typedtensors"}


def test_without_mypy_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert main(["check", str(tmp_path)]) == 2
    assert 'pip install "typedtensors[mypy]"' in capsys.readouterr().err


def test_nothing_that_is_checked_is_imported(project: Path) -> None:
    """A module that ends the process when it is imported can still be checked."""
    (project / "train.py").write_text(CLEAN + "raise SystemExit('imported')\n")
    program = (
        "import sys\n"
        "from typedtensors_mypy.__main__ import main\n"
        "main(['--tensors-only', 'train.py'])\n"
        "print({'torch', 'tensorflow', 'numpy', 'jaxtyping', 'train'} & {*sys.modules})\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    read = {"files": 1, "excluded": 0, "specs": 3, "written": 3, "unread": {}}
    assert json.loads(done.stdout.splitlines()[0]) == {
        "tally": read | {"by_file": {"train.py": [3, 3]}}
    }
    assert done.stdout.splitlines()[1] == "set()"


def test_a_module_named_as_one_of_pythons_is_not_run(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "json.py").write_text("raise SystemExit('ran')\n")
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "train.py"]) == 1
    assert "train.py:5" in capfd.readouterr().out


def test_what_is_found_does_not_depend_on_what_mypy_reads_of_torch(
    project: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    (project / "mypy.ini").write_text("[mypy]\nplugins = typedtensors_mypy\n")
    (project / "train.py").write_text(BUGGY + NATIVE)
    main(["check", "train.py"])
    alone = capfd.readouterr().out.splitlines()
    # With the plugin in the configuration the whole run can take torch from the cases' cache.
    monkeypatch.setenv("MYPY_CACHE_DIR", str(request.config.cache.mkdir("mypy-cases")))
    main(["check", "--all", "train.py"])
    among = [line for line in capfd.readouterr().out.splitlines() if "[tensor-" in line]
    assert len(alone) == 1
    assert alone == among


def test_the_level_comes_from_the_command_else_from_the_configuration(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(BUGGY.replace("n 1", "b n"))
    assert main(["check", "train.py"]) == 0
    assert main(["check", "--broadcasts", "explicit", "train.py"]) == 1
    assert "(implicit)" in capfd.readouterr().out
    (project / "train.py").write_text(BUGGY)
    assert main(["check", "--broadcasts", "allow", "train.py"]) == 0
    assert main(["check", "train.py"]) == 1
    table = '[[tool.typedtensors.overrides]]\nmodule = "train"\nbroadcasts = "allow"\n'
    (project / "pyproject.toml").write_text(table)
    (project / "mypy.ini").write_text("[mypy]\nplugins = typedtensors_mypy\n")
    assert main(["check", "train.py"]) == 0
    assert main(["check", "--broadcasts", "suspicious", "train.py"]) == 1


UNREADABLE = """\
from jaxtyping import Float
from torch import Tensor

def f(x: Float[Tensor, {spec}]) -> None: ...
"""


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        pytest.param('f"batch {SIZE}"', "the spec cannot be read", id="f-string"),
        pytest.param("SHAPES[0]", "the spec cannot be read", id="computed"),
        pytest.param('"batch,d"', "comma", id="malformed"),
    ],
)
def test_a_file_of_which_no_spec_can_be_read_is_not_taken_for_clean(
    spec: str, reason: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(UNREADABLE.format(spec=spec))
    assert main(["check", "train.py"]) == 2
    error = capfd.readouterr().err
    assert error.startswith("train.py: no shape annotation could be read: line 4: ")
    assert reason in error


def test_one_spec_that_cannot_be_read_among_others_is_no_obstacle(project: Path) -> None:
    (project / "train.py").write_text(CLEAN + UNREADABLE.format(spec="SHAPES[0]"))
    assert main(["check", "train.py"]) == 0


def test_specs_of_imported_modules_are_counted(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "model.py").write_text(CLEAN)
    (project / "train.py").write_text("from model import loss\n")
    assert main(["check", "train.py"]) == 0
    assert "(checked 1 file, 3 specs read)" in capfd.readouterr().err
