# SPDX-License-Identifier: Apache-2.0
"""Axes that are folded, and axes that are kept to be broadcast."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.ops import Fields
from typedtensors.shapes import DType, Intent, Tensor


@pytest.mark.parametrize(
    ("op", "source", "args", "expected"),
    [
        pytest.param("torch.sum", "b n d", (), "", id="everything"),
        pytest.param("torch.mean", "b n d", (1,), "b d", id="one axis"),
        pytest.param("torch.amax", "b n d", ((0, -1),), "n", id="several axes"),
        pytest.param("torch.sum", "b n d", (-1, True), "b n 1", id="kept"),
        pytest.param("torch.sum", "*batch d", (-1,), "*batch", id="right of a run"),
        pytest.param("torch.sum", "b ... d", (0,), "... d", id="left of unknown axes"),
        pytest.param("torch.sum", "b n", (2,), "tensor-rank", id="no such axis"),
        pytest.param("torch.sum", "b n", ((0, -2),), "tensor-op", id="an axis twice"),
        pytest.param("torch.std", "b n", (False,), "", id="the estimator, not an axis"),
        pytest.param("numpy.sum", "b n", (0,), "n", id="NumPy"),
        pytest.param("numpy.mean", "b n", ((),), "b n", id="NumPy folds no axis for ()"),
        pytest.param("torch.sum", "b n", ((),), "", id="torch folds all axes for ()"),
    ],
)
def test_axes_fold(call: Any, op: str, source: str, args: Any, expected: str) -> None:
    assert call(op, call.array(source), *args) == expected


def test_axes_that_are_not_known_leave_an_array_of_any_shape(call: Any) -> None:
    found = call.outcome("torch.sum", call.array("... d"), 0)
    assert isinstance(found, Tensor)
    assert found.shape.rank is None


def test_a_kept_axis_is_meant_to_broadcast(call: Any) -> None:
    found = call.outcome("torch.mean", call.array("b n"), axis=1, keepdims=True)
    assert found.shape.fixed[1].intent is Intent.KEEPDIM


def test_a_maximum_along_an_axis_is_a_named_tuple(call: Any) -> None:
    found = call.outcome("torch.max", call.array("b n"), 1)
    assert isinstance(found, Fields)
    assert found.names == ("values", "indices")
    indices = found.field("indices")
    assert isinstance(indices, Tensor)
    assert (indices.shape.text, indices.dtype.text) == ("b", "Int64")
    assert found.field("places") is None


def test_a_maximum_of_two_arrays_broadcasts(call: Any) -> None:
    assert call("torch.max", call.array("b n"), call.array("n")) == "b n"
    assert call("torch.max", call.array("b n"), call.array("b")) == "tensor-shape"


def test_torch_has_no_mean_of_integers(call: Any) -> None:
    whole = call.array("n").with_dtype(DType.named("Int64"))
    found = call.outcome("torch.mean", whole)
    assert found.text == "`mean`: dtype is int64, expected Float; fix: convert with `.float()`"


@pytest.mark.parametrize(
    ("source", "kwargs", "expected"),
    [
        pytest.param("... d", {"keepdim": True}, "...", id="all axes of an unknown number"),
        pytest.param("b n", {"dim": 1, "keepdim": "a setting"}, "...", id="an unknown flag"),
        pytest.param("b n", {"dim": "an axis"}, "...", id="an unknown axis"),
        pytest.param("", {"dim": -1}, "", id="torch lets a scalar pass"),
    ],
)
def test_what_is_not_known_leaves_the_shape_open(
    call: Any, source: str, kwargs: Any, expected: str
) -> None:
    assert call("torch.sum", call.array(source), **kwargs) == expected
