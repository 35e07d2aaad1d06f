# SPDX-License-Identifier: Apache-2.0
"""The value of a call, by what is called."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache

from typedtensors.ops import Framework, Layer, Object, Unknown, Value, canonical
from typedtensors.ops.rule import framework_of as framework_of_op
from typedtensors_mypy.interpreter.alternatives import for_each
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method, forward_name, keras_kind
from typedtensors_mypy.interpreter.calls.constructors import (
    BASE_LAYER,
    construct,
    ensure_built,
    make_base_layer,
)
from typedtensors_mypy.interpreter.calls.following import call_function
from typedtensors_mypy.interpreter.calls.keras import models as keras_models
from typedtensors_mypy.interpreter.calls.keras.objects import call_object, without_flags
from typedtensors_mypy.interpreter.calls.libraries.builtin import BUILTINS
from typedtensors_mypy.interpreter.calls.libraries.chains import call_chain, call_chain_method
from typedtensors_mypy.interpreter.calls.libraries.containers import call_container_method
from typedtensors_mypy.interpreter.calls.libraries.own import OWN
from typedtensors_mypy.interpreter.calls.libraries.python import PYTHON, make
from typedtensors_mypy.interpreter.calls.libraries.tensorflow import (
    LIBRARY as OF_TENSORFLOW,
    call_carrier,
)
from typedtensors_mypy.interpreter.calls.libraries.torch import LIBRARY
from typedtensors_mypy.interpreter.expressions.ops import apply_op, rule_name
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.statements.assignment import (
    assign,
    forget_module,
    mark_changed,
)
from typedtensors_mypy.interpreter.values import (
    RESHAPED,
    Chain,
    DataSet,
    Either,
    Function,
    Instance,
    Items,
    Keyed,
    Maker,
    Method,
    Partial,
    Stream,
    Super,
    UserClass,
    Wired,
    framework_of,
    present,
)
from typedtensors_mypy.source import library
from typedtensors_mypy.source.program import External

# What may be a module of torch: a `ModuleList` is a list.
_MODULES = (Instance, Layer, Items, Stream, Keyed, Chain, Wired)


def call(frame: Frame, node: ast.expr, callee: Value, arguments: Arguments) -> Value:
    """The value of calling a value."""
    callee = present(callee)
    if not isinstance(callee, Either):
        return _call_one(frame, node, callee, arguments)
    return for_each(frame, callee, lambda each: _call_one(frame, node, each, arguments))


def _call_one(frame: Frame, node: ast.expr, callee: Value, arguments: Arguments) -> Value:
    if isinstance(callee, External):
        return _call_external(frame, node, callee.name, arguments)
    if isinstance(callee, Method):
        return _call_method(frame, node, callee, arguments)
    arguments = arguments.counted
    if isinstance(callee, Function):
        return call_function(frame, node, callee, arguments)
    if isinstance(callee, Partial):
        given = arguments.after(*callee.positional).with_defaults(callee.keywords)
        return call(frame, node, callee.callee, given)
    if isinstance(callee, UserClass):
        return construct(frame, node, callee, arguments)
    if isinstance(callee, Instance):
        return _call_instance(frame, node, callee, arguments)
    if isinstance(callee, Maker):
        return make(callee, arguments)
    if isinstance(callee, (Chain, Wired)):
        return _call_model(frame, node, callee, arguments)
    if isinstance(callee, Layer):
        return _call_layer(frame, node, callee, arguments)
    _may_change(frame, arguments)
    return callee if isinstance(callee, Unknown) else Unknown("a call of a value of that kind")


def _call_model(frame: Frame, node: ast.expr, model: Chain | Wired, arguments: Arguments) -> Value:
    if isinstance(model, Wired):
        return keras_models.call_wired(frame, node, model, arguments)
    return call_chain(frame, node, model, arguments)


def _may_change(frame: Frame, arguments: Arguments) -> None:
    """Code that nobody follows may change the lists and the objects it is given."""
    for value in arguments.values:
        mark_changed(frame, value)
        if frame.state.objects and isinstance(value, Instance) and not value.building:
            frame.state.forget_assigned(frozenset(frame.state.attributes(value)))


def _call_external(frame: Frame, node: ast.expr, name: str, arguments: Arguments) -> Value:
    if name.rpartition(".")[2] in library.RESHAPING_IN_PLACE and arguments.positional:
        _reshape(frame, arguments.positional[0], (*arguments.nodes, node)[0])
    special = _followed(name)
    if special is not None:
        return special(frame, node, arguments.counted)
    if not arguments.complete or rule_name(frame, name) is None:
        _may_change(frame, arguments)
        return Unknown(f"`{name}` is not followed")
    value = apply_op(frame, node, name, arguments.positional, arguments.keywords)
    if "out" in arguments.keyword_nodes and framework_of_op(name) is Framework.TORCH:
        _write(frame, arguments.keyword_nodes["out"], value)
    return value


@cache
def _followed(name: str) -> Callable[[Frame, ast.expr, Arguments], Value] | None:
    """What follows a call of something in a library that is no op."""
    known = canonical(name)
    tables = (BUILTINS, name), (PYTHON, name), (LIBRARY, library.short_name(name))
    more = (LIBRARY, known), (OWN, known), (OF_TENSORFLOW, known)
    return next((table[key] for table, key in (*tables, *more) if key in table), None)


def _write(frame: Frame, out: ast.expr, value: Value) -> None:
    """`out=y` makes the result of `y`, which torch gives another size for that."""
    if isinstance(out, ast.Name) and out.id in frame.state.values:
        frame.state.replace(frame.state.values[out.id], value)
    elif isinstance(out, (ast.Tuple, ast.List)):
        parts = value if isinstance(value, tuple) else (Unknown("a part of `out`"),) * len(out.elts)
        for part, item in zip(out.elts, parts, strict=False):
            _write(frame, part, item)


def _call_instance(frame: Frame, node: ast.expr, instance: Instance, arguments: Arguments) -> Value:
    """An object is called by its `__call__`; a module of torch by its `forward`."""
    if "forward" in instance.attributes:
        return frame.run.call(frame, node, instance.attributes["forward"], arguments)
    method = bound_method(frame, instance, "__call__")
    special = call_object(frame, node, instance, arguments) if method is None else None
    if special is not None:
        return special
    layer = instance.attributes.get(BASE_LAYER)
    name = forward_name(frame.run, instance.cls) or ("forward" if layer is not None else None)
    if method is None and name is not None:
        method = bound_method(frame, instance, name)
    if method is None and layer is not None:
        return _call_base_layer(frame, node, layer, arguments)
    if method is None:
        return Unknown("an object that is not known to be callable")
    if name == "call":
        arguments = without_flags(frame, method, arguments)
    return call_function(frame, node, method, arguments)


def _call_layer(
    frame: Frame, node: ast.expr, layer: Layer, arguments: Arguments, method: str = "__call__"
) -> Value:
    if not arguments.complete:
        return Unknown("a call whose arguments are not known")
    name = f"{layer.name}.{method}"
    return apply_op(frame, node, name, arguments.positional, arguments.keywords, layer=layer)


def _call_method(frame: Frame, node: ast.expr, method: Method, arguments: Arguments) -> Value:
    receiver, name = method.receiver, method.name
    framework = framework_of(receiver)
    if framework is not None and arguments.complete:
        full = f"{library.ARRAY_CLASS[framework]}.{name}"
        value = apply_op(frame, node, full, (receiver, *arguments.positional), arguments.keywords)
        if name in library.RESHAPING_IN_PLACE:
            _reshape(frame, receiver, _receiver_of(node))
        return value
    arguments = arguments.counted
    if isinstance(receiver, (Instance, Chain, Wired)) and _is_of_keras(frame, receiver):
        known = keras_models.call_method(frame, node, receiver, name, arguments)
        if known is not None:
            return known
    if isinstance(receiver, (DataSet, Object)):
        known = call_carrier(frame, node, receiver, name, arguments)
        if known is not None:
            return known
    return _call_method_of_object(frame, node, method, arguments)


def _call_method_of_object(
    frame: Frame, node: ast.expr, method: Method, arguments: Arguments
) -> Value:
    """A method of what is no array."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, (Layer, Chain)) and name in library.CHANGING_MODULES:
        forget_module(frame, _receiver_of(node))
    if isinstance(receiver, Object) and arguments.complete:
        positional = (receiver, *arguments.positional)
        return apply_op(frame, node, f"{receiver.name}.{name}", positional, arguments.keywords)
    if isinstance(receiver, Layer) and rule_name(frame, f"{receiver.name}.{name}") is not None:
        return _call_layer(frame, node, receiver, arguments, name)
    if isinstance(receiver, _MODULES) and name in library.MODULE_METHODS:
        return receiver
    if isinstance(receiver, Super):
        return _call_base(frame, node, receiver, name, arguments)
    if isinstance(receiver, Chain):
        return call_chain_method(frame, receiver, name, arguments)
    if isinstance(receiver, Instance) and name in library.ATTRIBUTE_SETTERS:
        _set_attribute(receiver, arguments)
    if isinstance(receiver, (tuple, Items, Stream, Keyed)):
        return call_container_method(frame, receiver, name, arguments)
    _may_change(frame, arguments)
    return Unknown(f"`.{name}` of a value that is not followed")


