# SPDX-License-Identifier: Apache-2.0
"""`Dim`, a symbolic integer: the size of one axis."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from typedtensors.dims.quick import cached_property, dataclass

_serials = itertools.count(1)


@dataclass(frozen=True)
class Atom:
    """A name that stands for one integer.

    Invariant: two atoms are the same integer if and only if they are equal; `name` is for people,
    `serial` keeps apart atoms that print alike. A *declared* atom was named by the author of the
    code (an annotation); an *opaque* one is an integer the code only computes or carries
    (`self.d`, a config value, a data-dependent size). Opaque atoms of one `scope` are the sizes
    that one object was made with: rigid towards each other, as declared ones are. A *promised*
    atom is opaque too, though an annotation of other code names the axis: so it is no size of 1.
    A *guessed* one may be something else than an integer: nothing but a parameter's name is known.
    One that is *several* is a count of 2 or more.
    """

    name: str
    declared: bool = True
    serial: int = 0
    scope: int = 0
    promised: bool = False
    guessed: bool = False
    several: bool = False

    def __hash__(self) -> int:
        """Two of the fields tell nearly all atoms apart."""
        return hash((self.name, self.serial))

    @cached_property
    def key(self) -> tuple[str, str, int]:
        """Sorts atoms by name, before compounds."""
        return ("", self.name, self.serial)

    @property
    def atoms(self) -> frozenset[Atom]:
        """The atom itself, as `Compound.atoms` lists its own."""
        return frozenset((self,))


class Operator(Enum):
    """An operation that has no polynomial form."""

    FLOORDIV = "//"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True)
class Compound:
    """An indivisible factor `left // right`, `max(...)` or `min(...)`.

    Invariant: built by `typedtensors.dims.arithmetic` only, which simplifies first; so two
    compounds that are equal by its laws are equal as values.
    """

    operator: Operator
    operands: tuple[Dim, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.operator, self.operands))

    def __hash__(self) -> int:
        """Of compounds in compounds, each is asked once."""
        return self._hash

    def __reduce__(self) -> tuple[type[Compound], tuple[Operator, tuple[Dim, ...]]]:
        """A hash means nothing in another process, so it is not pickled."""
        return Compound, (self.operator, self.operands)

    @cached_property
    def weight(self) -> int:
        """How much there is to write."""
        return sum(operand.weight for operand in self.operands)

    @cached_property
    def key(self) -> tuple[str, str, int]:
        """Sorts compounds by their text, after atoms."""
        return (self.operator.value, repr(self.operands), 0)

    @cached_property
    def atoms(self) -> frozenset[Atom]:
        """Every atom in the operands."""
        return frozenset().union(*(operand.atoms for operand in self.operands))


Factor: TypeAlias = Atom | Compound
Monomial: TypeAlias = tuple[Factor, ...]


@dataclass(frozen=True)
class Dim:
    """A symbolic integer: a polynomial with integer coefficients over atoms and compounds.

    Invariant: `terms` is sorted, every coefficient is non-zero, every monomial is a sorted tuple
    of factors (a factor repeats for a power) and occurs once. So equal normal forms are equal
    values, and `==` is structural. Zero has no terms.
    """

    terms: tuple[tuple[Monomial, int], ...]

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __hash__(self) -> int:
        """Of a dim that many shapes hold, asked once."""
        return self._hash

    def __reduce__(self) -> tuple[type[Dim], tuple[tuple[tuple[Monomial, int], ...]]]:
        """As a compound, without its hash."""
        return Dim, (self.terms,)

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(value: int) -> Dim:
        """The literal integer `value`."""
        return Dim((((), int(value)),)) if value else Dim(())

    @staticmethod
    @lru_cache(maxsize=1024)
    def name(name: str) -> Dim:
        """The declared dim `name`, as an annotation names it."""
        return Dim.atom(Atom(name))

    @staticmethod
    def opaque(name: str) -> Dim:
        """The opaque integer that the code calls `name`, such as `self.d`."""
        return Dim.atom(Atom(name, declared=False))

    @staticmethod
    def fresh(name: str = "_", *, guessed: bool = False) -> Dim:
        """An opaque integer that equals no other one until that is learned."""
        return Dim.atom(Atom(name, declared=False, serial=next(_serials), guessed=guessed))

    @staticmethod
    def promised(name: str, scope: int = 0) -> Dim:
        """A size of an axis that other code's annotation calls `name`: fresh, or a scope's."""
        serial = scope or next(_serials)
        return Dim.atom(Atom(name, declared=False, serial=serial, scope=scope, promised=True))

    @staticmethod
    def several(name: str) -> Dim:
        """How many things there are that code makes in a loop: not only one."""
        return Dim.atom(Atom(name, declared=False, serial=next(_serials), several=True))

    @staticmethod
    def member(name: str, scope: int, *, guessed: bool = False) -> Dim:
        """The opaque integer `name` among those that belong together, such as a constructor's."""
        return Dim.atom(Atom(name, declared=False, serial=scope, scope=scope, guessed=guessed))

    @staticmethod
    def scope() -> int:
        """A scope that no member has yet."""
        return next(_serials)

    @staticmethod
    def atom(atom: Factor) -> Dim:
        """The dim that is one factor alone."""
        return Dim((((atom,), 1),))

    @staticmethod
    def total(terms: Mapping[Monomial, int]) -> Dim:
        """The normal form of a sum of `coefficient * monomial`."""
        kept = [term for term in terms.items() if term[1]]
        if len(kept) > 1:
            kept.sort(key=_term_key)
        return Dim(tuple(kept))

    @property
    def value(self) -> int | None:
        """The integer this dim is, or None if it is symbolic."""
        if not self.terms:
            return 0
        monomial, coefficient = self.terms[0]
        return None if monomial or len(self.terms) > 1 else coefficient

    @property
    def factor(self) -> Factor | None:
        """The factor this dim is, if it is one alone."""
        if len(self.terms) != 1:
            return None
        monomial, coefficient = self.terms[0]
        return monomial[0] if coefficient == 1 and len(monomial) == 1 else None

    @cached_property
    def atoms(self) -> frozenset[Atom]:
        """Every atom that occurs, inside compounds too."""
        found: set[Atom] = set()
        for factor in self.factors():
            found |= factor.atoms
        return frozenset(found)

    @cached_property
    def weight(self) -> int:
        """How much there is to write: 1 for a name, 4 for `a*b + c//2`."""
        factors = [factor for monomial, _ in self.terms for factor in monomial]
        compounds = (factor.weight for factor in factors if isinstance(factor, Compound))
        simple = sum(not isinstance(factor, Compound) for factor in factors)
        return max(simple + sum(compounds), 1)

    def factors(self) -> Iterator[Factor]:
        """Each factor of each monomial, powers repeated."""
        for monomial, _ in self.terms:
            yield from monomial

    @property
    def rigid(self) -> bool:
        """Whether only literals and atoms occur that are rigid towards each other."""
        owners = {None if atom.declared else atom.scope for atom in self.atoms}
        return len(owners) < 2 and 0 not in owners

    @property
    def declared(self) -> bool:
        """Whether only declared atoms and literals occur."""
        return all(atom.declared for atom in self.atoms)

    @property
    def guessed(self) -> bool:
        """Whether it may be something else than an integer, such as an array."""
        return any(atom.guessed for atom in self.atoms)

    def __add__(self, other: Dim | int) -> Dim:
        """The sum."""
        return arithmetic.add(self, lift(other))

    def __sub__(self, other: Dim | int) -> Dim:
        """The difference."""
        return arithmetic.add(self, arithmetic.scale(lift(other), -1))

    def __mul__(self, other: Dim | int) -> Dim:
        """The product."""
        return arithmetic.multiply(self, lift(other))

    def __floordiv__(self, other: Dim | int) -> Dim:
        """The floor quotient, as Python's. Raises ZeroDivisionError for a literal zero."""
        return arithmetic.floor_divide(self, lift(other))

    def __mod__(self, other: Dim | int) -> Dim:
        """The remainder, as Python's: `self - other * (self // other)`."""
        divisor = lift(other)
        return self - divisor * (self // divisor)

    def __neg__(self) -> Dim:
        """The negation."""
        return arithmetic.scale(self, -1)

    def __radd__(self, other: int) -> Dim:
        """The sum with a literal."""
        return self + other

    def __rmul__(self, other: int) -> Dim:
        """The product with a literal."""
        return self * other

    def __rsub__(self, other: int) -> Dim:
        """The difference from a literal."""
        return lift(other) - self

    def __rfloordiv__(self, other: int) -> Dim:
        """The floor quotient of a literal."""
        return lift(other) // self

    def __rmod__(self, other: int) -> Dim:
        """The remainder of a literal."""
        return lift(other) % self

    def substitute(self, known: Mapping[Atom, Dim]) -> Dim:
        """This dim with atoms replaced, simplified anew."""
        return arithmetic.substitute(self, known)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The integer this dim is when each atom has the size its name has in `sizes`.

        Raises KeyError for an atom that `sizes` does not name, ZeroDivisionError if a divisor is 0.
        """
        total = 0
        for monomial, coefficient in self.terms:
            value = coefficient
            for factor in monomial:
                value *= _evaluate(factor, sizes)
            total += value
        return total

    def __str__(self) -> str:
        """The dim as a spec would write it."""
        return text.text(self)

    def __repr__(self) -> str:
        """As `Dim(h//2+1)`; serials keep apart what prints alike."""
        serials = sorted(atom.serial for atom in self.atoms if atom.serial)
        mark = "".join(f"'{serial}" for serial in serials)
        return f"Dim({self}{mark})"


def lift(value: Dim | int) -> Dim:
    """A dim as it is, an int as a literal."""
    return value if isinstance(value, Dim) else Dim.of(value)


def _evaluate(factor: Factor, sizes: Mapping[str, int]) -> int:
    if isinstance(factor, Atom):
        return sizes[factor.name]
    values = [operand.evaluate(sizes) for operand in factor.operands]
    if factor.operator is Operator.FLOORDIV:
        return values[0] // values[1]
    return max(values) if factor.operator is Operator.MAX else min(values)


def _term_key(term: tuple[Monomial, int]) -> tuple[int, list[tuple[str, str, int]]]:
    """Highest degree first, then by name, so that texts read as people write them."""
    return -len(term[0]), [factor.key for factor in term[0]]


# The operators above are written in terms of these two rooms, which need the class first.
from typedtensors.dims import arithmetic, text  # noqa: E402
