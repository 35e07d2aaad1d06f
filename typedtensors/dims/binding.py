# SPDX-License-Identifier: Apache-2.0
"""`Facts`: the equations between dims that the code has shown so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from typedtensors.dims.arithmetic import common_factor, divide
from typedtensors.dims.compare import Verdict, compare
from typedtensors.dims.dim import Atom, Dim
from typedtensors.dims.quick import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NOTHING: Mapping[Atom, Dim] = MappingProxyType({})


@dataclass(frozen=True)
class Facts:
    """Equations learned at one point of the code.

    Invariant: no atom on a left side occurs on any right side, so one substitution resolves a dim.
    Values keep the dims they were made with (people know those names); facts are looked up when
    two dims are compared.

    `chosen` are the declared atoms that are plain integers which a caller passes, and not the sizes
    of an array: a caller may choose them so that a layer made of them fits.

    `called` are sizes of one object whose names the code under check gives to axes too: so they are
    the sizes of no axes that it names otherwise.
    """

    equations: Mapping[Atom, Dim] = field(default_factory=lambda: _NOTHING)
    chosen: frozenset[Atom] = frozenset()
    called: frozenset[Atom] = frozenset()

    def resolve(self, dim: Dim) -> Dim:
        """The dim with everything learned filled in."""
        return _fill_in(dim, self.equations) if self.equations else dim

    def compare(self, left: Dim, right: Dim) -> Verdict:
        """The verdict on two dims, given what was learned; learns nothing.

        What was learned of one object's sizes does not blur that they are different sizes.
        """
        if left == right:
            return Verdict.EQUAL
        verdict = compare(self.resolve(left), self.resolve(right))
        if verdict is Verdict.UNDECIDED and _of_one_scope(left, right):
            return compare(left, right)
        return verdict

    def equate(self, left: Dim, right: Dim) -> tuple[Verdict, Facts]:
        """The verdict on two dims that the code takes to be equal, and what that teaches.

        An undecided equation that holds an opaque atom is learned. It is solved for an opaque atom
        if it can be, else for a declared one (`d` is `heads*d_head`). So the verdict is DIFFERENT
        only for a contradiction, with the code's names or with what it showed before.
        """
        verdict = self.compare(left, right)
        if verdict is not Verdict.UNDECIDED:
            return verdict, self
        learned = self._learn(left, right, _opaque, _any)
        if self._misnames(learned) or self._merges(learned) or self._confuses(learned):
            return Verdict.DIFFERENT, self
        return verdict, learned

    def require(self, actual: Dim, needed: Dim) -> tuple[Verdict, Facts]:
        """As `equate`, where a layer or a parameter of a given size consumes `actual`.

        Also teaches declared atoms: a layer of 784 inputs on `features` documents that
        `features` is 784, until something else contradicts it. A layer of `dim` inputs on it says
        that the caller passes `features` for `dim`.
        """
        if _is_part_of(actual, needed):
            return Verdict.DIFFERENT, self
        verdict, facts = self.equate(actual, needed)
        if verdict is not Verdict.DIFFERENT:
            return verdict, facts
        size, given = self.resolve(needed), self.resolve(actual)
        if size.atoms & self.chosen and not given.atoms & self.chosen:
            taught = self._learn(given, size, self.chosen.__contains__)
        elif any(atom.declared or atom.scope for atom in size.atoms) or given.value is not None:
            return verdict, self
        else:
            taught = self._learn(given, size, _declared)
        return (Verdict.UNDECIDED, taught) if taught is not self else (verdict, self)

    def learn(self, left: Dim, right: Dim) -> Facts:
        """What is known if `left` is `right`, even where only declared atoms occur.

        For an equation that the code spells out: a view of `d` as `heads, d_head` says how the
        author's names hang together.
        """
        return self._learn(left, right, _opaque, _any)

    def freed(self, atoms: Iterable[Atom]) -> Facts:
        """What is known if each of some atoms may be any size, that of a declared name too."""
        facts = self
        for atom in atoms:
            if atom.declared and atom not in facts.equations:
                facts = facts._with(atom, _any_size(atom))
        return facts

    def _misnames(self, learned: Facts) -> bool:
        """Whether what was learned gives a size of an object the name of another axis."""
        for atom in self.called.difference(self.equations):
            taken = learned.resolve(Dim.atom(atom)).factor
            if isinstance(taken, Atom) and taken.declared and taken.name != atom.name:
                return taken not in self.chosen
        return False

    def _merges(self, learned: Facts) -> bool:
        """Whether what was learned gives one size to two axes that the code names differently.

        `frames-1` may be `batch`, or `joints`; but not both.
        """
        for atom, dim in learned.equations.items():
            other = dim.factor if atom.declared else None
            if not isinstance(other, Atom) or not other.declared or {atom, other} & self.chosen:
                continue
            before = self.resolve(Dim.atom(atom))
            # What it was said to be may be the other, where that is no more than a name.
            if before != dim and before.declared:
                return True
        return False

    def _confuses(self, learned: Facts) -> bool:
        """Whether what was learned gives two different sizes of one object one symbolic size."""
        seen: dict[tuple[int, Dim], Atom] = {}
        for atom, dim in learned.equations.items():
            if not atom.scope or dim.value is not None:
                continue
            other = seen.setdefault((atom.scope, dim), atom)
            if self.compare(Dim.atom(other), Dim.atom(atom)) is not Verdict.EQUAL:
                return True
        return False

    def join(self, other: Facts) -> Facts:
        """What holds after either of two branches.

        A declared size that is one thing after the first and another after the second may be any.
        """
        if self == other:
            return self
        kept = {
            atom: dim for atom, dim in self.equations.items() if other.equations.get(atom) == dim
        }
        for atom in self.equations.keys() & other.equations.keys() - kept.keys():
            if atom.declared:
                kept[atom] = _fill_in(_any_size(atom), kept)
        return Facts(MappingProxyType(kept), self.chosen, self.called)

    def _learn(self, left: Dim, right: Dim, *wanted: Callable[[Atom], bool]) -> Facts:
        gap = self.resolve(left) - self.resolve(right)
        for want in wanted:
            for atom, dim in _solutions(gap):
                if want(atom):
                    return self._with(atom, dim)
        return self

    def _with(self, atom: Atom, dim: Dim) -> Facts:
        single = {atom: dim}
        known = {left: _fill_in(right, single) for left, right in self.equations.items()}
        return Facts(MappingProxyType(known | single), self.chosen, self.called)


def _any_size(atom: Atom) -> Dim:
    """An opaque integer in place of a declared one; the same one each time."""
    return Dim.atom(replace(atom, declared=False, scope=0))


def _fill_in(dim: Dim, known: Mapping[Atom, Dim]) -> Dim:
    try:
        return dim.substitute(known)
    except ZeroDivisionError:
        # The code divides by what turned out to be 0: it stops there, so nothing follows.
        return dim


def _solutions(gap: Dim) -> list[tuple[Atom, Dim]]:
    """Each `atom == dim` that `gap == 0` says, where the atom occurs once, alone in its term.

    A factor of every term is a size that is kept by the code, so it is taken not to be 0:
    `b*d - b*heads*d_head` says that `d` is `heads*d_head`. A gap of one term has nothing else in it
    that could be 0: `d` alone says that `d` is 0.
    """
    if len(gap.terms) > 1:
        gap = divide(gap, common_factor(gap)) or gap
    found = []
    for monomial, coefficient in gap.terms:
        if len(monomial) != 1 or not isinstance(monomial[0], Atom):
            continue
        atom, rest = monomial[0], Dim.total(dict(gap.terms) | {monomial: 0})
        solution = divide(-rest, Dim.of(coefficient))
        if solution is not None and atom not in rest.atoms and _can_be_size(solution):
            found.append((atom, solution))
    return found


def _of_one_scope(left: Dim, right: Dim) -> bool:
    gap = left - right
    return gap.rigid and not gap.declared


def _is_part_of(actual: Dim, needed: Dim) -> bool:
    """Whether a size was made of one of the same name: `3*width`, where `width` is given."""
    own = actual.factor
    if not isinstance(own, Atom) or not own.declared or isinstance(needed.factor, Atom):
        return False
    multiple = len(needed.terms) == 1 and len(needed.terms[0][0]) == 1
    named = (atom for atom in needed.atoms if atom.name == own.name and not atom.declared)
    return any(atom.scope or multiple for atom in named)


def _can_be_size(dim: Dim) -> bool:
    return dim.value is None or dim.value >= 0


def _opaque(atom: Atom) -> bool:
    return not atom.declared


def _declared(atom: Atom) -> bool:
    return atom.declared


def _any(atom: Atom) -> bool:  # noqa: ARG001
    return True
