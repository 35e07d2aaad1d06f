# SPDX-License-Identifier: Apache-2.0
"""jaxtyping's own tests, fetched and made to import our names in place of theirs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TAG = "v0.3.11"
REPOSITORY = "https://github.com/patrick-kidger/jaxtyping"
# As its authors run it; newer releases of jax need a newer Python than ours.
REQUIREMENTS = (
    *("jaxtyping==0.3.11", "beartype==0.23.1", "typeguard==2.13.3", "jax[cpu]==0.8.1", "equinox"),
    *("einops", "cloudpickle", "ipython", "pytest", "pytest-asyncio>=1.2"),
)

# Every name of ours stands in for theirs; the rest (`PyTree`, `Array`) is theirs.
_DROP_IN = """
import jaxtyping
import typedtensors


def __getattr__(name):
    return getattr(typedtensors if name in typedtensors.__all__ else jaxtyping, name)
"""
_IMPORTS = (
    (re.compile(r"\bfrom jaxtyping import"), "from drop_in import"),
    (re.compile(r"\bimport jaxtyping\b(?!\.)"), "import drop_in as jaxtyping"),
)


class UnavailableError(Exception):
    """The tests, or what they need, can not be fetched."""


def fetch(folder: Path) -> None:
    """Put the tests into a folder, changed to import our names.

    Args:
        folder: a new one; an environment variable `JAXTYPING_CHECKOUT` names a clone to read.

    Raises:
        UnavailableError: there is no network.
    """
    clone = os.environ.get("JAXTYPING_CHECKOUT", str(folder / "clone"))
    if not Path(clone).exists():
        _run("git", "clone", "--quiet", "--depth=1", f"--branch={TAG}", REPOSITORY, clone)
    archive = folder / "tests.tar"
    _run("git", "-C", clone, "archive", f"--output={archive}", TAG, "test")
    shutil.unpack_archive(archive, folder)
    (folder / "drop_in.py").write_text(_DROP_IN, encoding="utf-8")
    for path in (folder / "test").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for pattern, replacement in _IMPORTS:
            text = pattern.sub(replacement, text)
        path.write_text(text, encoding="utf-8")


def make_environment(folder: Path) -> Path:
    """Make a virtual environment with what the tests need, and return its Python.

    Raises:
        UnavailableError: there is no network.
    """
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS)
        (folder / "complete").touch()
    return python


def run(folder: Path, python: Path) -> Mapping[str, str]:
    """Run the tests; return the outcome of each: `passed`, `skipped` or `failed`."""
    report = folder / "report.xml"
    paths = os.pathsep.join([str(ROOT), str(folder)])
    command = [str(python), "-m", "pytest", "-q", f"--junitxml={report}", "-p", "no:cacheprovider"]
    subprocess.run(
        [*command, "test"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "JAX_PLATFORMS": "cpu"},
        check=False,
        capture_output=True,
    )
    cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314  our own report
    return {f"{_module(case)}::{case.get('name')}": _outcome(case) for case in cases}


def _module(case: ET.Element) -> str:
    return str(case.get("classname")).rpartition(".")[2]


def _outcome(case: ET.Element) -> str:
    marks = {child.tag for child in case}
    if marks & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in marks else "passed"


def _run(*command: str) -> None:
    outcome: subprocess.CompletedProcess[str] = _execute(command)
    if outcome.returncode:
        raise UnavailableError(f"{' '.join(command)}: {outcome.stderr.strip()[-300:]}")


def _execute(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, capture_output=True, text=True)
