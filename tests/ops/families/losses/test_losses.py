# SPDX-License-Identifier: Apache-2.0
"""Losses: what they compare, what they reject, what they return."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Facts
from typedtensors.ops import Known, lookup
from typedtensors.shapes import DType, Shape, Tensor

_F = "torch.nn.functional."


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_a_loss_says_what_it_compares(name: str) -> None:
    rule = lookup(_F + name)
    assert rule is not None
    arrays = Tensor(Shape.of("n", 1)), Tensor(Shape.of("n"))
    outcome = rule.evaluate(_F + name, arrays, {}, Facts())
    assert isinstance(outcome, Known)
    (broadcast,) = outcome.broadcasts
    assert broadcast.compared == ("input", "target")
    assert broadcast.result.shape == Shape.of("n", "n")


@pytest.mark.parametrize(
    ("reduction", "expected"), [("none", "b n"), ("mean", ""), ("sum", ""), (None, "...")]
)
def test_the_reduction_decides_the_shape(call: Any, reduction: Any, expected: str) -> None:
    arrays = call.array("b n"), call.array("b n")
    assert call(f"{_F}mse_loss", *arrays, reduction=reduction) == expected


def test_the_old_flags_leave_the_shape_open(call: Any) -> None:
    found = call(f"{_F}mse_loss", call.array("n"), call.array("n"), size_average=False)
    assert found == "..."


def test_binary_cross_entropy_takes_one_shape(call: Any) -> None:
    name = f"{_F}binary_cross_entropy_with_logits"
    assert call(name, call.array("b"), call.array("b")) == ""
    found = call.outcome(name, call.array("n 1"), call.array("n"))
    assert found.text == (
        "argument `target` of `binary_cross_entropy_with_logits`: "
        "1 axis (n,), expected 2 axes (n, 1); fix: `target.unsqueeze(-1)`"
    )


def test_a_weight_broadcasts_and_is_not_compared(call: Any) -> None:
    name = f"{_F}binary_cross_entropy"
    arrays = call.array("b n"), call.array("b n")
    assert call(name, *arrays, weight=call.array("n"), reduction="none") == "b n"


@pytest.mark.parametrize(
    ("input_", "target", "dtype", "expected"),
    [
        pytest.param("b c", "b", "Int64", "b", id="one index for each row"),
        pytest.param("b c t", "b t", "Int64", "b t", id="classes on axis 1"),
        pytest.param("b t c", "b t", "Int64", "tensor-shape", id="classes on the last axis"),
        pytest.param("b c", "b 1", "Int64", "tensor-rank", id="a column of indices"),
        pytest.param("b c", "b c", "Int64", "tensor-rank", id="one-hot integers"),
        pytest.param("b c", "b c", "Float32", "b", id="probabilities"),
        pytest.param("b c", "b", "Float32", "tensor-rank", id="float indices"),
        pytest.param("c", "", "Int64", "", id="one example"),
        pytest.param("*batch c", "b", "Int64", "b", id="the target has the result's shape"),
    ],
)
def test_cross_entropy_over_classes(
    call: Any, input_: str, target: str, dtype: str, expected: str
) -> None:
    wanted = call.array(target).with_dtype(DType.named(dtype))
    name = f"{_F}cross_entropy"
    assert call(name, call.array(input_), wanted, reduction="none") == expected


def test_common_slips_have_their_own_fix(call: Any) -> None:
    for target, fix in (("b 1", "squeeze(-1)"), ("b c", "argmax(-1)")):
        wanted = call.array(target).with_dtype(DType.named("Int64"))
        found = call.outcome(f"{_F}cross_entropy", call.array("b c"), wanted)
        assert fix in found.hint


def test_a_class_weight_has_one_value_for_each_class(call: Any) -> None:
    target = call.array("b").with_dtype(DType.named("Int64"))
    name = f"{_F}cross_entropy"
    assert call(name, call.array("b 10"), target, weight=call.array("9")) == "tensor-shape"


def test_nll_loss_takes_indices_only(call: Any) -> None:
    target = call.array("b").with_dtype(DType.named("Float32"))
    assert call(f"{_F}nll_loss", call.array("b c"), target) == "tensor-dtype"
