# SPDX-License-Identifier: Apache-2.0
"""A dim as text, in the spelling a spec accepts (no spaces)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims.dim import Atom, Operator

if TYPE_CHECKING:
    from typedtensors.dims.dim import Dim, Factor, Monomial


def text(dim: Dim) -> str:
    """The dim as a spec would write it: `2*h+1`, `(h+1)//2`, `max(a,b)`."""
    if not dim.terms:
        return "0"
    # A leading minus reads badly (`-1+h`): a positive term goes first where there is one.
    (monomial, coefficient), *others = sorted(dim.terms, key=lambda term: term[1] < 0)
    # `-h//2` would parse as `(-h)//2`: only after another term does a minus come last.
    first = _term(monomial, coefficient, alone=coefficient == 1)
    signed = [("-" if c < 0 else "+") + _term(m, abs(c), alone=abs(c) == 1) for m, c in others]
    return "".join([first, *signed])


def _term(monomial: Monomial, coefficient: int, *, alone: bool) -> str:
    # `2*h//4` would parse as `(2*h)//4`: a quotient inside a product needs its parentheses.
    alone = alone and len(monomial) == 1
    factors = [_factor(factor, alone=alone) for factor in monomial]
    if coefficient == -1 and factors:
        return "-" + "*".join(factors)
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors)


def _factor(factor: Factor, *, alone: bool) -> str:
    if isinstance(factor, Atom):
        return factor.name
    if factor.operator is Operator.FLOORDIV:
        quotient = "//".join(_operand(operand) for operand in factor.operands)
        return quotient if alone else f"({quotient})"
    return f"{factor.operator.value}({','.join(map(text, factor.operands))})"


def _operand(dim: Dim) -> str:
    inner = text(dim)
    simple = inner.isidentifier() or inner.isdecimal() or _is_attribute(inner)
    return inner if simple else f"({inner})"


def _is_attribute(inner: str) -> bool:
    return all(part.isidentifier() for part in inner.split("."))
