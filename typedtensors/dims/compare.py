# SPDX-License-Identifier: Apache-2.0
"""Three verdicts on two dims."""

from __future__ import annotations

import itertools
import math
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtensors.dims.dim import Atom, Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.dims.dim import Dim


class Verdict(Enum):
    """What is known about `left == right`."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


# Sizes to try: odd and even, primes and highly composite numbers, none small enough to be a
# common literal by accident (a size of 1 or 2 would make `h//2` and `0` agree). 61 of them: a
# prime count lets every stride visit distinct sizes.
_SIZES = (
    *(6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 23, 24, 25, 27, 29, 30, 31, 32),
    *(35, 36, 37, 40, 41, 42, 43, 45, 47, 48, 49, 53, 54, 55, 59, 60, 61, 63, 64, 67, 71, 72),
    *(77, 79, 81, 83, 84, 89, 90, 96, 97, 101, 103, 108, 120, 144, 180, 240),
)
_TRIALS = 64
# Two atoms that nothing relates are given each pair of sizes up to this one; literals whose product
# is greater than a half of it might need greater sizes to come out equal.
_GREATEST = 24


@lru_cache(maxsize=4096)
def compare(left: Dim, right: Dim) -> Verdict:
    """Whether two dims are the same integer.

    *Equal*: same normal form. *Different*: they differ by a constant; or only declared atoms
    occur, or only members of one scope on both sides, and the two are never equal at 64 fixed
    assignments of distinct sizes, but for those at which a divisor is 0; or they have one or two
    atoms, one on both sides, and no sizes of these make them equal, as for `d` and
    `heads * (2*d // (3*heads))`; or one is several times the other. *Undecided*: the rest.
    Declared atoms are rigid: two different names are two different sizes.
    """
    if left == right:
        return Verdict.EQUAL
    gap = left - right
    if gap.value is not None:
        return Verdict.DIFFERENT
    if not gap.declared and not (gap.rigid and _are_alike(left, right)):
        apart = _is_multiple(left, right) or _never_equal(left, right)
        return Verdict.DIFFERENT if apart else Verdict.UNDECIDED
    compared = False
    for sizes in _assignments(left, right):
        try:
            if left.evaluate(sizes) == right.evaluate(sizes):
                return Verdict.UNDECIDED
        except ZeroDivisionError:
            continue  # sizes that the program cannot have
        compared = True
    return Verdict.DIFFERENT if compared else Verdict.UNDECIDED


def _are_alike(left: Dim, right: Dim) -> bool:
    """Whether two sizes of one object are no product and another size, which may be made for it.

    Who makes an object with `dim`, `heads` and `dim_head` may well know that one is the others'
    product.
    """
    if not (left.atoms and right.atoms) or _is_a_literal_beside(left, right):
        return False
    degrees = [max(map(len, (monomial for monomial, _ in each.terms))) for each in (left, right)]
    made = left if degrees[0] > degrees[1] else right
    own = {*left.atoms, *right.atoms} - made.atoms
    return degrees[0] == degrees[1] or not own


def _is_a_literal_beside(left: Dim, right: Dim) -> bool:
    """Whether two sizes are the same where some of what they are made of is a literal.

    `h` is `h + 3 - kernel` for a kernel of 3, which is what it may be made with.
    """
    terms = dict((left - right).terms)
    literal = terms.pop((), 0)
    return literal != 0 and all(factor * literal < 0 for factor in terms.values())


def _never_equal(left: Dim, right: Dim) -> bool:
    """Whether no sizes make two dims equal, whatever may relate their atoms.

    What divides an axis is a size. Other integers that nobody declares may be 0, or less.
    """
    atoms = sorted(left.atoms | right.atoms, key=_name)
    literals = math.prod(abs(each) for each in _literals(left) | _literals(right) if each)
    if len(atoms) > 2 or not left.atoms & right.atoms or literals > _GREATEST // 2:
        return False
    if len({atom.name for atom in atoms}) < len(atoms) or any(atom.guessed for atom in atoms):
        return False
    sizes = {atom for atom in atoms if atom.declared} | _divisors(left) | _divisors(right)
    tried = (range(1 if atom in sizes else -2, _GREATEST + 1) for atom in atoms)
    compared = False
    for chosen in itertools.product(*tried):
        assignment = {atom.name: size for atom, size in zip(atoms, chosen, strict=True)}
        try:
            if left.evaluate(assignment) == right.evaluate(assignment):
                return False
        except ZeroDivisionError:
            continue
        compared = True
    return compared


def _divisors(dim: Dim) -> frozenset[Atom]:
    """The atoms in what a dim divides by, in any depth."""
    found: frozenset[Atom] = frozenset()
    for factor in dim.factors():
        for place, operand in enumerate(getattr(factor, "operands", ())):
            divides = place and getattr(factor, "operator", None) is Operator.FLOORDIV
            found |= operand.atoms if divides else _divisors(operand)
    return found


def _is_multiple(left: Dim, right: Dim) -> bool:
    """Whether one is the other, which code declares, times a count of several."""
    for whole, part in ((left, right), (right, left)):
        if part.declared and part.atoms and len(whole.terms) == len(part.terms) == 1:
            (many, times), (few, once) = whole.terms[0], part.terms[0]
            rest = [factor for factor in many if factor not in few]
            counts = all(isinstance(each, Atom) and each.several for each in rest)
            if rest and counts and times == once and len(many) == len(few) + len(rest):
                return True
    return False


def _assignments(left: Dim, right: Dim) -> Iterator[dict[str, int]]:
    """Fixed assignments, at which no atom has a size that either dim names as a literal."""
    atoms = sorted(left.atoms | right.atoms, key=_name)
    literals = _literals(left) | _literals(right)
    sizes = [size for size in _SIZES if size not in literals]
    # Names beyond the table get sizes of their own above it, so that sizes stay distinct.
    while len(sizes) <= len(atoms) or not _is_prime(len(sizes)):
        sizes.append(sizes[-1] + 7)
    for trial in range(_TRIALS):
        stride, start = 1 + trial % (len(sizes) - 1), trial * 5
        yield {
            atom.name: sizes[(start + stride * index) % len(sizes)]
            for index, atom in enumerate(atoms)
        }


def _name(atom: Atom) -> str:
    return atom.name


def _literals(dim: Dim) -> set[int]:
    """Every integer in the dim, coefficients and the insides of compounds included."""
    found = {coefficient for _, coefficient in dim.terms}
    for factor in dim.factors():
        for operand in getattr(factor, "operands", ()):
            found |= _literals(operand)
    return found


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
