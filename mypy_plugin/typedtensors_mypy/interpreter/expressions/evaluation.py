# SPDX-License-Identifier: Apache-2.0
"""The value of an expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.alternatives import either_way
from typedtensors_mypy.interpreter.annotations.declared import check
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions import operators
from typedtensors_mypy.interpreter.expressions.attributes import attribute
from typedtensors_mypy.interpreter.expressions.comprehensions import (
    comprehension,
    dict_comprehension,
)
from typedtensors_mypy.interpreter.expressions.displays import (
    dict_display,
    entries,
    list_display,
    set_display,
    tuple_display,
    unpacked,
)
from typedtensors_mypy.interpreter.expressions.iteration import item_of
from typedtensors_mypy.interpreter.expressions.names import name_value
from typedtensors_mypy.interpreter.expressions.subscripts import subscript
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.run import MOST_STEPS_AT_ALL, TooMuchError
from typedtensors_mypy.interpreter.statements.assignment import assign
from typedtensors_mypy.interpreter.statements.definitions import inner_function
from typedtensors_mypy.interpreter.statements.refinement import holds_here, refine, truth
from typedtensors_mypy.interpreter.values import REPORTED, Coming, either, options
from typedtensors_mypy.source.syntax.walks import as_function


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression; Unknown for any kind that is not listed below."""
    run = frame.run
    run.steps += 1
    if run.steps > MOST_STEPS_AT_ALL:
        raise TooMuchError
    evaluator = _EVALUATORS.get(node.__class__)
    if evaluator is None:
        return Unknown("an expression of a kind that is not followed")
    return evaluator(frame, node)


def _constant(_frame: Frame, node: ast.Constant) -> Value:
    """A literal as a value: an integer is a size."""
    value = node.value
    if type(value) is int:
        return Dim.of(value)
    if value is None or value is ... or isinstance(value, (bool, float, str)):
        return value
    return Unknown("a literal that is no size")


def _binary(frame: Frame, node: ast.BinOp) -> Value:
    left, right = frame.evaluate(node.left), frame.evaluate(node.right)
    return operators.binary(frame, node, node.op, left, right)


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    return operators.unary(frame, node, node.op, frame.evaluate(node.operand))


def _compare(frame: Frame, node: ast.Compare) -> Value:
    left = frame.evaluate(node.left)
    return operators.compare(frame, node, left, [*map(frame.evaluate, node.comparators)])


def _bool(frame: Frame, node: ast.BoolOp) -> Value:
    """`and` and `or`: each operand is evaluated where the ones before it let it be."""
    goes_on = isinstance(node.op, ast.And)
    start, values = frame.state, []
    here = start.fork()
    for operand in node.values:
        with frame.branch(here):
            value = frame.evaluate(operand)
            decided = holds_here(frame, value) is (not goes_on)
            if not decided:
                refine(frame, operand, holds=goes_on)
        if decided:
            return value
        values.append(value)
    last = values.pop()
    kept = [part for value in values for part in options(value) if truth(part) is not goes_on]
    return either([*kept, last]) if kept else last


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    answer = holds_here(frame, frame.evaluate(node.test))
    if answer is not None:
        return frame.evaluate(node.body if answer else node.orelse)

    def branch(chosen: ast.expr, *, holds: bool) -> Value:
        refine(frame, node.test, holds=holds)
        return frame.evaluate(chosen)

    sides = partial(branch, node.body, holds=True), partial(branch, node.orelse, holds=False)
    return either(either_way(frame, sides))


def _starred(frame: Frame, node: ast.Starred) -> Value:
    frame.evaluate(node.value)
    return Unknown("an unpacked value")


def _walrus(frame: Frame, node: ast.NamedExpr) -> Value:
    value = frame.evaluate(node.value)
    assign(frame, node.target, value)
    return value


def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    return inner_function(frame, frame.scope.module.once(as_function, node))


