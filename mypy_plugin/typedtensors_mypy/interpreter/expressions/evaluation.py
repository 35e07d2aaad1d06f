# SPDX-License-Identifier: Apache-2.0
"""The value of an expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from typedtensors.dims import Dim
from typedtensors.ops import Undetermined, Unknown, Value
from typedtensors.ops.steps.sizes import parts, shape_of, sizes_of
from typedtensors.shapes import Shape, Variadic
from typedtensors_mypy.interpreter.expressions import operators
from typedtensors_mypy.interpreter.expressions.attributes import attribute, name_value
from typedtensors_mypy.interpreter.expressions.iteration import item_of, known_items
from typedtensors_mypy.interpreter.expressions.subscripts import subscript
from typedtensors_mypy.interpreter.frame import Arguments, Frame
from typedtensors_mypy.interpreter.state import join_states
from typedtensors_mypy.interpreter.statements.assignment import assign
from typedtensors_mypy.interpreter.statements.refinement import refine, truth
from typedtensors_mypy.interpreter.values import Items, Lambda, Stream, either

# A literal longer than this is data.
_LONGEST_LITERAL = 64


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression; Unknown for any kind that is not listed below."""
    frame.run.steps += 1
    evaluator = _EVALUATORS.get(type(node))
    if evaluator is None:
        return Unknown("an expression of a kind that is not followed")
    return evaluator(frame, node)


def constant(value: object) -> Value:
    """A literal as a value: an integer is a size."""
    if type(value) is int:
        return Dim.of(value)
    if value is None or value is ... or isinstance(value, (bool, float, str)):
        return value
    return Unknown("a literal that is no size")


def _constant(_frame: Frame, node: ast.Constant) -> Value:
    return constant(node.value)


def _tuple(frame: Frame, node: ast.Tuple) -> Value:
    items = _sequence(frame, node.elts)
    return Unknown("a tuple of unknown length") if items is None else _display(items)


def _list(frame: Frame, node: ast.List) -> Value:
    items = _sequence(frame, node.elts)
    if items is not None and any(isinstance(item, Variadic) for item in items):
        return _display(items)
    return Unknown("a list of unknown length") if items is None else Items(items)


def _sequence(frame: Frame, nodes: list[ast.expr]) -> tuple[Value, ...] | None:
    """The items that a display writes, those behind a `*` included; None if not known."""
    if len(nodes) > _LONGEST_LITERAL:
        return None
    items: list[Value] | None = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            more = _unpacked(frame, node)
            items = None if more is None or items is None else [*items, *more]
        else:
            value = frame.evaluate(node)
            items = None if items is None else [*items, value]
    return None if items is None else tuple(items)


def _unpacked(frame: Frame, node: ast.Starred) -> tuple[Value, ...] | None:
    """What stands behind a `*`; among the sizes of an array may be a run of unknown number."""
    value = frame.evaluate(node.value)
    return sizes_of(value) if isinstance(value, Shape) else known_items(frame, value)


def _display(items: tuple[Value, ...]) -> Value:
    """A tuple; `(*x.shape[:-1], 3)` is a `Shape` where the rank of `x` is not known."""
    if not any(isinstance(item, Variadic) for item in items):
        return items
    try:
        return shape_of(parts(items))
    except Undetermined as answer:
        return Unknown(answer.reason)


def _dict(frame: Frame, node: ast.Dict) -> Value:
    keys = [None if key is None else frame.evaluate(key) for key in node.keys]
    values = tuple(frame.evaluate(value) for value in node.values)
    if None in node.keys or not all(isinstance(key, (str, Dim)) for key in keys):
        return Unknown("a dict with keys that are not literals")
    return Items(values, tuple(keys))


def _binary(frame: Frame, node: ast.BinOp) -> Value:
    left, right = frame.evaluate(node.left), frame.evaluate(node.right)
    return operators.binary(frame, node, node.op, left, right)


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    return operators.unary(frame, node, node.op, frame.evaluate(node.operand))


def _compare(frame: Frame, node: ast.Compare) -> Value:
    return operators.compare(
        frame, node, [frame.evaluate(n) for n in (node.left, *node.comparators)]
    )


