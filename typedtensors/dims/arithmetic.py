# SPDX-License-Identifier: Apache-2.0
"""The laws of `Dim`: each function simplifies, so that equal results have equal normal forms."""

from __future__ import annotations

from collections import defaultdict
from math import gcd
from typing import TYPE_CHECKING

from typedtensors.dims.dim import Atom, Compound, Dim, Operator, lift

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typedtensors.dims.dim import Factor, Monomial


# Nobody writes, reads or compares a size with more to write than this: it becomes an integer of its
# own. Without a bound, a slice of a slice of a slice takes for ever.
_HEAVIEST = 256


def add(left: Dim, right: Dim) -> Dim:
    """The sum."""
    if not right.terms:
        return left
    if not left.terms:
        return right
    terms = defaultdict(int, left.terms)
    for monomial, coefficient in right.terms:
        terms[monomial] += coefficient
    return Dim.total(terms)


def scale(dim: Dim, by: int) -> Dim:
    """The dim times a literal."""
    if not by:
        return Dim.of(0)
    return Dim(tuple([(monomial, coefficient * by) for monomial, coefficient in dim.terms]))


def multiply(left: Dim, right: Dim) -> Dim:
    """The product, expanded; of too many terms, an opaque integer."""
    weight = left.weight * len(right.terms) + right.weight * len(left.terms)
    if weight > _HEAVIEST:
        return Dim.fresh()
    terms: defaultdict[Monomial, int] = defaultdict(int)
    for one, c in left.terms:
        for other, k in right.terms:
            terms[tuple(sorted(one + other, key=_key))] += c * k
    return Dim.total(terms)


def product(dims: Iterable[Dim]) -> Dim:
    """The product of any number of dims; 1 for none."""
    result = Dim.of(1)
    for dim in dims:
        result = multiply(result, dim)
    return result


def divide(dim: Dim, by: Dim) -> Dim | None:
    """The exact quotient, or None if the polynomials do not divide.

    `by` is taken to be non-zero: a size that divides another one.
    """
    if dim == by:
        return Dim.of(1)
    if len(by.terms) != 1:
        return _divide_by_sum(dim, by)
    quotient = {}
    for monomial, coefficient in dim.terms:
        shared = _cancel(monomial, by.terms[0][0])
        if shared is None or coefficient % by.terms[0][1]:
            return None
        quotient[shared] = coefficient // by.terms[0][1]
    return Dim.total(quotient)


def _divide_by_sum(dim: Dim, by: Dim) -> Dim | None:
    """Long division by a polynomial, so that `(h+1)*w` over `h+1` is `w`."""
    if not by.terms:
        return None
    lead = Dim((by.terms[0],))
    quotient, rest = Dim.of(0), dim
    for _ in range(len(dim.terms) + 1):
        if not rest.terms:
            return quotient
        part = divide(Dim((rest.terms[0],)), lead)
        if part is None:
            return None
        quotient, rest = quotient + part, rest - part * by
    return None


def _cancel(monomial: Monomial, by: Monomial) -> Monomial | None:
    """The monomial without the factors of `by`, or None if it lacks one."""
    rest = list(monomial)
    for factor in by:
        if factor not in rest:
            return None
        rest.remove(factor)
    return tuple(rest)


def common_factor(dim: Dim) -> Dim:
    """The largest single term that divides every term; 1 for zero."""
    if not dim.terms:
        return Dim.of(1)
    monomials = [list(monomial) for monomial, _ in dim.terms]
    shared = []
    for factor in dim.terms[0][0]:
        if all(factor in monomial for monomial in monomials):
            for monomial in monomials:
                monomial.remove(factor)
            shared.append(factor)
    number = gcd(*(coefficient for _, coefficient in dim.terms))
    return Dim(((tuple(shared), number),))


def floor_divide(dim: Dim, by: Dim) -> Dim:
    """The floor quotient: whole parts first, `(4*h+2)//4` is `h`, `(h+2)//2` is `h//2+1`.

    Rests on `(q*d + r) // d == q + r//d` for any integers with d non-zero.
    """
    if by.value == 0:
        msg = "a dim is divided by zero"
        raise ZeroDivisionError(msg)
    exact = divide(dim, by)
    if exact is not None:
        return exact
    whole, rest = _whole_part(dim, by)
    return whole + _quotient(rest, by)


