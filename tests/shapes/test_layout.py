# SPDX-License-Identifier: Apache-2.0
"""Views that mix axes, beside arrays whose elements say where they were."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from typedtensors.dims import Dim, Facts, product
from typedtensors.shapes import Shape
from typedtensors.shapes.layout import made_of, scrambled, shuffled

SIZES = {"a": 2, "b": 3, "c": 5, "d": 7}


@st.composite
def groupings(draw: st.DrawFn) -> list[list[str]]:
    """The names in any order, some of them merged into one axis."""
    names = draw(st.permutations(sorted(SIZES)))
    cuts = draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    groups: list[list[str]] = [[]]
    for name, cut in zip(names, cuts, strict=True):
        if cut and groups[-1]:
            groups.append([])
        groups[-1].append(name)
    return groups


def shape_of(groups: Sequence[Sequence[str]]) -> Shape:
    return Shape.of(*(product(map(Dim.name, group)) for group in groups))


def sizes_of(groups: Sequence[Sequence[str]]) -> list[int]:
    return [prod(SIZES[name] for name in group) for group in groups]


def is_made_of_whole_axes(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], at: int
) -> bool:
    """Whether the position along a new axis is said by those along the old ones that it names."""
    old, new = sizes_of(before), sizes_of(after)
    own = [place for place, group in enumerate(before) if {*group} <= {*after[at]}]
    where = np.indices(old)[own].reshape(len(own), -1)
    along = np.indices(new)[at].reshape(1, -1)
    return len({*zip(*where, strict=True)}) == len({*zip(*where, *along, strict=True)})


def keeps(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], size: int) -> bool:
    """Whether each element has the position along an axis that it had before the view."""
    old, new = sizes_of(before), sizes_of(after)
    viewed = np.indices(old)[old.index(size)].reshape(new)
    return bool((viewed == np.indices(new)[new.index(size)]).all())


@given(groupings(), groupings())
def test_an_axis_is_said_to_be_mixed_exactly_if_its_elements_move(
    before: list[list[str]], after: list[list[str]]
) -> None:
    shared = {*sizes_of(before)} & {*sizes_of(after)}
    moved = {size for size in shared if not keeps(before, after, size)}
    found = scrambled(shape_of(before), shape_of(after), Facts())
    size = None if found is None else found.axis.dim.evaluate(SIZES)
    if size not in (None, *moved):
        assert not is_made_of_whole_axes(before, after, sizes_of(after).index(size))
    # A count that no axis shows could be 1, or another name for what stands in its place.
    every = {name for group in (*before, *after) for name in group if len(group) == 1}
    if moved and every == SIZES.keys():
        assert found is not None


@given(groupings(), groupings())
def test_the_order_that_is_proposed_keeps_every_axis(
    before: list[list[str]], after: list[list[str]]
) -> None:
    found = scrambled(shape_of(before), shape_of(after), Facts())
    if found is not None and found.order is not None:
        ordered = [before[at] for at in found.order]
        assert scrambled(shape_of(ordered), shape_of(after), Facts()) is None


def test_what_was_merged_is_split_in_the_same_order() -> None:
    whole = Shape.of("a", "b", "c")
    rows = made_of(whole, shape_of([["a", "b"], ["c"]]), Facts())
    assert scrambled(rows, whole, Facts()) is None
    found = scrambled(rows, Shape.of("b", "a", "c"), Facts())
    assert found is not None
    assert found.order is None


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param("a b", "b a", ("a, b", "b, a"), id="in another order"),
        pytest.param("a b", "a b", None, id="in the same order"),
        pytest.param("a b c", "c a b", ("a, b, c", "c, a, b"), id="three"),
        pytest.param("a a", "a a", None, id="a square"),
        pytest.param("a b", "a c", None, id="other sizes"),
    ],
)
def test_axes_are_shuffled(first: str, second: str, expected: tuple[str, str] | None) -> None:
    one, two = (
        made_of(Shape.of(*names.split()), Shape.of(product(map(Dim.name, names.split()))), Facts())
        for names in (first, second)
    )
    assert shuffled(one.axis(0), two.axis(0)) == expected
