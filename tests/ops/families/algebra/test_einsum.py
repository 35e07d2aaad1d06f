# SPDX-License-Identifier: Apache-2.0
"""Equations: labels that agree, labels that are summed, and equations that cannot be meant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("equation", "operands", "expected"),
    [
        pytest.param("bhqd,bhkd->bhqk", ("b h q d", "b h k d"), "b h q k", id="attention"),
        pytest.param("b n d, b m d -> b n m", ("b n d", "b m d"), "b n m", id="spaces"),
        pytest.param("...d,ed->...e", ("*batch d", "e d"), "*batch e", id="a run of batches"),
        pytest.param("ij,jk", ("i j", "j k"), "i k", id="no arrow"),
        pytest.param("ba", ("x y",), "y x", id="no arrow orders labels"),
        pytest.param("ii->i", ("n n",), "n", id="a diagonal"),
        pytest.param("ii->", ("n m",), "tensor-shape", id="no diagonal"),
        pytest.param("ij,jk->ik", ("i j", "k j"), "tensor-shape", id="a forgotten transposition"),
        pytest.param("ij->", ("b i j",), "tensor-rank", id="too many axes"),
        pytest.param("ij->ik", ("i j",), "tensor-op", id="a label from nowhere"),
        pytest.param("ij,jk->ik", ("i j",), "tensor-op", id="an operand is missing"),
        pytest.param("ij->ji", ("...",), "j i", id="the equation tells the rank"),
    ],
)
def test_an_equation(call: Any, equation: str, operands: Any, expected: str) -> None:
    assert call("torch.einsum", equation, *map(call.array, operands)) == expected


def test_a_clash_names_the_label_and_where_it_was_seen(call: Any) -> None:
    found = call.outcome("torch.einsum", "ij,jk->ik", call.array("i j"), call.array("k j"))
    assert found.text == (
        "argument `operands[1]` of `einsum`: axis 0 is k, expected j from `j` of `operands[0]`"
    )


def test_operands_may_come_in_a_list(call: Any) -> None:
    operands = [call.array("i j"), call.array("j k")]
    assert call("torch.einsum", "ij,jk->ik", operands) == "i k"


def test_a_weight_teaches_the_size_of_what_it_meets(call: Any) -> None:
    weight = replace(call.array("10 768"), parameter=True)
    assert call("torch.einsum", "b d, o d -> b o", call.array("b d"), weight) == "b 10"
    assert call.same("d", "768")
