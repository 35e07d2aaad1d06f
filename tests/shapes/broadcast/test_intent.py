# SPDX-License-Identifier: Apache-2.0
"""What in an expression shows that a broadcast is meant."""

from __future__ import annotations

import ast

import pytest

from typedtensors.shapes.broadcast import inserts_axis, meets_itself


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


@pytest.mark.parametrize(
    "text",
    [
        "x[:, None] - x",
        "x.unsqueeze(1) > x",
        "x[..., None] * x[..., None, :]",
        "batch.t.view(-1, 1) - batch.t",
        "x[i].reshape(-1, 1) / x[i].T",
        "tf.expand_dims(x, 1) - x",
        "keras.ops.transpose(x) * x",
    ],
)
def test_a_tensor_that_meets_itself(text: str) -> None:
    """A difference with itself would be zero: a table of pairs is what can be meant."""
    assert meets_itself(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text",
    [
        "x[:, None] - y",
        "x[:, 0:1] - x[:, 0]",
        "x[0][:, None] - x[1]",
        "f(x, x)",
        "x < x < x",
        "torch.transpose(x, 0, 1) - torch.transpose(y, 0, 1)",
    ],
)
def test_tensors_that_may_differ(text: str) -> None:
    """Parts of one tensor are not the same values."""
    assert not meets_itself(ast.parse(text, mode="eval").body)
