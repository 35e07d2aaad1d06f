# SPDX-License-Identifier: Apache-2.0
"""pytest checks the packages that it is told to, without a change to them or to their tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.running import run_pytest

PACKAGE = """
import numpy as np
from jaxtyping import Float

def scale(x: Float[np.ndarray, "n"], w: Float[np.ndarray, "n"], by: int = 2):
    return x * w * by
"""
TESTS = """
import numpy as np
from shop.prices import scale

def test_sizes():
    scale(np.ones(3), np.ones(1))

def test_other_types():
    scale(np.ones(3), np.ones(3), by=0.5)

def test_asserts_are_explained():
    found = len("ab")
    assert found == 3
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "shop/__init__.py": "",
        "shop/prices.py": PACKAGE,
        "shop/test_prices.py": TESTS,
        "conftest.py": "import shop.prices\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def run(project: Path, *options: str) -> str:
    """Run the tests of a project, and return what pytest prints."""
    return run_pytest(project, "typedtensors", "typedtensors.testing.plugin", *options)


def passed(text: str) -> set[str]:
    """Return the tests that passed."""
    return {
        name
        for name in ("sizes", "other_types", "asserts_are_explained")
        if f"test_{name} PASSED" in text
    }


def test_nothing_is_checked_unless_it_is_asked_for(project: Path) -> None:
    text = run(project)
    assert passed(text) == {"sizes", "other_types"}
    assert "typedtensors: checks" not in text


@pytest.mark.parametrize("options", [["--tensor-check=shop"], ["--tensor-check", "other, shop"]])
def test_a_package_is_checked_also_where_conftest_imports_it(
    project: Path, options: list[str]
) -> None:
    text = run(project, *options)
    assert passed(text) == set()
    assert "dim `n` disagrees" in text
    assert "argument `by` is float, expected int" in text
    assert "typedtensors: checks" in text
    assert "assert 2 == 3" in text, "the asserts of tests in the package are rewritten"
    assert ("nothing imported other," in text) is ("other" in options[-1])
    assert "nothing imported shop" not in text


def test_only_arrays_are_checked_on_demand(project: Path) -> None:
    assert passed(run(project, "--tensor-check=shop", "--tensor-check-only=arrays")) == {
        "other_types"
    }


def test_the_configuration_names_packages(project: Path) -> None:
    text = '[tool.pytest.ini_options]\ntensor_check = ["shop"]\n'
    (project / "pyproject.toml").write_text(text, encoding="utf-8")
    assert passed(run(project)) == set()


def test_a_package_that_was_imported_before_is_said_not_to_be_checked(project: Path) -> None:
    (project / "early.py").write_text("import shop\n", encoding="utf-8")
    text = run(project, "-p", "early", "--tensor-check=shop")
    assert "already imported, so not checked: shop" in text
