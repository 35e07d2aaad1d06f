# SPDX-License-Identifier: Apache-2.0
"""Axes that move, come and go, also where some of them are not known."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.shapes import Intent


@pytest.mark.parametrize(
    ("op", "source", "args", "expected"),
    [
        pytest.param("torch.transpose", "*batch n d", (-1, -2), "*batch d n", id="right of *batch"),
        pytest.param("torch.transpose", "b ... d", (0, -1), "d ... b", id="around unknown axes"),
        pytest.param("torch.transpose", "b ... d", (1, 2), "unknown", id="unknown axes"),
        pytest.param("torch.Tensor.mT", "... n d", (), "... d n", id="matrices of any batch"),
        pytest.param("torch.Tensor.T", "a ... b", (), "b ... a", id="reversed"),
        pytest.param("torch.permute", "b ... d", (2, 0, 1), "d b _", id="permute fixes the rank"),
        pytest.param("torch.permute", "a b ... d", (0, 1), "tensor-rank", id="too many axes"),
        pytest.param("numpy.transpose", "a b c", (), "c b a", id="NumPy reverses by default"),
        pytest.param("torch.movedim", "b c h w", (1, -1), "b h w c", id="channels last"),
        pytest.param("torch.unsqueeze", "... d", (-2,), "... 1 d", id="unsqueeze from the right"),
        pytest.param("torch.unsqueeze", "b ...", (1,), "b 1 ...", id="unsqueeze from the left"),
        pytest.param("torch.unsqueeze", "...", (1,), "unknown", id="unsqueeze somewhere"),
    ],
)
def test_axes_move(call: Any, op: str, source: str, args: Any, expected: str) -> None:
    assert call(op, call.array(source), *args) == expected


def test_an_unsqueezed_axis_is_meant_to_broadcast(call: Any) -> None:
    assert call.outcome("torch.unsqueeze", call.array("b"), 1).shape.axis(1).intent is (
        Intent.UNSQUEEZE
    )


@pytest.mark.parametrize(
    ("source", "args", "expected"),
    [
        pytest.param("b 1", (), "b", id="the literal 1 goes"),
        pytest.param("b n", (), "unknown", id="a name must have been meant"),
        pytest.param("b 1 self.d", (), "unknown", id="a configured size may be 1"),
        pytest.param("b 3", (1,), "b 3", id="another literal stays"),
        pytest.param("b 1", (1,), "b", id="a named 1 goes"),
        pytest.param("b n", (-1,), "b ...", id="a name may be 1"),
        pytest.param("b #n", (-1,), "b ...", id="n or 1"),
        pytest.param("... 1", (-1,), "...", id="right of unknown axes"),
    ],
)
def test_squeeze_never_guesses(call: Any, source: str, args: Any, expected: str) -> None:
    assert call("torch.squeeze", call.array(source), *args) == expected


def test_numpy_rejects_squeezing_another_literal(call: Any) -> None:
    assert call("numpy.squeeze", call.array("b 3"), 1) == "tensor-op"


def test_sizes_are_integers_of_the_code(call: Any) -> None:
    assert call("torch.Tensor.size", call.array("b ... d"), -1) == "d"
    assert call("torch.Tensor.shape", call.array("b d")) == "b, d"
    assert call("torch.Tensor.numel", call.array("b d")) == "b*d"
    assert call("torch.Tensor.dim", call.array("b d")) == "2"
