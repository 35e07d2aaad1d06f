# SPDX-License-Identifier: Apache-2.0
"""What holds before every round of a loop: what a round changes is known less and less."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from typedtensors.dims import Atom, Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, DType, Part, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.joins import contained, join, join_contents
from typedtensors_mypy.interpreter.state import Changed, State
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Either,
    Items,
    Keyed,
    Stream,
    UserClass,
    either,
    framework_of,
)
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import External

GONE = Unknown("a value that a loop changes")


@dataclass(frozen=True)
class Change:
    """The names and the lists, by serial, of which a round makes something else."""

    names: frozenset[str] = frozenset()
    lists: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.names or self.lists)


class Head:
    """A state before each round, made to say less until it holds.

    First what differs after a round becomes an unknown size, then an unknown value; so at most
    a few rounds are gone through.
    """

    def __init__(self, state: State, varying: frozenset[Atom]) -> None:
        self.state, self.varying = state, varying
        # Lists that a round makes are new in each.
        self._last_list = Items(()).serial
        self._any: set[Atom | Variadic] = set()
        self._joined: set[str] = set()
        self._changed: Counter[int] = Counter()

    def widen(self, end: State) -> Change:
        """Say less where the state did not hold after a round."""
        if not end.alive:
            return Change()
        changed = [
            name
            for name, value in self.state.values.items()
            if not self._describes(value, end.values.get(name, GONE))
        ]
        for name in changed:
            self._widen_name(name, end.values.get(name, GONE))
        self._joined.update(changed)
        self.state.facts = self.state.facts.join(end.facts)
        return Change(frozenset(changed), self._widen_lists(end))

    def are_numbers(self, names: frozenset[str]) -> bool:
        """Whether names stand for numbers, so that one round adds to them as any other does."""
        values = map(self.state.values.get, names)
        return all(isinstance(value, (Dim, bool, float, str, Unknown)) for value in values)

    def _widen_lists(self, end: State) -> frozenset[int]:
        lists = dict(self.state.lists)
        widened = set()
        for serial, after in end.lists.items():
            known = lists.get(serial)
            if known is after or serial > self._last_list:
                continue
            before = after.made if known is None else known.now
            if self._describes(before, after.now):
                continue
            # What is put into a list may itself become less known a round later.
            again = self._changed[serial] > 1
            now = GONE if again else self._of_any_round(join_contents(before, after.now))
            self._any |= _atoms(now) - _atoms(before) - _atoms(after.now)
            self._changed[serial] += 1
            lists[serial] = Changed(after.made, now)
            widened.add(serial)
        self.state.lists = lists
        return frozenset(widened)

    def _of_any_round(self, held: Value) -> Value:
        """What a list holds, in which each number may come from another round than this one."""
        if not isinstance(held, Stream):
            return held
        parts = held.item if type(held.item) is tuple else (held.item,)
        apart = tuple(self._apart(part) for part in parts)
        return Stream(apart if type(held.item) is tuple else apart[0], held.rounds)

    def _apart(self, value: Value) -> Value:
        if not isinstance(value, Dim) or value.atoms.isdisjoint(self.varying):
            return value
        size = Dim.fresh("_")
        self._any |= size.atoms
        return size

    def _widen_name(self, name: str, value: Value) -> None:
        before = self.state.values[name]
        joined = GONE if name in self._joined else join(before, value)
        self.state.values[name] = joined
        self._any |= _atoms(joined) - _atoms(before) - _atoms(value)

    def _describes(self, general: Value, special: Value) -> bool:
        """Whether a value says nothing that another one does not have."""
        if isinstance(general, Unknown) or general is special or special == REPORTED:
            return True
        if isinstance(special, Either):
            return all(self._describes(general, option) for option in special.options)
        if isinstance(general, Either):
            return any(self._describes(option, special) for option in general.options)
        if isinstance(general, Dim) and isinstance(special, Dim):
            return general == special or self._is_any(general)
        if isinstance(general, Tensor) and isinstance(special, Tensor):
            return self._describes_array(general, special)
        if isinstance(general, tuple) and isinstance(special, tuple):
            return len(general) == len(special) and all(map(self._describes, general, special))
        if isinstance(general, Stream) and general.rounds is not None:
            return isinstance(special, Stream) and special.rounds == general.rounds
        if isinstance(general, (Stream, Keyed)):
            items = contained(special) if isinstance(special, Items) else None
            items = (special.item,) if isinstance(special, type(general)) else items
            return items is not None and all(self._describes(general.item, each) for each in items)
        return type(general) is type(special) and general == special

    def _describes_array(self, general: Tensor, special: Tensor) -> bool:
        if framework_of(general) is not framework_of(special):
            return False
        if not general.dtype.covers(special.dtype):
            return False
        ones, others = general.shape.fixed, special.shape.fixed
        if ones is None or others is None:
            return general.shape == special.shape or self._describes_ends(
                general.shape, special.shape
            )
        return len(ones) == len(others) and all(map(self._describes_axis, ones, others))

    def _describes_ends(self, general: Shape, special: Shape) -> bool:
        """Whether any run of axes may stand between those that are known, as they stand there."""
        first, last = len(general.prefix), len(general.suffix)
        if general.variadic is None or general.axes[general.variadic] not in self._any:
            return not general.least_rank
        if special.least_rank < first + last or len(special.suffix) < last:
            return False
        pairs = [*zip(general.prefix, special.prefix, strict=False)]
        if last:
            pairs += zip(general.suffix, special.suffix[-last:], strict=True)
        return len(pairs) == first + last and all(itertools.starmap(self._describes_axis, pairs))

    def _describes_axis(self, general: Axis, special: Axis) -> bool:
        if general == special or self._is_any(general.dim):
            return True
        return general.flexible and (special.is_one or special.dim == general.dim)

    def _is_any(self, dim: Dim) -> bool:
        return dim.factor in self._any


def sizes_of_rounds(item: Value) -> frozenset[Atom]:
    """The numbers that a loop goes through, which no annotation names."""
    parts = item if type(item) is tuple else (item,)
    found = (part.factor for part in parts if isinstance(part, Dim))
    return frozenset(each for each in found if isinstance(each, Atom) and not each.declared)


def _atoms(value: Value) -> frozenset[Atom | Variadic]:
    """What stands for sizes, or for runs of axes, in a value."""
    if isinstance(value, Dim):
        return value.atoms
    if isinstance(value, Tensor):
        return frozenset().union(*map(_of_part, value.shape.axes))
    if isinstance(value, tuple):
        return frozenset().union(*map(_atoms, value))
    return frozenset().union(*map(_atoms, contained(value)))


def _of_part(part: Part) -> frozenset[Atom | Variadic]:
    return part.dim.atoms if isinstance(part, Axis) else frozenset((part,))


class Since:
    """A point of time: the sizes and lists that a round makes after it are others in each round.

    So are those that are `varying`.
    """

    def __init__(self, varying: frozenset[Atom]) -> None:
        self._varying = varying
        self._size = Dim.scope()
        self._run = Variadic.fresh().serial
        self._list = Items(()).serial

    def in_any_round(self, lists: Iterable[Changed]) -> dict[int, Changed] | None:
        """What lists hold, by serial, whatever round it comes from; None if that is not clear."""
        try:
            held = [Changed(each.made, self._contents(each.now)) for each in lists]
        except _UnclearError:
            return None
        return {each.made.serial: each for each in held}

    def _contents(self, value: Value) -> Value:
        if isinstance(value, Items):
            return Items(self._all(value.values), value.keys, value.serial)
        return self._any(value)

    def _all(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(map(self._any, values))

    def _any(self, value: Value) -> Value:
        if type(value) in _SAME_IN_EACH_ROUND:
            return value
        if isinstance(value, Dim):
            return Dim.fresh("_") if self._is_later(value) else value
        if isinstance(value, Tensor):
            return value.with_shape(Shape(tuple(map(self._part, value.shape.axes))))
        if type(value) is tuple:
            return self._all(value)
        if type(value) is Stream:
            counted = value.rounds is not None and not self._is_later(value.rounds.number)
            return Stream(self._any(value.item), value.rounds if counted else None)
        if type(value) is Keyed:
            return Keyed(self._any(value.item))
        if isinstance(value, Either):
            return either(self._all(value.options))
        if isinstance(value, Items):
            return Unknown("a list of one round") if value.serial > self._list else value
        # Each round may make another object.
        raise _UnclearError

    def _part(self, part: Part) -> Part:
        if isinstance(part, Axis):
            return Axis(Dim.fresh("_")) if self._is_later(part.dim) else part
        return Variadic.fresh() if part.serial > self._run else part

    def _is_later(self, size: Dim) -> bool:
        return any(atom.serial > self._size or atom in self._varying for atom in size.atoms)


class _UnclearError(Exception):
    """It does not show what a value is in another round."""


_SAME_IN_EACH_ROUND = frozenset(
    {bool, float, str, type(None), DType, External, Module, Unknown, UserClass}
)
