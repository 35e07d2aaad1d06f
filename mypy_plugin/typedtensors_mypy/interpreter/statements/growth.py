# SPDX-License-Identifier: Apache-2.0
"""Lists to which each round of a loop adds one item: they grow by as many as there are rounds."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Rounds, Value
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import contained
from typedtensors_mypy.interpreter.values import Either, Instance, Items, Method, Partial, Stream
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode
from typedtensors_mypy.source.syntax.walks import walk


@dataclass(frozen=True)
class Before:
    """A list as it was before a loop, and how many items it held then."""

    made: Items
    number: Dim


def lists_before(frame: Frame, loop: ast.For | ast.AsyncFor) -> Mapping[str, Before]:
    """The lists that a loop adds one item to in each round, by name, as they are before it."""
    module, found = frame.scope.module, {}
    for name in module.once(_grown, loop):
        made = frame.state.values.get(name)
        now = frame.state.held(made)
        number: Dim | None = None
        if isinstance(now, Items) and now.keys is None:
            number = Dim.of(len(now.values))
        elif isinstance(now, Stream) and now.rounds is not None:
            number = now.rounds.number
        if isinstance(made, Items) and number is not None and _has_one_name(frame, name, made):
            found[name] = Before(made, number)
    return found


def count_items(frame: Frame, before: Mapping[str, Before], rounds: Rounds | None) -> None:
    """Say after a loop how many items its lists hold now."""
    for name, was in before.items() if rounds is not None else ():
        now = frame.state.held(was.made)
        if frame.state.values.get(name) is was.made and type(now) is Stream and rounds is not None:
            longer = Rounds(was.number + rounds.number) if was.number.value != 0 else rounds
            frame.state.change(was.made, Stream(now.item, longer))


def _has_one_name(frame: Frame, name: str, made: Items) -> bool:
    """Whether nothing but a variable of the function's leads to a list."""
    others = [value for other, value in frame.state.values.items() if other != name]
    held = [each.now for each in frame.state.lists.values()]
    inner = frame.scope.module.once(_used_inside, frame.function) if frame.function else ()
    return name not in inner and not _leads_to([*others, *held], made)


def _leads_to(values: Iterable[Value], made: Items) -> bool:
    """Whether some of the values is a list, or holds it."""
    pending, met = [*values], set[int]()
    while pending:
        value = pending.pop()
        if value is made:
            return True
        if id(value) not in met:
            met.add(id(value))
            pending += _parts(value)
    return False


def _parts(value: Value) -> Iterable[Value]:
    if isinstance(value, tuple):
        return value
    if isinstance(value, Either):
        return value.options
    if isinstance(value, Method):
        return (value.receiver,)
    if isinstance(value, Partial):
        return (value.callee, *value.positional, *value.keywords.values())
    if isinstance(value, Instance):
        return value.attributes.values()
    return contained(value)


def _grown(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """The names of lists that a loop's body appends to once, whatever happens, and else reads."""
    grown = Counter(name for statement in loop.body for name in _appended(statement))
    if not grown:
        return frozenset()
    mentioned = Counter[str]()
    for part in (inner for statement in loop.body for inner in walk(statement)):
        if isinstance(part, ast.Name):
            mentioned[part.id] += 1
        elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load):
            mentioned.subtract(_name(part.value))
        elif isinstance(part, ast.Call) and _name(part.func) == ["len"]:
            mentioned.subtract(name for each in part.args for name in _name(each))
    return frozenset(name for name, times in grown.items() if times == mentioned[name] == 1)


def _appended(statement: ast.stmt) -> Iterator[str]:
    """The name of the list, for `xs.append(x)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) and len(call.args) == 1 else None
    if isinstance(method, ast.Attribute) and method.attr == "append":
        yield from _name(method.value)


def _name(node: ast.expr) -> list[str]:
    return [node.id] if isinstance(node, ast.Name) else []


def _used_inside(function: AnyFunction) -> frozenset[str]:
    """The names in the functions that are defined in a function."""
    inner = (
        node
        for statement in function.body
        for node in walk(statement)
        if isinstance(node, (*FunctionNode, ast.Lambda))
    )
    return frozenset(part.id for node in inner for part in walk(node) if isinstance(part, ast.Name))
