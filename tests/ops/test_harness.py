# SPDX-License-Identifier: Apache-2.0
"""The comparison with the frameworks finds rules that are wrong, each in its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ops.conformance import compare
from typedtensors.diagnostics import wording
from typedtensors.ops import Array, Call, Conflicting, Rule, example
from typedtensors.ops.promotion import INT64
from typedtensors.shapes import Shape, Tensor


def as_it_came(call: Call) -> Tensor:
    return call.tensor("input")


def always_a_vector(call: Call) -> Tensor:
    return call.tensor("input").with_shape(Shape.of("n"))


def of_another_dtype(call: Call) -> Tensor:
    return call.tensor("input").with_dtype(INT64)


def too_strict(call: Call) -> Tensor:
    raise Conflicting(wording.misused(call.name, "nothing is good enough"))


@pytest.mark.parametrize(
    ("op", "apply", "complaint"),
    [
        pytest.param("torch.neg", always_a_vector, "wrong", id="a wrong shape"),
        pytest.param("torch.neg", of_another_dtype, "wrong", id="a wrong dtype"),
        pytest.param("torch.neg", too_strict, "false alarm", id="a false alarm"),
        pytest.param("torch.linalg.inv", as_it_came, "missed", id="a missed alarm"),
    ],
)
def test_a_wrong_rule_is_found(op: str, apply: Callable[[Call], Any], complaint: str) -> None:
    examples = (example(Array("n n")), example(Array("b n m")))
    rule = Rule((op,), "input", apply, examples=examples)
    with pytest.raises(AssertionError, match=complaint):
        compare(rule, range(100))


def test_a_right_rule_passes() -> None:
    rule = Rule(
        ("torch.neg",),
        "input",
        as_it_came,
        examples=(example(Array("b n")),),
    )
    assert {*compare(rule, range(100))} == {"agreed"}
