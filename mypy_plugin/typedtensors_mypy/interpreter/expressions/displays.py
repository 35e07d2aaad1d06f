# SPDX-License-Identifier: Apache-2.0
"""Tuples, lists and dicts where they are written out."""

from __future__ import annotations

import ast
from typing import Any

from typedtensors.ops import Undetermined, Unknown, Value
from typedtensors.ops.steps.axes.sizes import parts, shape_of, sizes_of
from typedtensors.shapes import Shape, Variadic
from typedtensors_mypy.interpreter.expressions.iteration import (
    is_literal_key,
    item_of,
    known_items,
)
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all
from typedtensors_mypy.interpreter.values import HEAVIEST, Items, Keyed, Stream, weight

# A literal longer than this is data.
_LONGEST_LITERAL = 64


def tuple_display(frame: Frame, node: ast.Tuple) -> Value:
    """A tuple; `(*x.shape[:-1], 3)` is a `Shape` where the rank of `x` is not known."""
    items = _sequence(frame, node.elts)
    return items if isinstance(items, Unknown | Stream) else _sized(items)


def list_display(frame: Frame, node: ast.List | ast.Set) -> Value:
    """A list; the sizes of an array of unknown rank among its items make it a `Shape`."""
    items = _sequence(frame, node.elts)
    if isinstance(items, Unknown | Stream):
        return items
    return _sized(items) if any(isinstance(item, Variadic) for item in items) else Items(items)


def set_display(frame: Frame, node: ast.Set) -> Value:
    """A set: what is written twice, or has the same value, is in it once."""
    return as_set(list_display(frame, node))


def as_set(held: Value) -> Value:
    """What a list holds as a set, of which neither the number nor the order is known."""
    if isinstance(held, Items) and len(held.values) > 1:
        return Stream(join_all(held.values))
    return Stream(held.item) if isinstance(held, Stream) else held


def _sequence(frame: Frame, nodes: list[ast.expr]) -> tuple[Value, ...] | Stream | Unknown:
    """The items that a display writes, those behind a `*` included."""
    if len(nodes) > _LONGEST_LITERAL:
        return Unknown("a long literal")
    items: list[Value] = []
    known = True
    for node in nodes:
        if not isinstance(node, ast.Starred):
            items.append(frame.evaluate(node))
            continue
        value = frame.evaluate(node.value)
        more = unpacked(frame, value)
        known = known and more is not None
        items += (item_of(frame, value),) if more is None else more
    if not known:
        return Stream(join_all(items))
    return tuple(items) if weight(tuple(items)) <= HEAVIEST else Unknown("a literal of too much")


def unpacked(frame: Frame, value: Value) -> tuple[Value, ...] | None:
    """What stands behind a `*`; among the sizes of an array may be a run of unknown number."""
    return sizes_of(value) if isinstance(value, Shape) else known_items(frame, value)


def _sized(items: tuple[Value, ...]) -> Value:
    if not any(isinstance(item, Variadic) for item in items):
        return items
    try:
        return shape_of(parts(items))
    except Undetermined as answer:
        return Unknown(answer.reason)


def dict_display(frame: Frame, node: ast.Dict) -> Value:
    """A dict, of known keys where they are literals."""
    if len(node.keys) > _LONGEST_LITERAL:
        return Unknown("a long literal")
    held: dict[Value, Value] | None = {}
    values: list[Value] = []
    for key, written in zip(node.keys, node.values, strict=True):
        name = None if key is None else frame.evaluate(key)
        value = frame.evaluate(written)
        if key is None:
            more = entries(frame, value)
            values += [item_of_dict(frame, value)] if more is None else more.values()
        else:
            more = {name: value} if is_literal_key(name) else None
            values.append(value)
        held = None if held is None or more is None else {**held, **more}
    if held is not None:
        return Items(tuple(held.values()), tuple(held))
    return Keyed(join_all(values))


def entries(frame: Frame, value: Value) -> dict[Any, Value] | None:
    """The entries of a dict whose keys are known; None of any other value."""
    now = frame.state.now(value)
    if not isinstance(now, Items) or now.keys is None:
        return None
    return dict(zip(now.keys, now.values, strict=True))


def item_of_dict(frame: Frame, value: Value) -> Value:
    """What each value of a dict is like."""
    now = frame.state.now(value)
    if isinstance(now, Items) and now.keys is not None and now.values:
        return join_all(now.values)
    return now.item if isinstance(now, Keyed) else Unknown("a value of a dict")