def _is_of_keras(frame: Frame, receiver: Instance | Chain | Wired) -> bool:
    """Whether a model is or may be one of Keras's."""
    return not isinstance(receiver, Instance) or keras_kind(frame.run, receiver.cls) is not None


def _call_base(frame: Frame, node: ast.expr, base: Super, name: str, arguments: Arguments) -> Value:
    """`super().__init__(...)` and `super().forward(x)` in a subclass of a layer of torch's."""
    instance = base.instance
    if not isinstance(instance, Instance) or not arguments.complete:
        return Unknown("super() of an object that is not followed")
    if name == "__init__":
        make_base_layer(frame, node, instance, arguments)
        return None
    ensure_built(frame, instance)
    layer = instance.attributes.get(BASE_LAYER)
    if name in {"forward", "__call__"} and layer is not None:
        return _call_base_layer(frame, node, layer, arguments)
    return Unknown(f"`.{name}` of a library's class")


def _call_base_layer(frame: Frame, node: ast.expr, base: Value, arguments: Arguments) -> Value:
    """What a subclass of a layer calls of it, which may have been made in one of a few ways."""
    unknown = Unknown("a layer of a library that is not known")
    return for_each(
        frame,
        base,
        lambda each: (
            _call_layer(frame, node, each, arguments) if isinstance(each, Layer) else unknown
        ),
    )


def _set_attribute(instance: Instance, arguments: Arguments) -> None:
    """`self.register_buffer("mask", mask)` sets `self.mask`, as an assignment would."""
    given = dict(zip(("name", "value"), arguments.positional, strict=False))
    for key, each in arguments.keywords.items():
        given["value" if key in {"tensor", "param", "module"} else key] = each
    name = given.get("name")
    if isinstance(name, str) and instance.building and "value" in given:
        instance.attributes[name] = given["value"]


def _reshape(frame: Frame, array: Value, target: ast.expr) -> None:
    """After `x.squeeze_()`, `x` has another shape, under all of its names."""
    frame.state.replace(array, RESHAPED)
    if isinstance(target, ast.Name) and target.id in frame.state.values:
        frame.state.replace(frame.state.values[target.id], RESHAPED)
    elif isinstance(target, ast.Attribute):
        assign(frame, target, RESHAPED)


def _receiver_of(node: ast.expr) -> ast.expr:
    """`x`, for a call `x.f()`; a call of another form as it is."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.value if isinstance(called, ast.Attribute) else node
