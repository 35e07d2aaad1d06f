# SPDX-License-Identifier: Apache-2.0
"""What in an expression shows that a broadcast is meant."""

from __future__ import annotations

import ast

import pytest

from typedtensors.shapes.broadcast import inserts_axis


@pytest.mark.parametrize(
    "text",
    [
        "x[:, None] - y",
        "x[..., np.newaxis] - y",
        "x.unsqueeze(1) * y",
        "rearrange(x, 'b -> b 1') * y",
        "x / x.sum(-1, keepdim=True)",
        "f(x.view(-1, 1),\n  y)",
        "total += x.reshape(n, 1)",
    ],
)
def test_expression_inserts_an_axis(text: str) -> None:
    assert inserts_axis(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "x - y",
        "x[0] - y[..., 1:]",
        "f(x, None) - y",
        "x / x.sum(-1, keepdim=False)",
        "x.squeeze(1) - y",
    ],
)
def test_expression_inserts_no_axis(text: str) -> None:
    assert not inserts_axis(ast.parse(text))
