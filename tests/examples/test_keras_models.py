# SPDX-License-Identifier: Apache-2.0
"""The examples of Keras: they run, nothing is reported of them, and slips in them are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.case_build import ROOT, Message, environment
from tests.examples.checked import said_of, source_of, tensor_errors
from tests.examples.keras_mutations import MISSED, MUTATIONS
from tests.examples.mutations import Mutation
from tests.tensorflow_arrays import needs_tensorflow

NAMES = tuple(MUTATIONS)
SLIPS = [
    pytest.param(name, slip, id=f"{name}-{slip.slip}") for name in NAMES for slip in MUTATIONS[name]
]


@pytest.fixture(scope="module")
def messages(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, list[Message]]:
    """What mypy says of each example and of each slip in it, by the name of the file."""
    folder, cache = tmp_path_factory.mktemp("slips"), request.config.cache.mkdir("mypy-cases")
    return said_of({name: MUTATIONS[name] for name in NAMES}, folder, cache)


CHECKED = """
import importlib, sys
from typedtensors import install_import_hook
with install_import_hook(sys.argv[1]):
    example = importlib.import_module(sys.argv[1])
example.main()
"""


@needs_tensorflow
@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs_with_all_of_its_annotations_checked(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECKED, name],
        cwd=ROOT / "examples",
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_reported_of_an_example(name: str, messages: dict[str, list[Message]]) -> None:
    assert tensor_errors(messages[f"{name}.py"]) == []


@pytest.mark.parametrize(("name", "slip"), SLIPS)
def test_a_slip_is_reported(name: str, slip: Mutation, messages: dict[str, list[Message]]) -> None:
    told = tensor_errors(messages[f"{name}_{MUTATIONS[name].index(slip)}.py"])
    assert bool(told) == (slip.slip not in MISSED[name]), told


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_as_long_as_an_example(name: str) -> None:
    assert 60 <= len(source_of(name).splitlines()) <= 200


@pytest.mark.parametrize("name", NAMES)
def test_most_slips_are_reported(name: str) -> None:
    assert MISSED[name] <= {slip.slip for slip in MUTATIONS[name]}
    assert len(MUTATIONS[name]) >= 5
    assert 5 * len(MISSED[name]) <= len(MUTATIONS[name])
