# SPDX-License-Identifier: Apache-2.0
"""Python's own functions that make something to iterate over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from typedtensors.dims import Dim
from typedtensors.ops import Rounds, Unknown, Value
from typedtensors.ops.steps.axes.slicing import taken
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.libraries.numbers import guarded
from typedtensors_mypy.interpreter.expressions.iteration import (
    as_sequence,
    item_of,
    known_items,
    rounds_of,
)
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Items, Stream


def _range(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """Few steps are gone through one by one; else some integer, each time.

    A name that a range counts with holds an integer, such as an unannotated `batch_size`.
    """
    for argument in arguments.nodes:
        name = argument.id if isinstance(argument, ast.Name) else ""
        if isinstance(frame.state.values.get(name), Unknown):
            frame.state.assign(name, Dim.fresh(name))
    if len(arguments.positional) == 1 and isinstance(arguments.positional[0], Dim):
        count = arguments.positional[0].value
        if count is not None and 0 < count <= 8:
            return tuple(Dim.of(step) for step in range(count))
    index = Dim.fresh("i")
    return Stream(index, _rounds(frame, index, arguments.positional))


def _rounds(frame: Frame, index: Dim, bounds: Sequence[Value]) -> Rounds | None:
    """How many steps a range takes.

    With `range(0, n, size)` one goes through pieces, of which only the last may be smaller.
    """
    sizes = [bound for bound in bounds if isinstance(bound, Dim)]
    if not 0 < len(sizes) == len(bounds):
        return None
    start, stop = (Dim.of(0), sizes[0]) if len(sizes) == 1 else sizes[:2]
    step = sizes[2] if len(sizes) > 2 else Dim.of(1)
    if step.value in (1, -1):
        return Rounds((stop - start) * step)
    if start.value != 0 or (step.value is not None and step.value < 0):
        return None
    resolve = frame.state.facts.resolve
    piece = taken(resolve(stop), resolve(index), resolve(index + step), None)
    return Rounds(Dim.several("len"), piece, stop)


def _slice(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`slice(3)` is `:3` between brackets, `slice(None)` is `:`."""
    return slice(*arguments.positional)


def _zip(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.positional:
        return ()
    columns = [known_items(frame, value) for value in arguments.positional]
    if all(column is not None for column in columns):
        return tuple(zip(*(column or () for column in columns), strict=False))
    found = [rounds_of(frame, value) for value in arguments.positional]
    numbers = {each and each.number for each in found}
    rounds = found[0] if len(numbers) == 1 else None
    return Stream(tuple(item_of(frame, value) for value in arguments.positional), rounds)


def _enumerate(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    items = known_items(frame, arguments.positional[0])
    if items is not None and len(arguments.positional) == 1 and not arguments.keywords:
        return tuple((Dim.of(index), item) for index, item in enumerate(items))
    value = arguments.positional[0]
    return Stream((Dim.fresh("i"), item_of(frame, value)), rounds_of(frame, value))


def _reversed(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    held = as_sequence(frame, arguments.positional[0])
    return held if isinstance(held, Stream) else held[::-1]


def _next(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    value, at = arguments.positional[0], arguments.nodes[0] if arguments.nodes else None
    item = item_of(frame, value)
    if isinstance(at, ast.Name) and type(value) in (Stream, tuple):
        # There is one item less to come.
        frame.state.assign(at.id, Stream(item))
    return item


def _iter(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """What is drawn from it is not counted."""
    value = arguments.positional[0]
    counted = isinstance(value, (Stream, Items, Tensor)) or type(value) is tuple
    return Stream(item_of(frame, value)) if counted else value


def _map(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    function, *columns = arguments.positional
    rows = _zip(frame, node, Arguments(tuple(columns)))
    if isinstance(rows, tuple):
        return tuple(_apply(frame, node, function, row) for row in rows)
    return Stream(_apply(frame, node, function, item_of(frame, rows)), rounds_of(frame, rows))


def _apply(frame: Frame, node: ast.expr, function: Value, row: Value) -> Value:
    if not isinstance(row, tuple):
        return Unknown("a call with arguments that are not known")
    return frame.run.call(frame, node, function, Arguments(row))


def _filter(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return Stream(item_of(frame, arguments.positional[1]))


def _sorted(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    return Stream(item_of(frame, value), rounds_of(frame, value))


ITERATORS: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "builtins.range": guarded(1, _range),
    "builtins.slice": guarded(1, _slice, most=3),
    "builtins.zip": guarded(1, _zip),
    "builtins.enumerate": guarded(1, _enumerate),
    "builtins.reversed": guarded(1, _reversed),
    "builtins.next": guarded(1, _next),
    "builtins.iter": guarded(1, _iter),
    "builtins.map": guarded(2, _map),
    "builtins.filter": guarded(2, _filter),
    "builtins.sorted": guarded(1, _sorted),
}
