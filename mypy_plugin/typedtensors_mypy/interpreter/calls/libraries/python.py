# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's library that call functions, hold what coroutines give, assign or cast."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from typedtensors.ops import SOME_FLOAT, Fields, Object, Unknown, Value
from typedtensors_mypy.interpreter.annotations.declared import declare
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.calls.constructors import ensure_built
from typedtensors_mypy.interpreter.expressions.iteration import item_of, known_items
from typedtensors_mypy.interpreter.expressions.operators import OPERATORS, binary
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    Coming,
    Instance,
    Items,
    Maker,
    Partial,
    options,
)
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import OpaqueType
from typedtensors_mypy.source.program import External


def _partial(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """A function with some of its arguments given already."""
    if not arguments.positional or not arguments.complete:
        return Unknown("a function whose arguments are not known")
    return Partial(arguments.positional[0], arguments.positional[1:], arguments.keywords)


def _reduce(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """Applied from the left; to any number of items, as often as it takes to see what it gives."""
    if not 2 <= len(arguments.positional) <= 3:
        return Unknown("a reduction of unknown items")
    function, reduced, *start = arguments.positional
    items = known_items(frame, reduced)
    if items is None:
        items = (item_of(frame, reduced),) * 2
    if not items and not start:
        return Unknown("a reduction of nothing")
    total, *others = (*start, *items)
    for item in others:
        total = frame.run.call(frame, node, function, Arguments((total, item)))
    return total


def _operator(operator: type[ast.operator]) -> Callable[[Frame, ast.expr, Arguments], Value]:
    def apply(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
        if len(arguments.positional) != 2:
            return Unknown("an operator without two operands")
        left, right = arguments.positional
        return binary(frame, node, operator(), left, right)

    return apply


def _gather(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.complete:
        return Unknown("coroutines of unknown number")
    values = [
        value.value if isinstance(value, Coming) else Unknown("a coroutine")
        for value in arguments.positional
    ]
    return Coming(tuple(values))


def _run(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    coming = arguments.positional[0] if arguments.positional else None
    return coming.value if isinstance(coming, Coming) else Unknown("what a coroutine gives")


def _first(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return arguments.positional[0] if arguments.positional else Unknown("nothing")


def _copied(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """A list or dict of its own, with what the first one holds."""
    now = frame.state.now(_first(frame, node, arguments))
    return Items(now.values, now.keys) if isinstance(now, Items) else now


def _held(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return Coming(_first(_frame, _node, arguments))


def _in_thread(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.positional or not arguments.complete:
        return Unknown("a call in a thread")
    function, *given = arguments.positional
    value = frame.run.call(frame, node, function, Arguments(tuple(given), arguments.keywords))
    return Coming(value)


def _set_attribute(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`setattr(a, "b", c)` is `a.b = c`; with another name, it may be any attribute."""
    owner, name, value = (*arguments.positional, None, None, None)[:3]
    for option in options(owner):
        if isinstance(option, Instance):
            ensure_built(frame, option)
            unknown = Unknown("an attribute that is assigned again")
            names = (name,) if isinstance(name, str) else (*option.attributes,)
            if not option.building:
                option.attributes.update(dict.fromkeys(names, unknown))
            now = value if isinstance(name, str) else unknown
            frame.state.set_attributes(option, dict.fromkeys(names, now))
    return None


def _named_tuple(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    if len(arguments.positional) != 2 or arguments.keywords:
        return Unknown("a named tuple of unknown fields")
    written = arguments.positional[1]
    if isinstance(written, str):
        return Maker(tuple(written.replace(",", " ").split()))
    listed = known_items(frame, written) or ()
    names = tuple(name for name in listed if isinstance(name, str))
    known = listed and len(names) == len(listed)
    return Maker(names) if known else Unknown("a named tuple of unknown fields")


def make(maker: Maker, arguments: Arguments) -> Value:
    """The named tuple of the arguments."""
    given = dict(zip(maker.names, arguments.positional, strict=False)) | arguments.keywords
    if not arguments.complete or given.keys() != {*maker.names}:
        return Unknown("a named tuple of unknown values")
    return Fields.of(**{name: given[name] for name in maker.names})


def enter(frame: Frame, node: ast.expr, manager: Value) -> Value:
    """What `with manager as ...` binds."""
    if isinstance(manager, Coming):
        return manager.value
    if isinstance(manager, Object):
        return manager
    if isinstance(manager, Instance):
        method = bound_method(frame, manager, "__enter__")
        if method is not None:
            return frame.run.call(frame, node, method, Arguments())
    return Unknown("what a context manager gives")


def _cast(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """The value, of which nothing is checked; what the annotation says, where it is not known."""
    if len(arguments.positional) != 2 or not arguments.nodes:
        return Unknown("`cast` with arguments by keyword")
    kind = type_of(frame.scope, arguments.nodes[0])
    value = arguments.positional[1]
    return value if isinstance(kind, OpaqueType) else declare(frame, kind, value)


def _limits(_frame: Frame, _node: ast.expr, _arguments: Arguments) -> Value:
    """What `finfo` says of a dtype: floats."""
    names = ("eps", "max", "min", "tiny", "smallest_normal", "resolution")
    return Fields.of(**dict.fromkeys(names, SOME_FLOAT))


def _decorator(name: str) -> Callable[[Frame, ast.expr, Arguments], Value]:
    """A decorator, where it is called: given its options, it waits for the function."""

    def decorated(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
        return arguments.positional[0] if arguments.positional else External(name)

    return decorated


PYTHON: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "builtins.setattr": _set_attribute,
    "typing.cast": _cast,
    "typing_extensions.cast": _cast,
    "torch.finfo": _limits,
    "numpy.finfo": _limits,
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "asyncio.gather": _gather,
    "asyncio.run": _run,
    "asyncio.create_task": _first,
    "asyncio.ensure_future": _first,
    "asyncio.wait_for": _first,
    "asyncio.shield": _first,
    "asyncio.to_thread": _in_thread,
    "collections.namedtuple": _named_tuple,
    "contextlib.nullcontext": _held,
    "contextlib.closing": _held,
    "copy.deepcopy": _copied,
    "copy.copy": _copied,
    "tqdm.tqdm": _first,
    "tqdm.auto.tqdm": _first,
    **{name: _decorator(name) for name in library.KEEPING_DECORATORS},
    **{f"operator.{name}": _operator(kind) for kind, name in OPERATORS.items()},
}
