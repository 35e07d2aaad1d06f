# SPDX-License-Identifier: Apache-2.0
"""TensorFlow is followed where mypy knows nothing of it: by what the code imports and annotates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_build import ROOT, Message, lay_out, run_mypy
from tests.case_files import Case, read_cases

DOCUMENTS = [ROOT / "tests" / "cases" / f"{name}.md" for name in ("tensorflow", "keras")]
CASES = [case for document in DOCUMENTS for case in read_cases(document)]
CONFIG = "[mypy]\nplugins = typedtensors_mypy\nignore_missing_imports = True\n"


@pytest.fixture(scope="module")
def messages(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[Case, list[Message]]:
    """What mypy says where no package is installed: neither stubs, nor jaxtyping."""
    folder = tmp_path_factory.mktemp("bare")
    places = lay_out(CASES, folder)
    cache = request.config.cache.mkdir("mypy-bare")
    said = run_mypy(folder, cache, "--no-site-packages", config=CONFIG)
    return {
        case: [message for message in said if Path(message.path).parts[0] == place.name]
        for case, place in places.items()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.document.stem}-{case.name}")
def test_the_same_is_found_without_stubs(case: Case, messages: dict[Case, list[Message]]) -> None:
    found = [each for each in messages[case] if (each.code or "").startswith("tensor-")]
    told = sorted((Path(each.path).name, each.line, each.code) for each in found)
    wanted = sorted((e.file, e.line, e.code) for e in case.expectations if e.code)
    assert told == wanted
