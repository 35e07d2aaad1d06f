# SPDX-License-Identifier: Apache-2.0
"""What is certain about the order of two dims."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from typedtensors.dims import Dim, at_most, larger, maximum, minimum, parse_dim, smaller

CERTAIN = [
    pytest.param("n", "n", id="itself"),
    pytest.param("n-1", "n", id="less by a literal"),
    pytest.param("1", "n", id="every size is at least 1"),
    pytest.param("n//2", "n", id="a part"),
    pytest.param("(n+1)//2", "n", id="a half, rounded up"),
    pytest.param("min(n,m)", "n", id="the minimum"),
    pytest.param("0", "n//2", id="a quotient is no less than 0"),
    pytest.param("n", "2*n", id="a multiple"),
    pytest.param("n-min(n,k)", "n", id="what is left of it"),
]
OPEN = [
    pytest.param("2", "n", id="a literal and a name"),
    pytest.param("n", "m", id="two names"),
    pytest.param("0", "n-m", id="a difference"),
    pytest.param("0", "(n-m)//2", id="a part of a difference"),
    pytest.param("n", "max(k,n-m)", id="a maximum of others"),
]


@pytest.mark.parametrize(("left", "right"), CERTAIN)
def test_order_is_certain(left: str, right: str) -> None:
    small, large = parse_dim(left), parse_dim(right)
    assert at_most(small, large)
    assert smaller(small, large) == small
    assert larger(large, small) == large


@pytest.mark.parametrize(("left", "right"), OPEN)
def test_order_is_open(left: str, right: str) -> None:
    one, other = parse_dim(left), parse_dim(right)
    assert not at_most(one, other)
    assert not at_most(other, one)
    assert smaller(one, other) == minimum(one, other)
    assert larger(one, other) == maximum(one, other)


_ATOMS = st.sampled_from(["n", "m", "1", "2", "5"]).map(parse_dim)
_DIMS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.sampled_from([2, 3])).map(lambda pair: pair[0] // pair[1]),
        st.tuples(inner, inner).map(lambda pair: minimum(*pair)),
        st.tuples(inner, inner).map(lambda pair: maximum(*pair)),
    ),
    max_leaves=6,
)


@given(_DIMS, _DIMS, st.integers(1, 9), st.integers(1, 9))
def test_a_certain_order_holds_at_every_size(left: Dim, right: Dim, n: int, m: int) -> None:
    sizes = {"n": n, "m": m}
    if at_most(left, right):
        assert left.evaluate(sizes) <= right.evaluate(sizes)
    assert smaller(left, right).evaluate(sizes) == min(left.evaluate(sizes), right.evaluate(sizes))
