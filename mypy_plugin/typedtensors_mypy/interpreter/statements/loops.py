# SPDX-License-Identifier: Apache-2.0
"""Loops: the body is gone through until another round would show nothing new."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Callable
from functools import partial

from typedtensors.dims import Atom, Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, Part, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.alternatives import Marks
from typedtensors_mypy.interpreter.expressions.iteration import item_of, known_items, rounds_of
from typedtensors_mypy.interpreter.frame import Frame, Loop
from typedtensors_mypy.interpreter.joins import contained, join, join_contents
from typedtensors_mypy.interpreter.state import Changed, State, join_states
from typedtensors_mypy.interpreter.statements.assignment import (
    assign,
    forget_module,
    mark_changed,
)
from typedtensors_mypy.interpreter.statements.growth import count_items, lists_before
from typedtensors_mypy.interpreter.statements.refinement import refine, truth
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Either,
    Items,
    Keyed,
    Stream,
    framework_of,
)
from typedtensors_mypy.source.changes import modules_changed
from typedtensors_mypy.source.syntax import leaves_early, stored_names

_MOST_UNROLLED = 8
_MOST_ROUNDS = 6
# In steps: states are copied and compared.
_COST_OF_A_ROUND = 20
_GONE = Unknown("a value that a loop changes")


def for_loop(frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    """Round by round where the items are few and known, else any number of equal rounds."""
    source = frame.evaluate(node.iter)
    items = known_items(frame, source)
    early = frame.scope.module.once(leaves_early, node)
    if items is not None and len(items) <= _MOST_UNROLLED and not early:
        for item in items:
            if frame.state.alive:
                assign(frame, node.target, item)
                frame.execute(node.body)
    else:
        item = item_of(frame, source)
        before = {} if early else lists_before(frame, node)
        begin = partial(assign, frame, node.target, item)
        _repeat(frame, node.body, begin, endless=False, varying=_sizes(item))
        if before:
            count_items(frame, before, rounds_of(frame, source))
    changed = frame.scope.module.once(modules_changed, node)
    if changed is not None:
        forget_module(frame, changed)
    frame.execute(node.orelse)


def while_loop(frame: Frame, node: ast.While) -> None:
    """Any number of rounds, each of which begins where the test holds."""

    def begin() -> None:
        frame.evaluate(node.test)
        refine(frame, node.test, holds=True)

    endless = isinstance(node.test, ast.Constant) and truth(node.test.value) is True
    _repeat(frame, node.body, begin, endless=endless)
    frame.execute(node.orelse)


def _repeat(
    frame: Frame,
    body: list[ast.stmt],
    begin: Callable[[], None],
    *,
    endless: bool,
    varying: frozenset[Atom] = frozenset(),
) -> None:
    """Find a state that holds before every round, then tell what a round from there shows.

    `varying` are the sizes that are others in each round.

    An error of the first round is one, whatever becomes of the state later.
    """
    if frame.loops and frame.run.exhausted:
        _forget(frame, body)
        return
    entry = frame.state
    head = _Head(entry.fork(), varying)
    for number in range(_MOST_ROUNDS):
        marks, told = Marks(frame), len(frame.run.findings)
        loop, end = _one_round(frame, head.state, body, begin)
        if not head.widen(end):
            break
        errors = [each for each in frame.run.findings[told:] if each.code and not number]
        marks.undo()
        for error in errors:
            frame.run.tell(error)
    frame.state.become(join_states(loop.breaks if endless else [entry, end, *loop.breaks]))


def _forget(frame: Frame, body: list[ast.stmt]) -> None:
    """After a loop that is not gone through, nothing is known of what it may have changed.

    Each round of the loop around goes through the loop inside as often as that takes: with many
    loops in each other, there is no end to it.
    """
    for name in stored_names(body):
        frame.state.assign(name, _GONE)
    for name, value in list(frame.state.values.items()):
        if "." in name:
            frame.state.values[name] = _GONE
        mark_changed(frame, value)


def _one_round(
    frame: Frame, head: State, body: list[ast.stmt], begin: Callable[[], None]
) -> tuple[Loop, State]:
    frame.run.step(_COST_OF_A_ROUND)
    loop = Loop()
    frame.loops.append(loop)
    with frame.branch(head.fork()):
        begin()
        frame.execute(body)
        end = join_states([frame.state, *loop.continues])
    frame.loops.pop()
    return loop, end


class _Head:
    """A state before each round, made to say less until it holds.

    First what differs after a round becomes an unknown size, then an unknown value; so at most
    a few rounds are gone through.
    """

    def __init__(self, state: State, varying: frozenset[Atom]) -> None:
        self.state, self._varying = state, varying
        # Lists that a round makes are new in each.
        self._last_list = Items(()).serial
        self._any: set[Atom | Variadic] = set()
        self._joined: set[str] = set()
        self._changed: Counter[int] = Counter()

    def widen(self, end: State) -> bool:
        """Whether the state did not hold after a round, and says less now."""
        if not end.alive:
            return False
        changed = [
            name
            for name, value in self.state.values.items()
            if not self._describes(value, end.values.get(name, _GONE))
        ]
        for name in changed:
            self._widen_name(name, end.values.get(name, _GONE))
        self._joined.update(changed)
        self.state.facts = self.state.facts.join(end.facts)
        return self._widen_lists(end) or bool(changed)

    def _widen_lists(self, end: State) -> bool:
        lists = dict(self.state.lists)
        widened = False
        for serial, after in end.lists.items():
            known = lists.get(serial)
            if known is after or serial > self._last_list:
                continue
            before = after.made if known is None else known.now
            if self._describes(before, after.now):
                continue
            # What is put into a list may itself become less known a round later.
            again = self._changed[serial] > 1
            now = _GONE if again else self._of_any_round(join_contents(before, after.now))
            self._any |= _atoms(now) - _atoms(before) - _atoms(after.now)
            self._changed[serial] += 1
            lists[serial] = Changed(after.made, now)
            widened = True
        self.state.lists = lists
        return widened

    def _of_any_round(self, held: Value) -> Value:
        """What a list holds, in which each number may come from another round than this one."""
        if not isinstance(held, Stream):
            return held
        parts = held.item if type(held.item) is tuple else (held.item,)
        apart = tuple(self._apart(part) for part in parts)
        return Stream(apart if type(held.item) is tuple else apart[0], held.rounds)

    def _apart(self, value: Value) -> Value:
        if not isinstance(value, Dim) or value.atoms.isdisjoint(self._varying):
            return value
        size = Dim.fresh("_")
        self._any |= size.atoms
        return size

    def _widen_name(self, name: str, value: Value) -> None:
        before = self.state.values[name]
        joined = _GONE if name in self._joined else join(before, value)
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


def _sizes(item: Value) -> frozenset[Atom]:
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
