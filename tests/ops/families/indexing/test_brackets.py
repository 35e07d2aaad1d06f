# SPDX-License-Identifier: Apache-2.0
"""Indexing with symbolic bounds, unknown axes, arrays and masks."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Unknown
from typedtensors.shapes import DType, Intent, Tensor

GET, SET = "torch.Tensor.__getitem__", "torch.Tensor.__setitem__"
NUMPY_GET = "numpy.ndarray.__getitem__"
ALL = slice(None)
N, K, SELF_K = Dim.name("n"), Dim.name("k"), Dim.opaque("self.k")
INT, BOOL, FLOAT = (DType(frozenset({name})) for name in ("int64", "bool", "float32"))


@pytest.mark.parametrize(
    ("source", "key", "expected"),
    [
        pytest.param("b n", (ALL, slice(None, 3)), "b min(3,n)", id="at most 3"),
        pytest.param("b n", (ALL, slice(None, 1)), "b 1", id="the first, its axis kept"),
        pytest.param("b n", (ALL, slice(1, None)), "b n-1", id="all but the first"),
        pytest.param("b n", (ALL, slice(None, -1)), "b n-1", id="all but the last"),
        pytest.param("b n", (ALL, slice(None, None, 2)), "b (n+1)//2", id="every other"),
        pytest.param("b n", (ALL, slice(None, N // 2)), "b n//2", id="the first half"),
        pytest.param("b n", (ALL, slice(N // 2, None)), "b n-n//2", id="the second half"),
        pytest.param("b n", (ALL, slice(None, K)), "b min(k,n)", id="a named bound"),
        pytest.param("b n", (ALL, slice(-K, None)), "b min(k,n)", id="a named bound from behind"),
        pytest.param("b n", (ALL, slice(None, SELF_K)), "b _", id="a configured bound"),
        pytest.param("b n", (ALL, slice(None, Unknown("?"))), "b _", id="an unknown bound"),
        pytest.param("b n", (ALL, slice(None, N)), "b n", id="the whole axis"),
        pytest.param("b #n", (ALL, slice(None, 3)), "b _", id="an axis that may be 1"),
        pytest.param("b 7", (ALL, slice(5, 2)), "b 0", id="nothing"),
        pytest.param("*batch n d", (..., 0), "*batch n", id="right of unknown axes"),
        pytest.param("b ...", 0, "...", id="left of unknown axes"),
        pytest.param("... h w", 0, "... w", id="one of unknown axes: w is left in any case"),
        pytest.param("...", (ALL, None), "_ 1 ...", id="a new axis among unknown ones"),
        pytest.param("b n", (..., None, ALL), "b 1 n", id="a new axis from the right"),
        pytest.param("b n", Unknown("?"), "unknown", id="an unknown index"),
        pytest.param("b n", (0, 0, 0), "tensor-rank", id="too many indices"),
        pytest.param("b 3", (ALL, 3), "tensor-op", id="out of range"),
        pytest.param("b 3", (ALL, -4), "tensor-op", id="out of range from behind"),
        pytest.param("b n", (ALL, N), "tensor-op", id="the size itself is out of range"),
        pytest.param("b 3", (ALL, [0, 3]), "tensor-op", id="one of several is out of range"),
        pytest.param("b n", (ALL, SELF_K), "b", id="a configured position"),
        pytest.param("b n", slice(None, None, -1), "tensor-op", id="backwards"),
    ],
)
def test_an_index_leaves_axes(call: Any, source: str, key: Any, expected: str) -> None:
    assert call(GET, call.array(source), key) == expected


def test_new_and_single_axes_are_meant_to_broadcast(call: Any) -> None:
    indexed = call.outcome(GET, call.array("b n"), (None, slice(None, 1)))
    assert [axis.intent for axis in indexed.shape.axes] == [Intent.INDEX, Intent.INDEX, None]


def test_numpy_goes_backwards(call: Any) -> None:
    assert call(NUMPY_GET, call.array("b n"), slice(None, None, -1)) == "b n"


@pytest.mark.parametrize(
    ("op", "key", "expected"),
    [
        pytest.param(GET, ("ids",), "k n d", id="one array"),
        pytest.param(GET, (ALL, "ids"), "b k d", id="one array behind"),
        pytest.param(GET, ("ids", "ids"), "k d", id="two arrays"),
        pytest.param(GET, ("ids", ALL, "ids"), "k n", id="two arrays apart"),
        pytest.param(GET, (0, ALL, "ids"), "n k", id="torch takes an integer first"),
        pytest.param(NUMPY_GET, (0, ALL, "ids"), "k n", id="NumPy counts it as an array"),
        pytest.param(GET, (ALL, "mask"), "b _ d", id="a mask"),
        pytest.param(GET, (ALL, ALL, "mask"), "tensor-shape", id="a mask of another axis"),
        pytest.param(GET, ("floats",), "tensor-op", id="an array of floats"),
        pytest.param(GET, ("any",), "unknown", id="an array of unknown dtype"),
    ],
)
def test_index_arrays(call: Any, op: str, key: Any, expected: str) -> None:
    arrays = {
        "ids": Tensor(call.array("k").shape, INT),
        "mask": Tensor(call.array("n").shape, BOOL),
        "floats": Tensor(call.array("k").shape, FLOAT),
        "any": call.array("k"),
    }
    filled = tuple(arrays[part] if isinstance(part, str) else part for part in key)
    assert call(op, call.array("b n d"), filled) == expected


def test_a_mask_of_a_configured_axis_teaches_its_size(call: Any) -> None:
    mask = Tensor(call.array("self.k").shape, BOOL)
    call(GET, call.array("b n"), (ALL, mask))
    assert call.same("self.k", "n")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        pytest.param((ALL, 0), "b", "None", id="fits"),
        pytest.param((ALL, 0), "n", "tensor-shape", id="another name"),
        pytest.param((ALL, 0), "1 1 b", "None", id="leading ones"),
        pytest.param(0, "b n", "tensor-shape", id="more axes than the part"),
        pytest.param((ALL, 0), "...", "None", id="unknown"),
    ],
)
def test_an_assigned_value_fits_the_part(call: Any, key: Any, value: str, expected: str) -> None:
    assert call(SET, call.array("b n"), key, call.array(value)) == expected
