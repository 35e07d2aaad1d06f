# SPDX-License-Identifier: Apache-2.0
"""The one table: an op is found by every name it has, and has one rule."""

from __future__ import annotations

import pytest

from typedtensors.ops import Rule, canonical, lookup, rules
from typedtensors.ops.registry import add


@pytest.mark.parametrize(
    ("defined", "documented"),
    [
        ("torch._C._VariableFunctions.add", "torch.add"),
        ("torch._C.TensorBase.sum", "torch.Tensor.sum"),
        ("torch._tensor.Tensor.__rsub__", "torch.Tensor.__rsub__"),
        ("torch.nn.parameter.Parameter.view", "torch.Tensor.view"),
        ("torch._C._nn.gelu", "torch.nn.functional.gelu"),
        ("torch._C._nn.log_sigmoid", "torch.nn.functional.logsigmoid"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("numpy._core.fromnumeric.sum", "numpy.sum"),
        ("numpy.lib._shape_base_impl.tile", "numpy.tile"),
        ("numpy.linalg._linalg.norm", "numpy.linalg.norm"),
        (
            "numpy.lib._stride_tricks_impl.sliding_window_view",
            "numpy.lib.stride_tricks.sliding_window_view",
        ),
        ("mylib.add", "mylib.add"),
    ],
)
def test_a_name_leads_to_the_documented_one(defined: str, documented: str) -> None:
    assert canonical(defined) == documented


def test_every_name_of_a_rule_finds_it() -> None:
    for rule in rules():
        assert all(lookup(name) is rule for name in rule.names)
        assert all(canonical(name) == name for name in rule.names)


def test_an_op_has_one_rule() -> None:
    assert lookup("torch.add") is not None
    second = Rule(("torch.add",), "input", lambda _call: None)
    with pytest.raises(ValueError, match=r"two rules for torch\.add"):
        add(second)


def test_what_has_no_rule_has_none() -> None:
    assert lookup("torch.no_such_op") is None
