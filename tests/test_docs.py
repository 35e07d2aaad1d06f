# SPDX-License-Identifier: Apache-2.0
"""The examples of the site, of the error pages and of the README, as programs.

What mypy says about them is tested with the plugin's cases.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.case_files import Case, read_cases
from tests.tensorflow_arrays import needs_tensorflow

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "typedtensors" / "diagnostics" / "pages").glob("*.md"))
DOCUMENTS = [*sorted((ROOT / "docs").glob("*.md")), *PAGES, ROOT / "README.md"]
CASES = [case for document in DOCUMENTS for case in read_cases(document)]


def _as_parameter(case: Case) -> Any:
    """Mark what can not run without TensorFlow."""
    needs = any("import tensorflow" in source for source in case.files.values())
    name = f"{case.document.stem}-{case.name}"
    return pytest.param(case, id=name, marks=[needs_tensorflow] if needs else [])


@pytest.mark.parametrize("case", list(map(_as_parameter, CASES)))
def test_an_example_can_be_pasted_into_a_module(case: Case) -> None:
    for name, source in case.files.items():
        program = compile(source, f"{case.document.name}:{name}", "exec")
        exec(program, {"__name__": "example"})  # noqa: S102 - our own text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_error_page_fits_a_terminal(page: Path) -> None:
    """Only tables may be wider than 100 columns."""
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 100 and not line.startswith("|")] == []