def _slice(frame: Frame, node: ast.Slice) -> Value:
    parts = [None if n is None else frame.evaluate(n) for n in (node.lower, node.upper, node.step)]
    return slice(*parts)


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    base = frame.evaluate(node.value)
    return subscript(frame, node, base, frame.evaluate(node.slice))


def _call(frame: Frame, node: ast.Call) -> Value:
    callee = frame.evaluate(node.func)
    return frame.run.call(frame, node, callee, _arguments(frame, node))


def _arguments(frame: Frame, node: ast.Call) -> Arguments:
    given = _by_position(frame, node.args)
    return _named(frame, node.keywords, given) if node.keywords else given


def _by_position(frame: Frame, written: Sequence[ast.expr]) -> Arguments:
    """Arguments by position, some of which stand behind a `*`."""
    positional: list[Value] = []
    nodes: list[ast.expr] = []
    complete, rest = True, None
    for argument in written:
        if isinstance(argument, ast.Starred):
            value = frame.evaluate(argument.value)
            more = unpacked(frame, value)
            if more is None:
                rest = item_of(frame, value)
            complete = complete and more is not None
            positional += more or ()
            nodes += [argument] * len(more or ())
        else:
            positional.append(frame.evaluate(argument))
            nodes.append(argument)
    return Arguments(tuple(positional), nodes=tuple(nodes), complete=complete, rest=rest)


def _named(frame: Frame, written: Sequence[ast.keyword], given: Arguments) -> Arguments:
    """The arguments with those by name, some of which may stand behind `**`."""
    keywords: dict[str, Value] = {}
    nodes: dict[str, ast.expr] = {}
    complete = given.complete
    for keyword in written:
        value = frame.evaluate(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            nodes[keyword.arg] = keyword.value
            continue
        named = entries(frame, value)
        complete = complete and named is not None
        keywords |= named or {}
        nodes |= dict.fromkeys(named or (), keyword.value)
    return Arguments(given.positional, keywords, given.nodes, nodes, complete, rest=given.rest)


def _yield(frame: Frame, node: ast.Yield) -> Value:
    value = None if node.value is None else frame.evaluate(node.value)
    _yielded(frame, node.value or node, value)
    return Unknown("what a generator is sent")


def _yield_from(frame: Frame, node: ast.YieldFrom) -> Value:
    _yielded(frame, node.value, item_of(frame, frame.evaluate(node.value)))
    return Unknown("what a generator returns")


def _yielded(frame: Frame, node: ast.expr, value: Value) -> None:
    """Names that only the return annotation has stand for what this expression yields."""
    bindings = frame.bindings
    where = wording.yielded(frame.name)
    fits = check(frame, node, where, frame.yielding, value)
    frame.bindings = bindings
    frame.yields.append(value if fits else REPORTED)


def _await(frame: Frame, node: ast.Await) -> Value:
    value = frame.evaluate(node.value)
    return value.value if isinstance(value, Coming) else Unknown("what is awaited")


def _formatted(frame: Frame, node: ast.FormattedValue) -> Value:
    value = frame.evaluate(node.value)
    plain = node.format_spec is None and node.conversion == -1
    if plain and isinstance(value, Dim) and value.value is not None:
        return str(value.value)
    return value if plain and isinstance(value, str) else Unknown("a text")


def _text(frame: Frame, node: ast.JoinedStr) -> Value:
    parts = [frame.evaluate(part) for part in node.values]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(parts) else Unknown("a text")


_EVALUATORS: Mapping[type[ast.expr], Callable[[Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: name_value,
    ast.Attribute: attribute,
    ast.Tuple: tuple_display,
    ast.List: list_display,
    ast.Set: set_display,
    ast.Dict: dict_display,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool,
    ast.IfExp: _conditional,
    ast.Starred: _starred,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
    ast.Slice: _slice,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.ListComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.SetComp: comprehension,
    ast.DictComp: dict_comprehension,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Await: _await,
    ast.FormattedValue: _formatted,
    ast.JoinedStr: _text,
}
