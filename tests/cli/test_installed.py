# SPDX-License-Identifier: Apache-2.0
"""The wheel in an environment that has nothing else: no torch, no mypy, not even jaxtyping."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from typedtensors import __version__

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="tomli, which is needed there, is not in the wheel"
)


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `typedtensors`, installed from the wheel, without a network."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, check=True, capture_output=True, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return python.with_name("typedtensors")


def run(command: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command, out of sight of this working copy."""
    return subprocess.run(
        [str(command), *arguments],
        cwd=command.parent,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_knows_its_version(command: Path) -> None:
    done = run(command, "--version")
    assert (done.stdout, done.returncode) == (f"typedtensors {__version__}\n", 0)


def test_it_explains_a_code(command: Path) -> None:
    done = run(command, "explain", "tensor-broadcast")
    assert done.stdout.startswith("# tensor-broadcast\n")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("asked", "first"), [("nn.Linear", "torch.nn.Linear"), ("--missing", "called by Python")]
)
def test_it_tells_of_ops_without_a_framework(command: Path, asked: str, first: str) -> None:
    done = run(command, "ops", asked)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith(first)


def test_a_check_without_mypy_says_what_to_install(command: Path) -> None:
    done = run(command, "check", ".")
    expected = (
        'typedtensors check: mypy is not installed here; fix: pip install "typedtensors[mypy]"\n'
    )
    assert (done.stderr, done.returncode) == (expected, 2)


def test_a_guard_without_torch_says_what_to_install(command: Path) -> None:
    script = command.parent / "script.py"
    script.write_text("print('ran')")
    done = run(command, "run", "script.py")
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith("typedtensors run: a guard watches torch")
    assert done.stderr.count("\n") == 1