def _bool(frame: Frame, node: ast.BoolOp) -> Value:
    """`and` and `or`: each operand is evaluated where the ones before it let it be."""
    goes_on = isinstance(node.op, ast.And)
    start, values = frame.state, []
    here = start.fork()
    for operand in node.values:
        with frame.branch(here):
            value = frame.evaluate(operand)
            values.append(value)
            answer = truth(value)
            if answer is (not goes_on):
                break
            refine(frame, operand, holds=goes_on)
    if truth(values[-1]) is (not goes_on):
        return values[-1]
    last = values.pop()
    kept = [value for value in values if truth(value) is not goes_on]
    return either([*kept, last]) if kept else last


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    answer = truth(frame.evaluate(node.test))
    if answer is not None:
        return frame.evaluate(node.body if answer else node.orelse)
    values, states = [], []
    for branch, holds in ((node.body, True), (node.orelse, False)):
        with frame.branch(frame.state.fork()) as state:
            refine(frame, node.test, holds=holds)
            values.append(frame.evaluate(branch))
            states.append(state)
    frame.state.become(join_states(states))
    return either(values)


def _starred(frame: Frame, node: ast.Starred) -> Value:
    frame.evaluate(node.value)
    return Unknown("an unpacked value")


def _walrus(frame: Frame, node: ast.NamedExpr) -> Value:
    value = frame.evaluate(node.value)
    assign(frame, node.target, value)
    return value


def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    return Lambda(node, frame.scope, {**frame.closure, **frame.state.values})


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
    positional: list[Value] = []
    nodes: list[ast.expr] = []
    complete = True
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            more = _unpacked(frame, argument)
            complete = complete and more is not None
            positional += more or ()
            nodes += [argument] * len(more or ())
        else:
            positional.append(frame.evaluate(argument))
            nodes.append(argument)
    keywords = {k.arg: frame.evaluate(k.value) for k in node.keywords if k.arg is not None}
    for keyword in node.keywords:
        if keyword.arg is None:
            frame.evaluate(keyword.value)
            complete = False
    by_name = {k.arg: k.value for k in node.keywords if k.arg is not None}
    return Arguments(tuple(positional), keywords, tuple(nodes), by_name, complete)


def _comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Value:
    """Unrolled over items that are known one by one; else any number of one value."""
    with frame.branch(frame.state.fork()) as state:
        first = node.generators[0]
        source = frame.evaluate(first.iter)
        items = known_items(frame, source)
        if items is not None and len(node.generators) == 1 and not first.ifs:
            values = []
            for item in items:
                assign(frame, first.target, item)
                values.append(frame.evaluate(node.elt))
            facts = state.facts
        else:
            _bind_generators(frame, node.generators, source)
            values, facts = None, None
            item = frame.evaluate(node.elt)
    if values is None:
        return Stream(item)
    frame.state.facts = facts or frame.state.facts
    return Items(tuple(values))


def _bind_generators(frame: Frame, generators: list[ast.comprehension], source: Value) -> None:
    for index, generator in enumerate(generators):
        given = source if index == 0 else frame.evaluate(generator.iter)
        assign(frame, generator.target, item_of(frame, given))
        for test in generator.ifs:
            frame.evaluate(test)
            refine(frame, test, holds=True)


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    with frame.branch(frame.state.fork()):
        _bind_generators(frame, node.generators, frame.evaluate(node.generators[0].iter))
        frame.evaluate(node.key)
        frame.evaluate(node.value)
    return Unknown("a dict comprehension")


def _yield(frame: Frame, node: ast.Yield) -> Value:
    value = None if node.value is None else frame.evaluate(node.value)
    frame.yields.append(value)
    return Unknown("what a generator is sent")


def _inner(frame: Frame, node: ast.Await | ast.YieldFrom | ast.FormattedValue) -> Value:
    if node.value is not None:
        frame.evaluate(node.value)
    return Unknown("a value from elsewhere")


def _text(frame: Frame, node: ast.JoinedStr) -> Value:
    for part in node.values:
        frame.evaluate(part)
    return Unknown("a text")


_EVALUATORS: Mapping[type[ast.expr], Callable[[Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: name_value,
    ast.Attribute: attribute,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _list,
    ast.Dict: _dict,
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
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Yield: _yield,
    ast.YieldFrom: _inner,
    ast.Await: _inner,
    ast.FormattedValue: _inner,
    ast.JoinedStr: _text,
}
