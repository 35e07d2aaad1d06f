# SPDX-License-Identifier: Apache-2.0
"""What in an expression shows that a broadcast is meant."""

from __future__ import annotations

import ast

import pytest

from typedtensors.shapes.broadcast import inserts_axis, meets_itself, tabulates


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
        "x.permute(1, 0) - x",
        "area(a)[:, None] + area(b)",
        "a.norm(dim=1)[:, None] * b.norm(dim=1)",
        "a.pow(2).sum(-1).unsqueeze(1) + b.pow(2).sum(-1)",
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
        "f(x)[:, None] - g(x)",
        "a.norm(dim=1)[:, None] * b.norm(dim=0)",
        "a.mean(1)[:, None] - b.std(1)",
        "f(x)[:, None] - f(x, y)",
        "x < x < x",
        "torch.transpose(x, 0, 1) - torch.transpose(y, 0, 1)",
    ],
)
def test_tensors_that_may_differ(text: str) -> None:
    """Parts of one tensor are not the same values."""
    assert not meets_itself(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text",
    [
        "source + target.T",
        "self.a(h) + self.b(h).transpose(1, 2)",
        "norms + np.transpose(others)",
        "left.swapaxes(0, 1) * right",
    ],
)
def test_a_column_that_is_put_together_with_a_row(text: str) -> None:
    """The scores of pairs: one column is transposed where it is added."""
    assert tabulates(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize("text", ["pred - target.T", "a.T.sum(1) + b", "f(a.T, b)"])
def test_no_column_that_is_put_together_with_a_row(text: str) -> None:
    """Of a difference nobody knows: it may compare a prediction with its target."""
    assert not tabulates(ast.parse(text, mode="eval").body)
