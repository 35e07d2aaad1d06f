# SPDX-License-Identifier: Apache-2.0
"""A program says the same in one file and in several: where a definition stands changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from tests.case_build import ROOT
from tests.case_files import Case, read_cases
from tests.typedtensors_mypy.programs import findings, findings_across
from tests.typedtensors_mypy.splits import IMPORTS, splits
from typedtensors_mypy.findings import Finding

CASES = [
    case
    for document in sorted((ROOT / "tests" / "cases").glob("*.md"))
    for case in read_cases(document)
    if list(case.files) == ["main.py"]
]
_CALLED = re.compile(r" \(called from line \d+\)$")


def _texts(told: Iterable[Finding]) -> set[str]:
    return {_CALLED.sub("", finding.text) for finding in told}


def _places(told: Iterable[Finding]) -> set[tuple[int, str]]:
    return {(finding.place.line, finding.text) for finding in told}


@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.document.stem}-{case.name}")
def test_the_cases_say_the_same_whichever_definition_is_moved(
    case: Case, imports: tuple[str, str]
) -> None:
    """What is wrong with the arguments of a call is told at the call if its code is elsewhere."""
    source = case.files["main.py"]
    whole = findings(source)
    placed = {finding for finding in whole if not _CALLED.search(finding.text)}
    for split in splits(source, imports):
        parts = findings_across(split.files, cached=False)
        assert parts == findings_across(split.files, cached=True), split.moved
        assert _texts(parts) == _texts(whole), split.moved
        assert _places(parts) >= _places(placed), split.moved


def test_there_is_much_to_move() -> None:
    moved = [split for case in CASES for split in splits(case.files["main.py"], IMPORTS["by-name"])]
    assert len(moved) > 30
