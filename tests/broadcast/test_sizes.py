# SPDX-License-Identifier: Apache-2.0
"""`sizes` reads an array's sizes by name."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from typedtensors.broadcast import AxisError, sizes


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param("b s d", {"b": 2, "s": 3, "d": 4}, id="names"),
        pytest.param("b _ d", {"b": 2, "d": 4}, id="an axis without a name"),
        pytest.param("_ _ d", {"d": 4}, id="two of them"),
        pytest.param("b 3 d", {"b": 2, "d": 4}, id="a fixed size"),
        pytest.param("... d", {"d": 4}, id="axes left open"),
        pytest.param("b *rest", {"b": 2}, id="a variadic"),
    ],
)
def test_each_name_has_its_size(spec: str, expected: dict[str, int]) -> None:
    assert sizes(torch.zeros(2, 3, 4), spec) == expected
    assert sizes(np.zeros((2, 3, 4)), spec) == expected


@pytest.mark.parametrize(
    ("spec", "code", "message"),
    [
        pytest.param("b d", "tensor-rank", "3 axes (2, 3, 4), expected 2 axes", id="rank"),
        pytest.param("b 5 d", "tensor-shape", "axis 1 is 3, expected 5", id="fixed size"),
        pytest.param("d b d", "tensor-spec", "`d` occurs twice", id="repeated"),
        pytest.param("b s 2*d", "tensor-spec", "`2*d` does not name an axis", id="arithmetic"),
    ],
)
def test_what_does_not_fit_says_why(spec: str, code: str, message: str) -> None:
    with pytest.raises(AxisError) as caught:
        sizes(torch.zeros(2, 3, 4), spec)
    assert message in str(caught.value)
    assert caught.value.code == code


def test_symbolic_sizes_compile_into_one_graph() -> None:
    def flatten(x: torch.Tensor) -> torch.Tensor:
        size = sizes(x, "b s d")
        return x.reshape(size["b"] * size["s"], size["d"])

    compiled = torch.compile(flatten, backend="eager", fullgraph=True, dynamic=True)
    for batch in (3, 5):
        assert compiled(torch.zeros(batch, 2, 4)).shape == (batch * 2, 4)
