# SPDX-License-Identifier: Apache-2.0
"""Patterns over symbolic sizes, and patterns that cannot be meant."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Unknown
from typedtensors.ops.steps.axes.patterns import PatternError, parse_pattern

H, SELF_H = Dim.name("h"), Dim.opaque("self.h")


@pytest.mark.parametrize(
    ("source", "pattern", "sizes", "expected"),
    [
        pytest.param("b n d", "b n d -> b (n d)", {}, "b d*n", id="merges"),
        pytest.param("b d", "b (h e) -> b h e", {"h": 2}, "b 2 d//2", id="splits a name"),
        pytest.param("b d", "b (h e) -> b h e", {"h": SELF_H}, "b self.h d//self.h", id="config"),
        pytest.param("*batch n d", "... n d -> ... d n", {}, "*batch d n", id="keeps *batch"),
        pytest.param("... d", "... d -> d ...", {}, "d ...", id="moves unknown axes"),
        pytest.param("b 3", "b 1 -> b", {}, "tensor-shape", id="an axis that is not 1"),
        pytest.param("b n", "b n d -> b d n", {}, "tensor-rank", id="too few axes"),
        pytest.param("b n", "b n -> b", {}, "tensor-op", id="loses a name"),
        pytest.param("b 6", "b (h e) -> b h e", {"h": 4}, "tensor-shape", id="does not divide"),
        pytest.param("b 6", "b (h e) -> b h e", {}, "tensor-op", id="two sizes follow"),
        pytest.param("b n", "b n -> n b", {"k": 2}, "tensor-op", id="a size of no axis"),
        pytest.param("b #n", "b n -> n b", {}, "#n b", id="an axis that may be 1"),
    ],
)
def test_rearrange(call: Any, source: str, pattern: str, sizes: Any, expected: str) -> None:
    assert call("einops.rearrange", call.array(source), pattern, **sizes) == expected


def test_rearrange_teaches_how_an_axis_splits(call: Any) -> None:
    sizes = {"h": SELF_H, "e": Dim.opaque("self.e")}
    call("einops.rearrange", call.array("b d"), "b (h e) -> b h e", **sizes)
    assert call.same("d", "self.h*self.e")


def test_reduce_folds_what_is_left_out(call: Any) -> None:
    image = call.array("b c h w")
    assert call("einops.reduce", image, "b c (h 2) (w 2) -> b c h w", "max") == "b c h//2 w//2"


def test_repeat_needs_the_sizes_of_new_axes(call: Any) -> None:
    assert call("einops.repeat", call.array("n d"), "n d -> b n d", b=H) == "h n d"
    assert call("einops.repeat", call.array("n d"), "n d -> b n d") == "tensor-op"


def test_a_computed_pattern_is_silent(call: Any) -> None:
    assert call("einops.rearrange", call.array("n d"), Unknown("?")) == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        "a b",
        "a -> b -> c",
        "(a (b)) -> a b",
        "(a -> a",
        "a) -> a",
        "a a -> a",
        "a _b -> a",
        "a- -> a",
    ],
)
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(PatternError):
        parse_pattern(text)


def test_a_size_of_minus_one_is_for_the_framework_to_read(call: Any) -> None:
    """It is passed on, and torch then keeps the size there is."""
    assert call("einops.repeat", call.array("n d"), "n d -> b n d", b=-1) == "unknown"
    assert call("einops.repeat", call.array("n d"), "n d -> b n d", b=-2) == "tensor-op"
