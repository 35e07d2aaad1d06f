# SPDX-License-Identifier: Apache-2.0
"""What torch has and what of it has no rule: data, held against the torch that is installed."""

from __future__ import annotations

import re

import pytest
import torch

from tools.surface import current
from typedtensors.ops import lookup
from typedtensors.ops.catalog import surface
from typedtensors.ops.catalog.missing import _REASONS, NOT_YET, missing, reason


def test_the_list_is_that_of_the_torch_it_names() -> None:
    """If this fails, another torch was locked: `make surface`."""
    if torch.__version__.partition("+")[0] != surface.version():
        pytest.skip(f"the list is of torch {surface.version()}")
    assert surface.PATH.read_text(encoding="utf-8") == current()


def test_the_list_holds_functions_methods_properties_layers_and_losses() -> None:
    some = {
        "torch.bmm",
        "torch.Tensor.view",
        "torch.Tensor.T",
        "torch.nn.Linear",
        "torch.nn.MSELoss",
    }
    assert some | {"torch.nn.functional.relu", "torch.linalg.qr"} <= {*surface.surface()}
    assert not any("._" in name and ".__" not in name for name in surface.surface())


def test_little_is_missing_and_nothing_without_a_reason() -> None:
    found = missing()
    assert 20 * sum(len(group.names) for group in found) <= len(surface.surface())
    assert NOT_YET not in {group.reason for group in found}


def test_what_is_missing_has_no_rule_and_what_is_not_has_one() -> None:
    lacking = {name for group in missing() for name in group.names}
    for name in surface.surface():
        assert (lookup(name) is None) == (name in lacking)


@pytest.mark.parametrize("pattern", [each for patterns in _REASONS.values() for each in patterns])
def test_a_reason_is_about_something_that_torch_has(pattern: str) -> None:
    assert any(re.fullmatch(pattern, name) for name in surface.surface())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torch.quantized_batch_norm", "quantized"),
        ("torch.lu_unpack", "reads beyond"),
        ("torch.nn.ModuleList", "container"),
        ("torch.native_norm", "a kernel"),
        ("torch.index_copy", NOT_YET),
        ("torch.no_such_op", NOT_YET),
    ],
)
def test_each_has_its_reason(name: str, words: str) -> None:
    assert words in reason(name)
