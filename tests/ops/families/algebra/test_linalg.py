# SPDX-License-Identifier: Apache-2.0
"""Products: what is contracted, what is a batch, and what a weight teaches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from typedtensors.shapes import DType


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        pytest.param("m k", "k n", "m n", id="matrices"),
        pytest.param("b m k", "k n", "b m n", id="a matrix for every batch"),
        pytest.param("b 1 m k", "h k n", "b h m n", id="batches broadcast"),
        pytest.param("k", "k n", "n", id="a row"),
        pytest.param("b m k", "k", "b m", id="a column"),
        pytest.param("k", "k", "", id="two vectors"),
        pytest.param("*batch d", "d e", "*batch e", id="a run of batches"),
        pytest.param("*batch m k", "*batch k n", "*batch m n", id="a run on both sides"),
        pytest.param("... d", "d e", "... e", id="a vector or more"),
        pytest.param("m k", "n k", "tensor-shape", id="a forgotten transposition"),
        pytest.param("b m k", "c k n", "tensor-shape", id="batches of two names"),
        pytest.param("m k", "", "tensor-rank", id="a number"),
    ],
)
def test_a_product(call: Any, left: str, right: str, expected: str) -> None:
    assert call("torch.matmul", call.array(left), call.array(right)) == expected


def test_the_reflected_product_swaps_its_operands(call: Any) -> None:
    assert call("torch.Tensor.__rmatmul__", call.array("k n"), call.array("m k")) == "m n"


def test_a_transposition_is_offered_where_it_would_do(call: Any) -> None:
    found = call.outcome("torch.Tensor.__matmul__", call.array("b k"), call.array("n k"))
    assert found.text == (
        "argument `other` of `@`: axis 0 is n, expected k from axis 1 of `input`; "
        "fix: transpose `other` with `.mT`"
    )


def test_a_weight_teaches_the_size_it_consumes(call: Any) -> None:
    weight = replace(call.array("784 10"), parameter=True)
    assert call("torch.Tensor.__matmul__", call.array("b features"), weight) == "b 10"
    assert call.same("features", "784")


def test_a_plain_array_of_literal_size_teaches_nothing(call: Any) -> None:
    found = call("torch.Tensor.__matmul__", call.array("b features"), call.array("784 10"))
    assert found == "tensor-shape"


def test_torch_multiplies_one_kind_of_number(call: Any) -> None:
    float_, int_ = DType.named("Float32"), DType.named("Int64")
    left, right = call.array("m k").with_dtype(float_), call.array("k n").with_dtype(int_)
    assert call("torch.matmul", left, right) == "tensor-dtype"
    assert call("numpy.matmul", left, right) == "m n"


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        pytest.param("torch.bmm", ("b m k", "b k n"), "b m n", id="bmm"),
        pytest.param("torch.bmm", ("b m k", "k n"), "tensor-rank", id="bmm of a matrix"),
        pytest.param("torch.mm", ("m k", "n k"), "tensor-shape", id="mm"),
        pytest.param("torch.mv", ("m k", "k"), "m", id="mv"),
        pytest.param("torch.outer", ("m", "n"), "m n", id="outer"),
        pytest.param("torch.cdist", ("b m d", "n d"), "b m n", id="cdist"),
        pytest.param("torch.nn.functional.linear", ("b t i", "o i", "o"), "b t o", id="linear"),
        pytest.param("torch.nn.functional.linear", ("b t i", "i o"), "tensor-shape", id="i o"),
    ],
)
def test_products_by_signature(call: Any, op: str, args: Any, expected: str) -> None:
    assert call(op, *map(call.array, args)) == expected
