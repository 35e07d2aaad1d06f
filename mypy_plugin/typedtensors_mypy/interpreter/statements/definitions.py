# SPDX-License-Identifier: Apache-2.0
"""Functions and classes where they are defined: their names are bound."""

from __future__ import annotations

import ast

from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.calls.classes import user_class
from typedtensors_mypy.interpreter.expressions.names import function_value
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.functions import interpret
from typedtensors_mypy.interpreter.values import Function, Items
from typedtensors_mypy.source.modules import Ambiguous, AnyFunction
from typedtensors_mypy.source.syntax.contents import contents
from typedtensors_mypy.source.syntax.walks import binding_counts


def define_function(frame: Frame, node: AnyFunction) -> None:
    """Bind a function's name; one inside a function is gone through here: it sees its values."""
    module = frame.scope.module
    if frame.function is None:
        value: Value = function_value(frame.run, module, node)
        if isinstance(module.symbols.get(node.name), Ambiguous):
            value = Unknown("a function with several definitions")
        frame.state.assign(node.name, value)
        return
    function = inner_function(frame, node)
    frame.state.assign(node.name, function)
    if frame.depth == 0 and not frame.run.muted:
        interpret(frame.run, function)


def inner_function(frame: Frame, node: AnyFunction) -> Function:
    """A function or lambda where it is defined: it closes over what is around it."""
    closure = {} if frame.function is None else _captured(frame, frame.function)
    for name in frame.scope.module.once(contents, node).changed:
        if isinstance(frame.state.values.get(name), Items) and frame.function is not None:
            # It may be called from anywhere from here on, as a hook is.
            frame.state.values[name] = Unknown("a list that an inner function changes")
    return Function(node, frame.scope, closure, defaults=_defaults(frame, node.args))


def _defaults(frame: Frame, args: ast.arguments) -> dict[str, Value]:
    positional = [*args.posonlyargs, *args.args]
    first = len(positional) - len(args.defaults)
    pairs = [*zip(positional[first:], args.defaults, strict=True)]
    pairs += [(arg, each) for arg, each in zip(args.kwonlyargs, args.kw_defaults) if each]  # noqa: B905 - one default per argument
    return {arg.arg: frame.evaluate(default) for arg, default in pairs}


def _captured(frame: Frame, outer: AnyFunction) -> dict[str, Value]:
    """What a function inside another sees of it: names that are bound once, and so far.

    Not of a list that some code of the outer function changes: nobody knows when.
    """
    counts = frame.scope.module.once(binding_counts, outer)
    changed = frame.scope.module.once(contents, outer).changed
    captured = dict(frame.closure)
    for name in frame.local:
        known = frame.state.values.get(name)
        sure = known is not None and counts.get(name, 0) <= 1
        changes = isinstance(known, Items) and name in changed
        captured[name] = known if sure and not changes else Unknown("a variable around it")
    return captured


def define_class(frame: Frame, node: ast.ClassDef) -> None:
    """Bind a class's name."""
    if frame.function is not None:
        frame.state.assign(node.name, Unknown("a class inside a function"))
        return
    frame.state.assign(node.name, user_class(frame.run, frame.scope.module, node))
