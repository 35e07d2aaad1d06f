# SPDX-License-Identifier: Apache-2.0
"""What an undecided broadcast can be."""

from __future__ import annotations

import pytest

from typedtensors.dims import Dim
from typedtensors.shapes import Shape
from typedtensors.shapes.broadcast import broadcast, readings

K, L = Dim.opaque("k"), Dim.opaque("l")


def _texts(*shapes: Shape) -> list[str]:
    return [str(reading.shape) for reading in readings(broadcast(shapes))]


def test_an_unknown_size_is_that_of_the_axis_it_meets_or_one() -> None:
    found = readings(broadcast([Shape.of("b", K), Shape.of("b")]))
    assert all(reading.decided for reading in found)
    assert [len(reading.shape.axes) for reading in found if reading.shape is not None] == [2, 2]
    assert [reading.facts.resolve(K) for reading in found] == [Dim.name("b"), Dim.of(1)]


def test_a_size_that_meets_two_others_can_only_be_one() -> None:
    """As in `x / x.sum(-1)`, which lacks a `keepdim`."""
    found = readings(broadcast([Shape.of("b", K, "t"), Shape.of("b", K)]))
    assert [str(reading.shape) for reading in found] == ["(b, b, t)"]
    assert [reading.facts.resolve(K) for reading in found] == [Dim.of(1)]


@pytest.mark.parametrize(
    "shapes",
    [
        pytest.param((Shape.of("b", K), Shape.of("c")), id="the size stands on no other axis"),
        pytest.param((Shape.of("b", K), Shape.of(8)), id="a literal"),
        pytest.param((Shape.of("b", K), Shape.of("b", "b")), id="the other axes agree"),
        pytest.param((Shape.of("b", "c"), Shape.of("c")), id="nothing is undecided"),
        pytest.param((Shape.of("b", K, K), Shape.of("b", "b")), id="two are undecided"),
        pytest.param((Shape.of("b", K), Shape.of(K)), id="one size"),
        pytest.param((Shape.of("t", K), Shape.of(K, "t")), id="each meets the other"),
        pytest.param((Shape.of("b", K, L), Shape.of("b", "c", "d")), id="two unknown sizes"),
        pytest.param((Shape.of("b", K), Shape.of("b"), Shape.of()), id="three operands"),
    ],
)
def test_there_is_nothing_to_tell_apart(shapes: tuple[Shape, ...]) -> None:
    assert _texts(*shapes) == []
