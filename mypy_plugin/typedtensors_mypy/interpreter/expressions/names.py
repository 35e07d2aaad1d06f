# SPDX-License-Identifier: Apache-2.0
"""What a name stands for: a local, a name of an enclosing function, a global, another module's."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cache

from typedtensors.ops import SOME_FLOAT, Unknown, Value
from typedtensors.shapes import Bindings, Tensor
from typedtensors_mypy.interpreter.annotations.declared import value_of
from typedtensors_mypy.interpreter.calls.classes import some_instance, user_class
from typedtensors_mypy.interpreter.calls.records import is_frozen
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.state import State
from typedtensors_mypy.interpreter.values import Chain, Function, Instance, Items, Stream
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import specs_of
from typedtensors_mypy.source.modules import AnyFunction, Assigned, FunctionNode, Module
from typedtensors_mypy.source.program import Definition, External, Target
from typedtensors_mypy.source.syntax.changes import changed_in_place

_UNBOUND = object()


def name_value(frame: Frame, node: ast.Name) -> Value:
    """What a name stands for here: a local, a name of an enclosing function, a global."""
    name = node.id
    value = frame.state.values.get(name, _UNBOUND)
    if value is not _UNBOUND:
        return value
    if name in frame.local:
        return Unknown("a name that may not be bound")
    if name in frame.closure:
        return frame.closure[name]
    if name == "reveal_type":
        return External("typing.reveal_type")
    return target_value(frame, frame.scope.named(name), name)


def target_value(frame: Frame, target: Target | None, name: str) -> Value:
    """What a name, or a name of a module, stands for, by where it leads."""
    if target is None:
        return Unknown(f"`{name}` depends on the run")
    if isinstance(target, External):
        return external_value(target.name)
    if isinstance(target, Module):
        return target
    return _definition(frame, target, name)


@cache
def external_value(name: str) -> Value:
    """What a library has under a name."""
    if library.is_float_constant(name):
        return SOME_FLOAT
    if library.is_new_axis(name):
        return None
    return library.dtype_named(name) or External(name)


def _definition(frame: Frame, target: Definition, name: str) -> Value:
    node = target.node
    if isinstance(node, ast.ClassDef):
        return user_class(frame.run, target.module, node)
    if isinstance(node, FunctionNode):
        return function_value(frame.run, target.module, node)
    return _global(frame, target, node, name)


def function_value(run: Run, module: Module, node: AnyFunction) -> Function:
    """The function that a definition at the top level of a module defines."""
    known = run.functions.get(id(node))
    if known is None:
        known = run.functions[id(node)] = Function(node, run.scope_of(module))
    return known


def _global(frame: Frame, target: Definition, node: Assigned, name: str) -> Value:
    """A variable of a module that is assigned once."""
    run = frame.run
    if target.module is run.module:
        value = run.globals.values.get(name, Unknown("a global that is not assigned yet"))
        return lasting(target.module, name, _shared(run, value))
    key = id(node)
    if key not in run.results:
        run.results[key] = Unknown("a global that is being evaluated")
        inner = Frame(run, run.scope_of(target.module), State(), depth=frame.depth + 1)
        if not frame.too_deep:
            with run.silence():
                run.results[key] = _global_value(inner, node)
    return lasting(target.module, name, _shared(run, run.results[key]))


def _shared(run: Run, value: Value) -> Value:
    """What a variable of a module is to its functions: any module may configure a record anew."""
    if isinstance(value, Instance) and value.exact and not is_frozen(run, value.cls):
        return some_instance(run, value.cls)
    return value


def _global_value(inner: Frame, node: Assigned) -> Value:
    """What a variable of another module is: what its annotation says of arrays, else its value."""
    kind = type_of(inner.scope, node.annotation)
    if node.value is None or specs_of(kind):
        return value_of(inner, kind, Bindings())
    return inner.evaluate(node.value)


def lasting(module: Module, name: str, value: Value) -> Value:
    """A value that outlives the code that made it.

    An array among them is made once, as weights are: `(x - self.mean) / self.std` with arrays of 3
    channels documents that `x` has 3. A list that some code of its module changes is unknown:
    inside one function the state knows which lists have changed, between functions nobody does.
    """
    if isinstance(value, Tensor):
        return replace(value, parameter=True)
    counted = type(value) is Stream and value.rounds is not None
    held = counted or isinstance(value, (Items, Chain))
    changes = held and name in module.summed(changed_in_place)
    return Unknown(f"`{name}` is changed in place") if changes else value
