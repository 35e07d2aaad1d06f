# SPDX-License-Identifier: Apache-2.0
"""Python's own functions of numbers: on integers they are dims, on arrays ops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from typedtensors.dims import Dim, maximum, minimum
from typedtensors.ops import SOME_FLOAT, Unknown, Value
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions.iteration import item_of, known_items
from typedtensors_mypy.interpreter.expressions.operators import binary
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.statements.assignment import mark_changed
from typedtensors_mypy.interpreter.values import either, framework_of
from typedtensors_mypy.source.library import ARRAY_CLASS


def _integer(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else Dim.of(0)
    return value if isinstance(value, Dim) else Dim.fresh("int")


def _divided(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    left, right = arguments.positional[:2]
    return (
        binary(frame, node, ast.FloorDiv(), left, right),
        binary(frame, node, ast.Mod(), left, right),
    )


def _absolute(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    framework = framework_of(value)
    if framework is not None:
        return apply_op(frame, node, f"{ARRAY_CLASS[framework]}.abs", (value,))
    if isinstance(value, Dim):
        return value if value.value is None or value.value >= 0 else -value
    return value if isinstance(value, float) else Unknown("an absolute value")


def _rounded(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """An integer; a float if a number of digits is given."""
    value, *digits = (*arguments.positional, *arguments.keywords.values())
    if isinstance(value, Dim):
        return value
    return SOME_FLOAT if digits or not isinstance(value, float) else Dim.fresh("round")


def _float(_frame: Frame, _node: ast.expr, _arguments: Arguments) -> Value:
    return SOME_FLOAT


def _extreme(choose: Callable[..., Dim]) -> Callable[[Frame, ast.expr, Arguments], Value]:
    def extreme(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
        values = arguments.positional
        if len(values) == 1:
            values = known_items(frame, values[0]) or ()
        if "key" in arguments.keywords:
            return either(values) if values else Unknown("an extreme by a key")
        if values and all(isinstance(value, Dim) for value in values):
            return choose(*values)
        numbers = all(isinstance(value, (Dim, float)) for value in values)
        return SOME_FLOAT if values and numbers else Unknown("an extreme of unknown values")

    return extreme


def _sum(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """Added up one by one; of any number of items, whatever adding two of them gives."""
    summed, *start = (*arguments.positional, *arguments.keywords.values())
    items = known_items(frame, summed)
    if items is None:
        items = (item_of(frame, summed),) * 2
    if not items and not start:
        return Dim.of(0)
    total, *others = (*start, *items)
    for item in others:
        total = binary(frame, node, ast.Add(), total, item)
    return total


def unknown(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """What a built-in gives that is not followed."""
    for value in arguments.values:
        mark_changed(frame, value)
    return Unknown("a built-in that is not followed")


def guarded(
    count: int, apply: Callable[[Frame, ast.expr, Arguments], Value], most: int | None = None
) -> Callable[[Frame, ast.expr, Arguments], Value]:
    """The function if it gets at least `count` arguments, and `most`, all known to be there."""

    def guarded(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
        given = len(arguments.positional)
        if not arguments.complete or given < count or (most is not None and given > most):
            return unknown(frame, node, arguments)
        return apply(frame, node, arguments)

    return guarded


NUMBERS: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "builtins.int": guarded(0, _integer),
    "builtins.float": _float,
    "builtins.divmod": guarded(2, _divided),
    "builtins.abs": guarded(1, _absolute),
    "builtins.round": guarded(1, _rounded),
    "builtins.max": guarded(1, _extreme(maximum)),
    "builtins.min": guarded(1, _extreme(minimum)),
    "builtins.sum": guarded(1, _sum),
}
