# SPDX-License-Identifier: Apache-2.0
"""Every case is run: what the interpreter says of its shapes and its mistakes is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_build import ROOT, lay_out
from tests.case_files import Case, read_cases
from tests.oracle.agreement import disagreements
from tests.oracle.programs import Outcome, Program
from tests.oracle.tally import TALLY

DOCUMENTS = [
    *sorted((ROOT / "tests" / "cases").glob("*.md")),
    *sorted((ROOT / "typedtensors" / "diagnostics" / "pages").glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "README.md",
]
CASES = [case for document in DOCUMENTS for case in read_cases(document)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.document.stem}-{case.name}")
def test_the_run_has_the_shapes_and_the_mistakes_that_are_told(case: Case, tmp_path: Path) -> None:
    outcomes = run(case, tmp_path)
    for outcome in outcomes:
        TALLY.add(outcome.judgement)
        assert outcome.judgement.wrong == {}
    if case.document.parent.name == "cases":
        assert disagreements(*outcomes) == []


def run(case: Case, folder: Path) -> list[Outcome]:
    """Check and run the modules of a case."""
    place = lay_out([case], folder)[case]
    files = {f"{place.name}.{Path(name).stem}": source for name, source in case.files.items()}
    return Program(folder, files).run()
