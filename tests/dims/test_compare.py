# SPDX-License-Identifier: Apache-2.0
"""Three verdicts on two dims: no name is another one, and what is not certain is undecided."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.dims.drawn_dims import NAMES, Sizes, dims, sizes
from typedtensors.dims import Dim, Verdict, compare, parse_dim

EQUAL, DIFFERENT, UNDECIDED = Verdict.EQUAL, Verdict.DIFFERENT, Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        pytest.param("h", "h", EQUAL, id="one name"),
        pytest.param("2*(h+1)", "2*h+2", EQUAL, id="one normal form"),
        pytest.param("h*w", "w*h", EQUAL, id="products commute"),
        pytest.param("batch", "seq", DIFFERENT, id="two names"),
        pytest.param("batch", "4", DIFFERENT, id="a name and a literal"),
        pytest.param("batch", "1", DIFFERENT, id="a name and 1"),
        pytest.param("3", "4", DIFFERENT, id="two literals"),
        pytest.param("h", "h+1", DIFFERENT, id="a constant apart"),
        pytest.param("h//2", "h", DIFFERENT, id="half of a size is not the size"),
        pytest.param("2*(h//2)", "h", UNDECIDED, id="equal for even sizes"),
        pytest.param("(h+1)//2", "h//2", UNDECIDED, id="rounding up equals rounding down if even"),
        pytest.param("h%2", "0", UNDECIDED, id="a remainder may be 0"),
        pytest.param("min(max_len,seq)", "batch", DIFFERENT, id="neither operand is batch"),
        pytest.param("min(max_len,seq)", "seq", UNDECIDED, id="the minimum may be seq"),
        pytest.param("heads*d", "d", DIFFERENT, id="a multiple"),
        pytest.param("h*w", "h*w*c", DIFFERENT, id="a product and a longer one"),
        pytest.param("4*n", "2*n", DIFFERENT, id="two multiples"),
        pytest.param("n+m", "2*n", DIFFERENT, id="a sum of distinct names is not twice one"),
    ],
)
def test_the_verdict_on_declared_dims(left: str, right: str, verdict: Verdict) -> None:
    assert compare(parse_dim(left), parse_dim(right)) is verdict
    assert compare(parse_dim(right), parse_dim(left)) is verdict


def test_an_opaque_dim_may_be_anything() -> None:
    width = Dim.opaque("self.d")
    for other in (Dim.name("d"), Dim.of(4), Dim.opaque("cfg.d"), 2 * width):
        assert compare(width, other) is UNDECIDED


def test_an_opaque_dim_is_itself_and_not_itself_plus_one() -> None:
    width = Dim.opaque("self.d")
    assert compare(width, width) is EQUAL
    assert compare(width, width + 1) is DIFFERENT


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        pytest.param("heads*(2*d//(3*heads))", "d", DIFFERENT, id="two thirds of a width at most"),
        pytest.param("heads*(d//heads)", "d", UNDECIDED, id="equal if heads divide the width"),
        pytest.param("d*heads", "d", UNDECIDED, id="one head"),
        pytest.param("d+heads", "d", DIFFERENT, id="a size more"),
        pytest.param("d//heads+d", "d", UNDECIDED, id="more heads than width"),
        pytest.param("d//heads", "n", UNDECIDED, id="a caller may see to it"),
        pytest.param("heads*(d//(16*heads))", "heads", UNDECIDED, id="equal for great widths"),
        pytest.param("d//(heads-1)+d+1", "d", DIFFERENT, id="divided by what may be 0"),
    ],
)
def test_the_verdict_where_a_size_is_not_declared(left: str, right: str, verdict: Verdict) -> None:
    """`heads` is an integer of an object, of which a caller may know how it relates to others."""
    (declared,) = Dim.name("heads").atoms
    member = {declared: Dim.member("heads", Dim.scope())}
    one, other = (parse_dim(text).substitute(member) for text in (left, right))
    assert compare(one, other) is verdict
    assert compare(other, one) is verdict


@given(dims(), dims(), sizes())
def test_equal_dims_are_equal_at_every_size(left: Dim, right: Dim, at: Sizes) -> None:
    try:
        values = left.evaluate(at), right.evaluate(at)
    except ZeroDivisionError:
        return
    if compare(left, right) is EQUAL:
        assert values[0] == values[1]


@given(dims(), dims())
def test_dims_that_agree_at_ordinary_sizes_are_not_called_different(left: Dim, right: Dim) -> None:
    """Ordinary: distinct and large, so that no two names nor a literal coincide by accident."""
    agree = all(
        _evaluate(left, offset) == _evaluate(right, offset) is not None
        for offset in (100, 101, 102, 103, 1000, 1001)
    )
    if agree:
        assert compare(left, right) is not DIFFERENT


def _evaluate(dim: Dim, offset: int) -> int | None:
    try:
        return dim.evaluate({name: offset * (i + 1) + 7 * i for i, name in enumerate(NAMES)})
    except ZeroDivisionError:
        return None


@given(dims(), dims())
def test_the_verdict_does_not_depend_on_the_order(left: Dim, right: Dim) -> None:
    assert compare(left, right) is compare(right, left)
