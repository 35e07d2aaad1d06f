# SPDX-License-Identifier: Apache-2.0
"""Comprehensions: unrolled over items that are known one by one, else gone through once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from typedtensors.dims import Dim
from typedtensors.ops import Rounds, Unknown, Value
from typedtensors_mypy.interpreter.expressions.displays import as_set
from typedtensors_mypy.interpreter.expressions.iteration import (
    is_literal_key,
    item_of,
    known_items,
    one_of,
    rounds_of,
)
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all
from typedtensors_mypy.interpreter.statements.assignment import assign
from typedtensors_mypy.interpreter.statements.refinement import refine
from typedtensors_mypy.interpreter.values import Items, Keyed, Stream

_Made = TypeVar("_Made")


def comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Value:
    """A list of the values, where each is known; else any number of one value."""
    known, values, rounds = _go_through(frame, node.generators, lambda: frame.evaluate(node.elt))
    held = Items(tuple(values)) if known else Stream(values[0], rounds)
    return as_set(held) if isinstance(node, ast.SetComp) else held


def dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    """A dict, of known keys where they are literals."""

    def pair() -> tuple[Value, Value]:
        return frame.evaluate(node.key), frame.evaluate(node.value)

    known, pairs, _ = _go_through(frame, node.generators, pair)
    held = dict(pairs) if all(is_literal_key(key) for key, _ in pairs) else {}
    if known and len(held) == len(pairs):
        return Items(tuple(held.values()), tuple(held))
    return Keyed(join_all(value for _, value in pairs)) if pairs else Items((), ())


def _go_through(
    frame: Frame, generators: list[ast.comprehension], make: Callable[[], _Made]
) -> tuple[bool, list[_Made], Rounds | None]:
    """What each round makes, and whether there is one for each; else one for all of them.

    Also how many rounds there are, where that is known.
    """
    with frame.branch(frame.state.fork()) as state:
        first = generators[0]
        source = frame.evaluate(first.iter)
        items = known_items(frame, source)
        all_of_one = len(generators) == 1 and not first.ifs
        known = items is not None and all_of_one
        rounds = None
        if known:
            made = []
            for item in items or ():
                assign(frame, first.target, item)
                made.append(make())
        else:
            rounds = rounds_of(frame, source) if all_of_one else None
            _bind(frame, generators, source)
            made = [make()]
    if known:
        frame.state.facts = state.facts
    for serial, changed in state.lists.items():
        if frame.state.lists.get(serial) is not changed:
            frame.state.change(changed.made, changed.now if known else Unknown("a list"))
    return known, made, rounds


def _bind(frame: Frame, generators: list[ast.comprehension], source: Value) -> None:
    for index, generator in enumerate(generators):
        given = source if index == 0 else frame.evaluate(generator.iter)
        item = item_of(frame, given)
        # One number after the other is another size each time.
        assign(frame, generator.target, one_of(item) if isinstance(item, Dim) else item)
        for test in generator.ifs:
            frame.evaluate(test)
            refine(frame, test, holds=True)
