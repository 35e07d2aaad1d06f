# SPDX-License-Identifier: Apache-2.0
"""The examples: they run, their shapes are known and so, and slips in them are reported."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.case_build import ROOT, Message
from tests.examples.checked import said_of, source_of, tensor_errors
from tests.examples.keras_mutations import MUTATIONS as KERAS
from tests.examples.mutations import MISSED, MUTATIONS, Mutation
from tests.oracle.agreement import disagreements
from tests.oracle.programs import Outcome, Program
from tests.oracle.tally import TALLY

NAMES = ("gpt", "unet", "vit", "vae", "ppo", "graph")
SLIPS = [
    pytest.param(name, slip, id=f"{name}-{slip.slip}") for name in NAMES for slip in MUTATIONS[name]
]


@cache
def outcome_of(name: str) -> Outcome:
    """What an example's run says of its check."""
    (outcome,) = Program(ROOT / "examples", {name: source_of(name)}).run(["main"])
    return outcome


@pytest.mark.parametrize("name", NAMES)
def test_every_inferred_shape_is_the_one_of_the_run(name: str) -> None:
    judgement = outcome_of(name).judgement
    TALLY.add(judgement)
    assert judgement.wrong == {}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_reported_and_nothing_fails(name: str) -> None:
    outcome = outcome_of(name)
    assert [finding.text for finding in outcome.checked.findings] == []
    assert disagreements(outcome) == []


@pytest.mark.parametrize("name", NAMES)
def test_nearly_every_shape_is_known(name: str) -> None:
    judgement = outcome_of(name).judgement
    TALLY.coverage[name] = judgement.coverage
    assert judgement.coverage >= 0.95, sorted(judgement.lost.items())


@pytest.fixture(scope="session")
def messages(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, list[Message]]:
    """What mypy says of each example and of each slip in it, by the name of the file."""
    folder, cache = tmp_path_factory.mktemp("slips"), request.config.cache.mkdir("mypy-cases")
    return said_of({name: MUTATIONS[name] for name in NAMES}, folder, cache)


@pytest.mark.parametrize("name", NAMES)
def test_mypy_reports_nothing_of_an_example(name: str, messages: dict[str, list[Message]]) -> None:
    assert tensor_errors(messages[f"{name}.py"]) == []


@pytest.mark.parametrize(("name", "slip"), SLIPS)
def test_a_slip_is_reported(name: str, slip: Mutation, messages: dict[str, list[Message]]) -> None:
    number = MUTATIONS[name].index(slip)
    reported = tensor_errors(messages[f"{name}_{number}.py"])
    TALLY.slips.setdefault(name, []).append(bool(reported))
    assert bool(reported) == (slip.slip not in MISSED[name])


@pytest.mark.parametrize("name", NAMES)
def test_at_most_one_slip_in_ten_is_missed(name: str) -> None:
    assert len(MUTATIONS[name]) == 10
    assert MISSED[name] <= {slip.slip for slip in MUTATIONS[name]}
    assert len(MISSED[name]) <= 1


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_as_long_as_an_example(name: str) -> None:
    assert 60 <= len(source_of(name).splitlines()) <= 200


def test_the_readme_names_every_example() -> None:
    readme = (ROOT / "examples" / "README.md").read_text()
    every = (*NAMES, *KERAS)
    found = {path.name for path in Path(ROOT / "examples").glob("*.py")}
    assert found == {f"{name}.py" for name in every}
    assert [name for name in every if f"[`{name}.py`]({name}.py)" not in readme] == []
