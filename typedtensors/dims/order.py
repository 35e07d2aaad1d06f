# SPDX-License-Identifier: Apache-2.0
"""Which of two dims is the larger one, where that is certain."""

from __future__ import annotations

from math import prod

from typedtensors.dims.arithmetic import maximum, minimum
from typedtensors.dims.dim import Atom, Compound, Dim, Operator

# A bound is replaced by a simpler one at most this often.
_DEPTH = 4


def at_most(left: Dim, right: Dim) -> bool:
    """Whether `left <= right` whatever the names are; every name is a size of at least 1."""
    return nonnegative(right - left)


def nonnegative(dim: Dim) -> bool:
    """Whether the dim is 0 or more whatever the names are; False if that is not certain."""
    return _nonnegative(dim, _DEPTH)


def smaller(left: Dim, right: Dim) -> Dim:
    """The smaller one: one of the two where the order is certain, else their `min`."""
    if at_most(left, right):
        return left
    return right if at_most(right, left) else minimum(left, right)


def larger(left: Dim, right: Dim) -> Dim:
    """The larger one: one of the two where the order is certain, else their `max`."""
    if at_most(left, right):
        return right
    return left if at_most(right, left) else maximum(left, right)


def _nonnegative(dim: Dim, depth: int) -> bool:
    subtracted = [(factors, c) for factors, c in dim.terms if c < 0 and factors]
    if not subtracted:
        return _least(dim, depth) >= 0
    if depth == 0 or len(subtracted[0][0]) != 1:
        return False
    factor, coefficient = subtracted[0][0][0], subtracted[0][1]
    rest = dim - Dim.atom(factor) * coefficient
    return any(
        _nonnegative(rest * by + bound * coefficient, depth - 1) for bound, by in _above(factor)
    )


def _above(factor: Atom | Compound) -> list[tuple[Dim, int]]:
    """Pairs of a bound and a divisor: the factor is at most `bound / divisor`."""
    if isinstance(factor, Atom):
        return []
    if factor.operator is Operator.MIN:
        return [(operand, 1) for operand in factor.operands]
    divisor = factor.operands[1].value if factor.operator is Operator.FLOORDIV else None
    return [(factor.operands[0], divisor)] if divisor is not None and divisor > 0 else []


def _least(dim: Dim, depth: int) -> int:
    """A lower bound of a dim that subtracts no names; negative if there is none."""
    total = 0
    for factors, coefficient in dim.terms:
        least = [_least_factor(factor, depth) for factor in factors]
        if min(least, default=0) < 0:
            return -1
        total += coefficient * prod(least)
    return total


def _least_factor(factor: Atom | Compound, depth: int) -> int:
    if isinstance(factor, Atom):
        return 1
    signs = [depth > 0 and _nonnegative(operand, depth - 1) for operand in factor.operands]
    return 0 if (any if factor.operator is Operator.MAX else all)(signs) else -1
