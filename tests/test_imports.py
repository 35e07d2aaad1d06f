# SPDX-License-Identifier: Apache-2.0
"""Light imports, one direction: the promises that import-linter cannot prove."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest

import typedtensors

ROOT = Path(__file__).resolve().parent.parent
CORE = ("diagnostics", "dims", "shapes", "ops")


def _loaded_by(statement: str) -> set[str]:
    """Return what a fresh interpreter loads for `statement`, besides the standard library.

    Only top-level names, and not what the interpreter's own start-up loads.
    """
    probe = (
        "import json, sys; before = {*sys.modules}\n"
        f"{statement}\n"
        "names = {name.partition('.')[0] for name in {*sys.modules} - before}\n"
        "print(json.dumps(sorted(names - sys.stdlib_module_names)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", probe],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'mypy_plugin'}"},
    )
    return {*json.loads(run.stdout)}


def _foreign_imports(source: str) -> Iterator[str]:
    """Yield what a core module imports besides the standard library and this package."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names = [node.module]
        for name in names:
            if name.partition(".")[0] not in {*sys.stdlib_module_names, "typedtensors"}:
                yield name


@pytest.mark.parametrize("module", ["typedtensors", *(f"typedtensors.{room}" for room in CORE)])
def test_the_package_and_its_core_load_the_standard_library_only(module: str) -> None:
    assert _loaded_by(f"import {module}") == {"typedtensors"}


@pytest.mark.parametrize("module", ["jaxtyping", "pytest", "hypothesis"])
def test_the_import_probe_sees_what_is_loaded(module: str) -> None:
    assert module in _loaded_by(f"import json, {module}")


def test_a_dtype_loads_jaxtyping_and_no_framework() -> None:
    loaded = _loaded_by("from typedtensors import Float")
    assert "jaxtyping" in loaded
    assert not {"torch", "tensorflow", "jax", "mypy", "beartype"} & loaded


def test_the_guard_is_imported_without_torch() -> None:
    assert _loaded_by("from typedtensors import guard, allow_broadcast") == {"typedtensors"}


@pytest.mark.parametrize("room", CORE)
def test_core_rooms_import_the_standard_library_only(room: str) -> None:
    files = list((ROOT / "typedtensors" / room).rglob("*.py"))
    assert files
    assert {
        path.name: foreign
        for path in files
        if (foreign := list(_foreign_imports(path.read_text())))
    } == {}


@pytest.mark.parametrize("line", ["import torch.nn", "def f():\n    from numpy import array"])
def test_the_scan_of_core_rooms_sees_foreign_imports(line: str) -> None:
    assert list(_foreign_imports(line)) != []


def test_every_dtype_of_jaxtyping_is_re_exported() -> None:
    dtypes = {
        name
        for name, value in vars(jaxtyping).items()
        if isinstance(value, type)
        and issubclass(value, jaxtyping.AbstractDtype)
        and value is not jaxtyping.AbstractDtype
    }
    assert dtypes
    for name in dtypes:
        assert getattr(typedtensors, name) is getattr(jaxtyping, name)
    assert dtypes <= {*typedtensors.__all__}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'typedtensors' has no attribute 'Flaot'"):
        _ = typedtensors.Flaot  # type: ignore[attr-defined]


def test_public_names_are_listed_before_they_are_used() -> None:
    assert {"Float", "align", "guard", "typechecked"} <= {*dir(typedtensors)}


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("pass", id="nothing"),
        pytest.param("import typedtensors.guard", id="the-room"),
        pytest.param("from typedtensors.guard.session import Guard", id="a-part-of-the-room"),
        pytest.param("from typedtensors import guard", id="the-name"),
    ],
)
def test_a_public_name_wins_over_its_room_whatever_was_imported_before(before: str) -> None:
    """`guard` names a room, too."""
    use = "from typedtensors import guard"
    check = "assert guard.__module__ == 'typedtensors.guard.session'"
    assert _loaded_by(f"{before}\n{use}\n{check}") == {"typedtensors"}


def test_what_is_for_arrays_works_without_a_framework() -> None:
    run = subprocess.run(
        [sys.executable, ROOT / "tools" / "smoke.py"],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == 0, run.stderr
