# SPDX-License-Identifier: Apache-2.0
"""Whether values of a run are what the interpreter said: dims are solved as they are met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.oracle.recorder import Array, Real, Thing
from typedtensors.dims import Atom, Dim, Facts
from typedtensors.ops import Layer, Value
from typedtensors.shapes import Axis, DType, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.values import Either, Instance, Items, Stream
from typedtensors_mypy.source.syntax.changes import reassigned

# Names of the atoms that stand for a size nobody knows.
_NAMELESS = "_"
_COUNTED = (Dim, Tensor, Layer, Instance)


@dataclass
class Env:
    """The sizes of dims in one activation.

    Invariant: `sizes` holds only what the run has shown. `order` lists the atoms as they were
    bound, so that those of a loop's round can be dropped when the next one begins.
    """

    sizes: dict[Atom, Dim] = field(default_factory=dict)
    runs: dict[Variadic, tuple[int, ...]] = field(default_factory=dict)
    order: list[Atom] = field(default_factory=list)
    undecided: int = 0
    guessed: int = 0

    def fits(self, said: Value, is_: Real, facts: Facts) -> bool:
        """Whether a value of the run may be what the interpreter said it is."""
        if isinstance(said, Tensor):
            return self._fits_array(said, is_, facts)
        if isinstance(said, Dim):
            return type(is_) is not int or self.solves(said, is_, facts)
        if isinstance(said, bool) or said is None:
            return is_ is said or isinstance(is_, Thing)
        if isinstance(said, str):
            return said == is_
        if isinstance(said, Shape):
            return not isinstance(is_, tuple) or self._fits_shape(said, is_, facts)
        if isinstance(said, (tuple, Items, Stream)):
            return not isinstance(is_, tuple) or self._fits_sequence(said, is_, facts)
        if isinstance(said, Either):
            return any(self.copy().fits(option, is_, facts) for option in said.options)
        if isinstance(said, Layer):
            return self._fits_object(said.config, is_, facts)
        if isinstance(said, Instance):
            # What methods assign again is asked when an attribute is.
            assigned = said.cls.scope.module.summed(reassigned)
            made = {name: each for name, each in said.attributes.items() if name not in assigned}
            return self._fits_object(made, is_, facts)
        return True

    def copy(self) -> Env:
        """The same sizes, to be tried out with."""
        return Env(dict(self.sizes), dict(self.runs), list(self.order))

    def _fits_object(self, said: Mapping[str, Value], is_: Real, facts: Facts) -> bool:
        """Whether sizes, arrays and objects among the attributes fit, as far as those were seen."""
        real = is_.attributes if isinstance(is_, Thing) else {}
        both = [name for name in said if name in real and isinstance(said[name], _COUNTED)]
        return all(self.fits(said[name], real[name], facts) for name in both)

    def _fits_sequence(
        self, said: tuple[Value, ...] | Items | Stream, is_: Sequence[Real], facts: Facts
    ) -> bool:
        if isinstance(said, Stream):
            return all(self.copy().fits(said.item, item, facts) for item in is_)
        if isinstance(said, Items):
            return said.keys is not None or self._fits_items(said.values, is_, facts)
        return self._fits_items(said, is_, facts)

    def _fits_items(self, said: Sequence[Value], is_: Sequence[Real], facts: Facts) -> bool:
        pairs = zip(said, is_, strict=False)
        return len(said) == len(is_) and all(self.fits(*pair, facts) for pair in pairs)

    def _fits_array(self, said: Tensor, is_: Real, facts: Facts) -> bool:
        if not isinstance(is_, Array):
            return isinstance(is_, Thing)
        return fits_dtype(said.dtype, is_.dtype) and self._fits_shape(said.shape, is_.shape, facts)

    def _fits_shape(self, said: Shape, is_: tuple[int, ...], facts: Facts) -> bool:
        before, after = said.prefix, () if said.variadic is None else said.suffix
        if said.rank is None and len(before) + len(after) > len(is_):
            return False
        if said.rank is not None and said.rank != len(is_):
            return False
        end = len(is_) - len(after)
        for axis, size in zip((*before, *after), (*is_[: len(before)], *is_[end:]), strict=True):
            if not self._fits_axis(axis, size, facts):
                return False
        return said.variadic is None or self._fits_run(said, is_[len(before) : end])

    def _fits_run(self, said: Shape, is_: tuple[int, ...]) -> bool:
        run = said.axes[said.variadic or 0]
        assert isinstance(run, Variadic)
        return run.flexible or self.runs.setdefault(run, is_) == is_

    def _fits_axis(self, axis: Axis, size: int, facts: Facts) -> bool:
        if axis.flexible:
            return size == 1 or self.copy().solves(axis.dim, size, facts)
        return self.solves(axis.dim, size, facts)

    def solves(self, dim: Dim, size: int, facts: Facts) -> bool:
        """Whether a dim has a size, as far as it is known; what it leaves open is solved."""
        forms = dict.fromkeys((dim, facts.resolve(dim)))
        return all([self._solves(form, size) for form in forms])  # noqa: C419 - each teaches

    def _solves(self, dim: Dim, size: int) -> bool:
        known = self.value(dim)
        if known is not None:
            return known == size
        gap = self._filled(dim) - size
        open_atoms = list(gap.atoms)
        if len(open_atoms) != 1:
            self.undecided += 1
            return True
        try:
            solution = _solution(gap, open_atoms[0])
        except ValueError:
            return False
        if solution is None:
            self.undecided += 1
            return True
        self.guessed += open_atoms[0].name == _NAMELESS
        self.sizes[open_atoms[0]] = Dim.of(solution)
        self.order.append(open_atoms[0])
        return True

    def value(self, dim: Dim) -> int | None:
        """The size of a dim, if that of each of its atoms is known."""
        return self._filled(dim).value

    def _filled(self, dim: Dim) -> Dim:
        try:
            return dim.substitute(self.sizes)
        except ZeroDivisionError:
            return dim

    def contradicts(self, facts: Facts) -> str | None:
        """An equation that the run shows to be wrong."""
        for atom, dim in facts.equations.items():
            one, other = self.value(Dim.atom(atom)), self.value(dim)
            if one is not None and other is not None and one != other:
                return f"{atom.name} = {dim}, which are {one} and {other}"
        return None

    def forget_since(self, count: int) -> None:
        """Drop what was solved after the first `count` atoms."""
        for atom in self.order[count:]:
            self.sizes.pop(atom, None)
        del self.order[count:]
        self.runs = {run: sizes for run, sizes in self.runs.items() if run.name is not None}


def _solution(gap: Dim, atom: Atom) -> int | None:
    """The size of an atom that makes a gap zero, where it occurs once and alone in its term.

    Raises ValueError if no size does.
    """
    rest, factor = 0, 0
    for monomial, coefficient in gap.terms:
        if not monomial:
            rest = coefficient
        elif monomial == (atom,):
            factor = coefficient
        else:
            return None
    if rest % factor or -rest // factor < 0:
        raise ValueError
    return -rest // factor


def fits_dtype(said: DType, is_: str) -> bool:
    """Whether an array's dtype is among those that are possible."""
    return said.names is None or is_ in said.names
