# SPDX-License-Identifier: Apache-2.0
"""Joining and splitting arrays of symbolic sizes."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Many, Unknown

N, M, K, SELF_K = Dim.name("n"), Dim.name("m"), Dim.name("k"), Dim.opaque("self.k")


@pytest.mark.parametrize(
    ("sources", "axis", "expected"),
    [
        pytest.param(["b n", "b m"], 1, "b m+n", id="sizes add up"),
        pytest.param(["b n", "b n-1"], -1, "b 2*n-1", id="with arithmetic"),
        pytest.param(["b n", "c n"], 1, "tensor-shape", id="another axis differs"),
        pytest.param(["b n", "b"], 1, "tensor-rank", id="ranks differ"),
        pytest.param(["*batch n", "*batch m"], -1, "*batch m+n", id="after *batch"),
        pytest.param(["... n", "... m"], -1, "... m+n", id="after unknown axes"),
        pytest.param(["... n", "b m"], -1, "b m+n", id="one known rank is enough"),
        pytest.param(["... n", "... m"], 0, "unknown", id="among unknown axes"),
        pytest.param(["b #n", "b m"], 1, "b _", id="an axis that may be 1"),
        pytest.param(["self.k n", "b m"], 1, "b m+n", id="a declared name is kept"),
        pytest.param(["b n", "0"], 1, "b n", id="torch skips the empty vector"),
    ],
)
def test_cat_adds_one_axis(call: Any, sources: list[str], axis: int, expected: str) -> None:
    arrays = [call.array(source) for source in sources]
    assert call("torch.cat", arrays, axis) == expected


def test_cat_teaches_a_configured_size(call: Any) -> None:
    call("torch.cat", [call.array("b n"), call.array("self.k m")], 1)
    assert call.same("self.k", "b")


def test_an_unknown_array_in_a_list_fits(call: Any) -> None:
    assert call("torch.cat", [call.array("b n"), Unknown("?")], 1) == "b _+n"
    assert call("torch.stack", [Unknown("?"), call.array("b n")]) == "2 b n"
    assert call("torch.cat", [Unknown("?"), Unknown("?")], 1) == "..."
    assert call("torch.stack", Unknown("?"), -1) == "... len"
    assert call("numpy.stack", Unknown("?")) == "unknown"


@pytest.mark.parametrize(
    ("sources", "axis", "expected"),
    [
        pytest.param(["b n", "b n"], 0, "2 b n", id="in front"),
        pytest.param(["*batch n", "*batch n"], -1, "*batch n 2", id="behind"),
        pytest.param(["b n", "n b"], 0, "tensor-shape", id="shapes differ"),
        pytest.param(["b n", "..."], 0, "2 b n", id="one shape is enough"),
    ],
)
def test_stack_adds_an_axis(call: Any, sources: list[str], axis: int, expected: str) -> None:
    assert call("torch.stack", [call.array(source) for source in sources], axis) == expected


@pytest.mark.parametrize(
    ("op", "source", "how", "expected"),
    [
        pytest.param("split", "b 7", 3, "b 3, b 3, b 1", id="pieces of a size"),
        pytest.param("split", "b 3*n", N, "b n, b n, b n", id="pieces of a name"),
        pytest.param("split", "b n+m", [N, M], "b n, b m", id="sizes that add up"),
        pytest.param("split", "b 5", [2, 2], "tensor-shape", id="sizes that do not"),
        pytest.param("split", "b n", 3, "any number of b piece", id="some pieces"),
        pytest.param("chunk", "b 3*n", 3, "b n, b n, b n", id="equal pieces"),
        pytest.param("chunk", "b n", 2, "b (n+1)//2, b n-(n+1)//2", id="two of any size"),
        pytest.param("chunk", "b n", 3, "any number of b piece", id="three of 4 are two"),
        pytest.param("unbind", "b 2", 1, "b, b", id="of a literal size"),
    ],
)
def test_split_gives_pieces(call: Any, op: str, source: str, how: Any, expected: str) -> None:
    args = (1,) if op == "unbind" else (how, 1)
    assert call(f"torch.{op}", call.array(source), *args) == expected


def test_split_teaches_what_a_size_is_made_of(call: Any) -> None:
    assert call("torch.split", call.array("b k"), [N, M], 1) == "b n, b m"
    assert call.same("k", "n+m")


@pytest.mark.parametrize(
    ("source", "sizes", "expected"),
    [
        pytest.param("b 1", (N, K), "tensor-shape", id="b does not stretch"),
        pytest.param("b 1", (-1, K), "b k", id="-1 keeps, 1 stretches"),
        pytest.param("n", (-1, N), "tensor-op", id="-1 for a new axis"),
        pytest.param("... 1", (M, K), "m k", id="the result's rank is known"),
        pytest.param("... n", (-1, -1), "_ n", id="-1 for an unknown axis"),
        pytest.param("b #n", (-1, K), "b k", id="an axis that may be 1"),
        pytest.param("b self.k", (-1, K), "b k", id="a configured size may be 1"),
    ],
)
def test_expand_stretches_ones(call: Any, source: str, sizes: Any, expected: str) -> None:
    assert call("torch.Tensor.expand", call.array(source), *sizes) == expected


def test_a_configured_size_that_is_expanded_may_be_1(call: Any) -> None:
    call("torch.Tensor.expand", call.array("b self.k"), -1, N)
    assert not call.same("self.k", "n")


def test_any_number_of_arrays_make_an_axis_of_unknown_size(call: Any) -> None:
    many = Many(call.array("h w"))
    assert call("torch.stack", many) == "len h w"
    assert call("torch.cat", many, -1) == "h len*w"
    assert call("torch.stack", Many(Unknown("?"))) == "len ..."
