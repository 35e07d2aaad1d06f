# SPDX-License-Identifier: Apache-2.0
"""Loops: the body is gone through until another round would show nothing new."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from typedtensors.dims import Atom
from typedtensors_mypy.interpreter.alternatives import Marks
from typedtensors_mypy.interpreter.expressions.iteration import item_of, known_items, rounds_of
from typedtensors_mypy.interpreter.frame import Frame, Loop
from typedtensors_mypy.interpreter.state import join_states
from typedtensors_mypy.interpreter.statements.assignment import (
    assign,
    forget_module,
    mark_changed,
)
from typedtensors_mypy.interpreter.statements.growth import count_items, lists_before
from typedtensors_mypy.interpreter.statements.refinement import refine, truth
from typedtensors_mypy.interpreter.statements.widening import (
    GONE,
    Change,
    Head,
    Since,
    sizes_of_rounds,
)
from typedtensors_mypy.source.syntax.changes import modules_changed
from typedtensors_mypy.source.syntax.rounds import AnyLoop, carried, feeds_itself, tallied
from typedtensors_mypy.source.syntax.walks import leaves_early, stored_names

_MOST_UNROLLED = 8
_MOST_ROUNDS = 6
# In steps: states are copied and compared.
_COST_OF_A_ROUND = 20


def for_loop(frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    """Round by round where the items are few and known, else any number of equal rounds."""
    source = frame.evaluate(node.iter)
    if frame.scope.module.once(feeds_itself, node):
        mark_changed(frame, source)
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
        _repeat(frame, node, begin, endless=False, varying=sizes_of_rounds(item))
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
    _repeat(frame, node, begin, endless=endless)
    frame.execute(node.orelse)


def _repeat(
    frame: Frame,
    node: AnyLoop,
    begin: Callable[[], None],
    *,
    endless: bool,
    varying: frozenset[Atom] = frozenset(),
) -> None:
    """Find a state that holds before every round, then tell what a round from there shows.

    `varying` are the sizes that are others in each round. An error of the first round is one,
    whatever becomes of the state later.
    """
    if frame.loops and frame.run.exhausted:
        _forget(frame, node.body)
        return
    entry = frame.state
    head = Head(entry.fork(), varying)
    for number in range(_MOST_ROUNDS):
        marks, told = Marks(frame), len(frame.run.findings)
        this = _Round(frame, head, node.body, begin)
        change = head.widen(this.end)
        if not change or this.stand_for_all(node, head, change):
            break
        errors = [each for each in frame.run.findings[told:] if each.code and not number]
        marks.undo()
        for error in errors:
            frame.run.tell(error)
    ways = this.loop.breaks if endless else [entry, this.end, *this.loop.breaks]
    frame.state.become(join_states(ways))


def _forget(frame: Frame, body: list[ast.stmt]) -> None:
    """After a loop that is not gone through, nothing is known of what it may have changed.

    Each round of the loop around goes through the loop inside as often as that takes: with many
    loops in each other, there is no end to it.
    """
    for name in stored_names(body):
        frame.state.assign(name, GONE)
    for name, value in list(frame.state.values.items()):
        if "." in name:
            frame.state.values[name] = GONE
        mark_changed(frame, value)


class _Round:
    """One round: where it ended, and what it read and left behind."""

    def __init__(
        self, frame: Frame, head: Head, body: list[ast.stmt], begin: Callable[[], None]
    ) -> None:
        frame.run.step(_COST_OF_A_ROUND)
        self.loop = Loop()
        self._frame = frame
        self._since = Since(head.varying)
        self._reads: set[int] = set()
        left = len(frame.exits) + len(frame.yields)
        frame.loops.append(self.loop)
        with frame.branch(head.state.fork()) as state:
            state.reads = self._reads
            begin()
            frame.execute(body)
            self.end = join_states([frame.state, *self.loop.continues])
        frame.loops.pop()
        frame.state.reads |= self._reads
        self._gives = len(frame.exits) + len(frame.yields) > left

    def stand_for_all(self, node: AnyLoop, head: Head, change: Change) -> bool:
        """Let this round stand for all, if it reads nothing that rounds change; whether it does.

        Then what it adds to lists, and to numbers, is what any number of rounds adds.
        """
        if self._gives or not change.lists.isdisjoint(self._reads):
            return False
        module = self._frame.scope.module
        exposed = module.once(carried, node)
        # What leads to an attribute is not only the name that it was assigned under.
        read = frozenset(name for name in change.names if name in exposed or "." in name)
        counts = read & module.once(tallied, node)
        if read != counts or not head.are_numbers(counts):
            return False
        lists = self._since.in_any_round(head.state.lists[at] for at in change.lists)
        if lists is None:
            return False
        for state in (self.end, *self.loop.breaks):
            state.lists = {**state.lists, **lists}
            state.values.update({name: head.state.values[name] for name in counts})
        return True
