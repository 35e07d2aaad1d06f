# SPDX-License-Identifier: Apache-2.0
"""The rules agree with torch on the inputs of torch's own tests."""

from __future__ import annotations

import pytest

from tests.ops.samples import counting, torch_inputs
from tests.ops.samples.modules import judged_module
from typedtensors.ops.catalog import samples
from typedtensors.ops.catalog.samples import Counts, total
from typedtensors.ops.catalog.samples_page import is_module

# Of the calls that raise because of shapes, how many are reported at least, in percent.
REPORTED = 60


def test_nothing_is_wrong_on_the_first_samples_of_each_op() -> None:
    judged = (each for op in torch_inputs.ops() for each in counting.judged_samples(op, 3, 1))
    assert [fault for each in judged for fault in each.faults] == []


def test_nothing_is_wrong_on_the_first_inputs_of_each_module() -> None:
    judged = (
        judged_module(module, each)
        for module in torch_inputs.modules()
        for each in torch_inputs.module_inputs(module, 3)
    )
    assert [fault for each in judged for fault in each.faults] == []


def test_most_calls_that_raise_because_of_shapes_are_reported() -> None:
    found = {
        name: told for op in torch_inputs.ops() for name, told in counting.count_errors(op).items()
    }
    assert {*found} == {*counting.shape_errors()}
    assert 100 * sum(found.values()) >= REPORTED * len(found)


@pytest.mark.slow
def test_nothing_is_wrong_on_any_sample_and_the_docs_tell_the_counts() -> None:
    """If only the second fails, rules changed: `make samples`."""
    found, faults = counting.count_all()
    assert faults == []
    assert found == samples.table()


@pytest.mark.parametrize(
    ("modules", "shape", "dtype"),
    [pytest.param(False, 95, 90, id="ops"), pytest.param(True, 95, 95, id="modules")],
)
def test_most_results_are_known_in_full(modules: bool, shape: int, dtype: int) -> None:  # noqa: FBT001
    """In percent, as they were last counted; of a size that the elements decide, that they do."""
    rows = samples.table().items()
    counts: Counts = total(row for name, row in rows if is_module(name) is modules)
    assert 100 * (counts.shape + counts.open) >= shape * counts.samples
    assert 100 * counts.dtype >= dtype * counts.samples
