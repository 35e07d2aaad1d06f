# SPDX-License-Identifier: Apache-2.0
"""Ops that keep the elements and give them another shape: the counts must agree."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Atom, Compound, Dim, Verdict, divide, product
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.axes.sizes import is_hole, shape_of
from typedtensors.shapes import Axis, Shape
from typedtensors.shapes.layout import made_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.diagnostics import Diagnostic
    from typedtensors.dims import Facts
    from typedtensors.ops.call import Call
    from typedtensors.shapes import Part

_ONE = Dim.of(1)


def reshaped(call: Call, source: Shape, wanted: Sequence[Part]) -> Shape:
    """The shape that the elements of `source` get: `wanted`, with its -1 filled in.

    Learns what the author's names have to do with each other (`d` is `heads*d_head`).
    Raises Conflicting if no sizes make the counts agree.
    """
    holes = [at for at, part in enumerate(wanted) if is_hole(part)]
    if len(holes) > 1:
        raise Conflicting(wording.misused(call.name, "only one size can be -1"))
    negative = next((part for part in wanted if _is_negative(part) and not is_hole(part)), None)
    if negative is not None:
        if call.framework is Framework.NUMPY:
            raise Undetermined("NumPy takes any negative size for -1")
        raise Conflicting(wording.misused(call.name, f"the size {negative} is negative"))
    given = [part for part in wanted if not is_hole(part)]
    complaint = wording.count_differs(f"`{call.name}`", source.text, " ".join(map(str, wanted)))
    left, right = _leftover(source.axes, given, call.facts)
    if left is None or right is None:
        _suit(call, [part.dim for part in given if isinstance(part, Axis)])
    elif divide(left, right) is None:
        # What both sides have, fits already.
        _suit(call, [_reduced(left, right)[1]])
    if not holes:
        if left is not None and right is not None:
            agree(call, left, right, complaint)
        return made_of(source, shape_of(tuple(wanted)), call.facts)
    if right is not None and right.value == 0:
        raise Conflicting(wording.misused(call.name, "-1 beside a size of 0 can be any size"))
    hole = Axis(_quotient(left, right, complaint))
    shape = shape_of((*wanted[: holes[0]], hole, *wanted[holes[0] + 1 :]))
    return made_of(source, shape, call.facts)


def agree(call: Call, left: Dim, right: Dim, complaint: Diagnostic) -> None:
    """Take two counts to be equal, and learn from it.

    Raises Conflicting(complaint) if they never are. Counts over different declared names may be
    equal where one name is spelled by others (`d` as `heads*d_head`, `n` as `h*w`, 784 as `d`);
    that is learned. They are not where one name, or nothing, stands against another. Raises
    Undetermined for the rest.
    """
    left, right = _reduced(call.facts.resolve(left), call.facts.resolve(right))
    before = call.facts
    verdict = call.same(left, right)
    if verdict is Verdict.EQUAL or call.facts is not before or _has_quotient(left, right):
        return
    if verdict is Verdict.DIFFERENT and _never_equal(left, right):
        raise Conflicting(complaint)
    call.facts = before.learn(left, right)
    if call.facts is before and left.declared and right.declared:
        raise Undetermined("the counts agree only if the names have more to do with each other")


def _suit(call: Call, sizes: Sequence[Dim]) -> None:
    """Take integers that callers pass for sizes that fit an array, where nothing says otherwise."""
    atoms = frozenset[Atom]().union(*(size.atoms for size in sizes))
    call.facts = call.facts.freed(sorted(atoms & call.facts.chosen, key=lambda atom: atom.key))


def _has_quotient(left: Dim, right: Dim) -> bool:
    """Whether a side holds a quotient, which is then taken to be exact: `heads*(d//heads)`."""
    return any(isinstance(factor, Compound) for dim in (left, right) for factor in dim.factors())


def _never_equal(left: Dim, right: Dim) -> bool:
    if len((left - right).terms) == 1 or _ONE in (left, right):
        return True
    if _indivisible(left, right) or _indivisible(right, left):
        return True
    return isinstance(left.factor, Atom) and isinstance(right.factor, Atom)


def _indivisible(literal: Dim, product: Dim) -> bool:
    """Whether the literal is no multiple of the product's: 6 is no `4*t`."""
    coefficients = [coefficient for _, coefficient in product.terms]
    return literal.value is not None and literal.value % gcd(*coefficients) != 0


def _leftover(
    source: Sequence[Part], wanted: Sequence[Part], facts: Facts
) -> tuple[Dim | None, Dim | None]:
    """The counts of both sides without the axes they share; None for a count that is not known."""
    rest = [_resolved(part, facts) for part in source]
    other = []
    for part in (_resolved(part, facts) for part in wanted):
        # A size of 0 is no common factor: every count it is in is 0.
        if part in rest and not _is_zero(part):
            rest.remove(part)
        else:
            other.append(part)
    return _count(rest), _count(other)


def _resolved(part: Part, facts: Facts) -> Part:
    return part.with_dim(facts.resolve(part.dim)) if isinstance(part, Axis) else part


def _count(parts: Sequence[Part]) -> Dim | None:
    axes = [part for part in parts if isinstance(part, Axis) and not part.flexible]
    return product(axis.dim for axis in axes) if len(axes) == len(parts) else None


def _quotient(left: Dim | None, right: Dim | None, complaint: Diagnostic) -> Dim:
    """The size of the -1."""
    if left is None or right is None:
        return Dim.fresh()
    exact = divide(left, right)
    if exact is not None:
        return exact
    left, right = _reduced(left, right)
    if left.value is not None and right.value is not None:
        raise Conflicting(complaint)
    # `d//heads` is how people think of one axis that is split. Of several merged ones they think
    # otherwise: `b*h*w//784` is their `b`.
    alone = len(left.terms) == 1 and len(left.terms[0][0]) <= 1
    return left // right if alone else Dim.fresh()


def _reduced(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    """Both without the factors that occur in every term of both; a count of 0 has every factor."""
    if not (left.terms and right.terms):
        return left, right
    terms = (*left.terms, *right.terms)
    for factor in set(left.factors()) | set(right.factors()):
        shared = min((monomial.count(factor) for monomial, _ in terms), default=0)
        for _ in range(shared):
            left, right = _without(left, Dim.atom(factor)), _without(right, Dim.atom(factor))
    return left, right


def _without(dim: Dim, factor: Dim) -> Dim:
    # The factor occurs in every term, so the division is exact.
    return dim // factor


def _is_negative(part: Part) -> bool:
    return isinstance(part, Axis) and part.dim.value is not None and part.dim.value < 0


def _is_zero(part: Part) -> bool:
    return isinstance(part, Axis) and part.dim.value == 0
