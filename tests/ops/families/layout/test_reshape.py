# SPDX-License-Identifier: Apache-2.0
"""Views: counts that agree, that teach, and that cannot agree."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Unknown
from typedtensors.shapes import Intent, Variadic

VIEW = "torch.Tensor.view"
B, T, D, N = map(Dim.name, "btdn")
HEADS, D_HEAD = Dim.opaque("self.heads"), Dim.opaque("self.d_head")


@pytest.mark.parametrize(
    ("source", "sizes", "expected"),
    [
        pytest.param("b t d", (-1, D), "b*t d", id="merges axes in front"),
        pytest.param("b t d", (B, -1), "b d*t", id="merges axes behind"),
        pytest.param("b 6", (B, 2, -1), "b 2 3", id="splits a literal"),
        pytest.param("b d", (B, 4, -1), "b 4 d//4", id="splits a name"),
        pytest.param("b h w c", (-1, 784), "_ 784", id="splits several names into an unknown"),
        pytest.param("b t d", ((B, T * D),), "b d*t", id="takes a tuple"),
        pytest.param("*batch d", (Variadic("batch"), 2, -1), "*batch 2 d//2", id="keeps *batch"),
        pytest.param("... d", (-1, D), "_ d", id="unknown prefix becomes one axis"),
        pytest.param("... d", (B, T), "b t", id="an unknown count agrees with any"),
        pytest.param("#b d", (B, D), "b d", id="an axis that may be 1 agrees"),
        pytest.param("b d", (Unknown("?"), D), "_ d", id="an unknown size is an unknown axis"),
        pytest.param("0 d", (0, 5), "0 5", id="no elements are no elements"),
    ],
)
def test_view_has_the_sizes_asked_for(call: Any, source: str, sizes: Any, expected: str) -> None:
    assert call(VIEW, call.array(source), *sizes) == expected


@pytest.mark.parametrize(
    ("source", "sizes", "code"),
    [
        pytest.param("b t d", (B, D), "tensor-shape", id="drops a name"),
        pytest.param("b t d", (B, T, 2, D), "tensor-shape", id="doubles the count"),
        pytest.param("b n", (B, T), "tensor-shape", id="takes one name for another"),
        pytest.param("b 3", (B, 2, -1), "tensor-shape", id="splits an odd literal"),
        pytest.param("b t", (-1, -1), "tensor-op", id="two unknowns"),
        pytest.param("b t", (B, -2), "tensor-op", id="negative size"),
    ],
)
def test_view_that_cannot_keep_the_count_is_reported(
    call: Any, source: str, sizes: Any, code: str
) -> None:
    assert call(VIEW, call.array(source), *sizes) == code


def test_view_teaches_how_configured_sizes_multiply(call: Any) -> None:
    """`x.view(b, t, self.heads, self.d_head)` says that `d` is their product."""
    assert call(VIEW, call.array("b t d"), B, T, HEADS, D_HEAD) == "b t self.heads self.d_head"
    assert call.same("d", "self.heads*self.d_head")


def test_view_teaches_how_declared_sizes_multiply(call: Any) -> None:
    """Parameters `heads` and `d_head` split `d`; that is what they are for."""
    heads, d_head = Dim.name("heads"), Dim.name("d_head")
    assert call(VIEW, call.array("b t d"), B, T, heads, d_head) == "b t heads d_head"
    assert call.same("d", "heads*d_head")
    assert call(VIEW, call.array("b t heads d_head"), B, T, -1) == "b t d_head*heads"


def test_what_a_view_taught_can_be_contradicted(call: Any) -> None:
    call(VIEW, call.array("b d"), B, 4, D_HEAD)
    assert call(VIEW, call.array("b d"), B, 8, D_HEAD) == "tensor-shape"


def test_a_literal_one_in_a_view_is_meant_to_broadcast(call: Any) -> None:
    viewed = call.outcome(VIEW, call.array("b d"), B, 1, D)
    assert [axis.intent for axis in viewed.shape.axes] == [None, Intent.VIEW, None]


def test_the_sizes_of_a_view_may_be_unknown(call: Any) -> None:
    assert call(VIEW, call.array("b d"), Unknown("?")) == "unknown"


@pytest.mark.parametrize(
    ("source", "args", "expected"),
    [
        pytest.param("b c h w", (1,), "b c*h*w", id="from an axis on"),
        pytest.param("b c h w", (-2,), "b c h*w", id="from the right"),
        pytest.param("b", (0,), "b", id="one axis stays"),
        pytest.param("...", (1,), "_ _", id="unknown rank"),
        pytest.param("b ...", (1,), "b _", id="unknown axes behind"),
        pytest.param("... h w", (-2,), "... h*w", id="unknown axes in front"),
        pytest.param("b #c", (0,), "_", id="an axis that may be 1"),
        pytest.param("...", (0, -2), "unknown", id="an end that is not known"),
    ],
)
def test_flatten_merges_what_is_known(call: Any, source: str, args: Any, expected: str) -> None:
    assert call("torch.flatten", call.array(source), *args) == expected
