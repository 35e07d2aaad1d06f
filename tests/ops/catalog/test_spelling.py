# SPDX-License-Identifier: Apache-2.0
"""An op is found by whatever people write for it."""

from __future__ import annotations

import pytest

from typedtensors.ops.catalog.spelling import find, similar, without_rule
from typedtensors.ops.index import index


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("torch.bmm", "torch.bmm"),
        ("torch._C._VariableFunctions.bmm", "torch.bmm"),
        ("bmm", "torch.bmm"),
        ("torch.bmm(a, b)", "torch.bmm"),
        ("`torch.bmm`", "torch.bmm"),
        ("F.relu", "torch.nn.functional.relu"),
        ("nn.functional.relu", "torch.nn.functional.relu"),
        ("nn.Linear", "torch.nn.Linear"),
        ("Linear", "torch.nn.Linear"),
        ("np.sum", "numpy.sum"),
        ("x.sum", "torch.Tensor.sum"),
        ("hidden.sum(-1)", "torch.Tensor.sum"),
        ("Tensor.sum", "torch.Tensor.sum"),
        ("rearrange", "einops.rearrange"),
        ("@", "torch.Tensor.__matmul__"),
        ("x @ y", "torch.Tensor.__matmul__"),
        ("+=", "torch.Tensor.__iadd__"),
        ("==", "torch.Tensor.__eq__"),
        ("a == b", "torch.Tensor.__eq__"),
        ("~", "torch.Tensor.__invert__"),
        ("-x", "torch.Tensor.__neg__"),
        ("x[:, 0]", "torch.Tensor.__getitem__"),
    ],
)
def test_an_op_is_found_by(written: str, meant: str) -> None:
    assert meant in find(written)


def test_a_method_is_no_function() -> None:
    assert set(find("x.sum")) == {"torch.Tensor.sum", "numpy.ndarray.sum"}


@pytest.mark.parametrize("written", ["torch.add.bmm", "numpy.bmm", "F.bmm", "nn.relu", "", "."])
def test_what_a_package_does_not_have_is_not_found_in_it(written: str) -> None:
    assert find(written) == ()


def test_every_name_finds_itself() -> None:
    assert all(find(name) == (name,) for name in index())


def test_a_slip_is_like_what_was_meant() -> None:
    assert similar("torch.nn.Lineer")[0] == "Linear"
    assert "bmm" in similar("bnm")
    assert similar("nothing_like_any_op") == []


def test_what_torch_has_without_a_rule_is_known_to_be_torchs() -> None:
    assert (
        without_rule("register_hook")
        == without_rule("x.register_hook")
        == "torch.Tensor.register_hook"
    )
    assert without_rule("nn.RNNBase") == "torch.nn.RNNBase"
    assert without_rule("torch.bmm") is None
    assert without_rule("torch.no_such_op") is None
