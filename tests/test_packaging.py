# SPDX-License-Identifier: Apache-2.0
"""What a user installs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel_files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the paths in a wheel built with the installed backend, so without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_two_import_packages_and_nothing_else(wheel_files: list[str]) -> None:
    top = {name.partition("/")[0] for name in wheel_files}
    assert {name for name in top if not name.endswith(".dist-info")} == {
        "typedtensors",
        "typedtensors_mypy",
    }


@pytest.mark.parametrize(
    "path",
    [
        "typedtensors/py.typed",
        "typedtensors/diagnostics/pages/tensor-shape.md",
        "typedtensors/ops/index.txt",
        "typedtensors/ops/catalog/conformance.txt",
        "typedtensors/ops/catalog/samples.txt",
        "typedtensors/ops/catalog/surface.txt",
        "typedtensors_mypy/__init__.py",
        "typedtensors_mypy/py.typed",
    ],
)
def test_the_wheel_holds(path: str, wheel_files: list[str]) -> None:
    assert path in wheel_files


def test_the_container_of_the_plugin_is_no_package() -> None:
    assert not (ROOT / "mypy_plugin" / "__init__.py").exists()
