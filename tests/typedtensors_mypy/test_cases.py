# SPDX-License-Identifier: Apache-2.0
"""Every case in `tests/cases`, every error page, the site and the README, checked in one build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_build import ROOT, Message, differences, lay_out, run_mypy
from tests.case_files import Case, read_cases

DOCUMENTS = sorted(
    [
        *(ROOT / "tests" / "cases").glob("*.md"),
        *(ROOT / "typedtensors" / "diagnostics" / "pages").glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        ROOT / "README.md",
    ]
)
CASES = [case for document in DOCUMENTS for case in read_cases(document)]


@pytest.fixture(scope="session")
def messages(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[Case, list[Message]]:
    """What mypy says of each case. The cache is kept, so that torch is analyzed once."""
    folder = tmp_path_factory.mktemp("cases")
    places = lay_out(CASES, folder)
    said = run_mypy(folder, request.config.cache.mkdir("mypy-cases"))
    return {
        case: [message for message in said if Path(message.path).parts[0] == place.name]
        for case, place in places.items()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.document.stem}-{case.name}")
def test_mypy_says_what_the_case_announces(case: Case, messages: dict[Case, list[Message]]) -> None:
    found = differences(case, messages[case])
    assert not found, "\n".join(found)