def _whole_part(dim: Dim, by: Dim) -> tuple[Dim, Dim]:
    """The terms of `dim` that `by` divides, divided, and the sum of the others."""
    if len(by.terms) != 1:
        return Dim.of(0), dim
    (divisor, c), whole, rest = by.terms[0], {}, {}
    for monomial, coefficient in dim.terms:
        shared = _cancel(monomial, divisor)
        if shared is None:
            rest[monomial] = coefficient
        else:
            whole[shared], rest[monomial] = divmod(coefficient, c)
    return Dim.total(whole), Dim.total(rest)


def _quotient(dim: Dim, by: Dim) -> Dim:
    """`dim // by` where no whole part is left."""
    if dim.value is not None and by.value is not None:
        return Dim.of(dim.value // by.value)
    common = gcd(*(coefficient for _, coefficient in (*dim.terms, *by.terms)))
    if not dim.terms:
        return dim
    if common > 1:
        dim, by = _shrink(dim, common), _shrink(by, common)
    inner = dim.factor
    if isinstance(inner, Compound) and inner.operator is Operator.FLOORDIV:
        numerator, divisor = inner.operands
        if _positive(divisor) and _positive(by):
            # floor(floor(x / a) / b) is floor(x / (a*b)) for positive a and b.
            return floor_divide(numerator, divisor * by)
    return _compound(Operator.FLOORDIV, (dim, by))


def _compound(operator: Operator, operands: tuple[Dim, ...]) -> Dim:
    """The dim that is one compound alone; an opaque integer if that holds too much."""
    compound = Compound(operator, operands)
    return Dim.fresh() if compound.weight > _HEAVIEST else Dim.atom(compound)


def _shrink(dim: Dim, by: int) -> Dim:
    return Dim.total({monomial: coefficient // by for monomial, coefficient in dim.terms})


def _positive(dim: Dim) -> bool:
    return dim.value is not None and dim.value > 0


def maximum(*dims: Dim | int) -> Dim:
    """The largest of the dims."""
    return _extreme(Operator.MAX, map(lift, dims))


def minimum(*dims: Dim | int) -> Dim:
    """The smallest of the dims."""
    return _extreme(Operator.MIN, map(lift, dims))


def _extreme(operator: Operator, dims: Iterable[Dim]) -> Dim:
    """Flat, without repetition, and without operands that another one beats by a constant."""
    sign = 1 if operator is Operator.MAX else -1
    kept: list[Dim] = []
    for dim in _flatten(operator, dims):
        gaps = [(dim - other).value for other in kept]
        if any(gap is not None and gap * sign <= 0 for gap in gaps):
            continue
        kept = [other for other, gap in zip(kept, gaps, strict=True) if gap is None]
        kept.append(dim)
    if len(kept) == 1:
        return kept[0]
    return _compound(operator, tuple(sorted(kept, key=repr)))


def _flatten(operator: Operator, dims: Iterable[Dim]) -> Iterable[Dim]:
    for dim in dims:
        factor = dim.factor
        if isinstance(factor, Compound) and factor.operator is operator:
            yield from factor.operands
        else:
            yield dim


def substitute(dim: Dim, known: Mapping[Atom, Dim]) -> Dim:
    """The dim with atoms replaced, built anew so that every law applies again."""
    if not any(atom in known for atom in dim.atoms):
        return dim
    result = Dim.of(0)
    for monomial, coefficient in dim.terms:
        term = Dim.of(coefficient)
        for factor in monomial:
            term = multiply(term, _replace(factor, known))
        result = add(result, term)
    return result


def _replace(factor: Factor, known: Mapping[Atom, Dim]) -> Dim:
    if isinstance(factor, Atom):
        return known.get(factor, Dim.atom(factor))
    operands = [substitute(operand, known) for operand in factor.operands]
    if factor.operator is Operator.FLOORDIV:
        return floor_divide(*operands)
    return _extreme(factor.operator, operands)


def _key(factor: Factor) -> tuple[str, str, int]:
    return factor.key
