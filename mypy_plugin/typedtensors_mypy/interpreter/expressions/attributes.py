# SPDX-License-Identifier: Apache-2.0
"""What `value.attribute` is."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtensors.dims import Dim
from typedtensors.ops import Fields, Framework, Layer, Object, Unknown, Value
from typedtensors.ops.steps.weights import weight_of
from typedtensors.shapes import DType, Intent, Shape, Tensor
from typedtensors_mypy.interpreter.alternatives import for_each
from typedtensors_mypy.interpreter.annotations.declared import value_of
from typedtensors_mypy.interpreter.annotations.objects import names_of
from typedtensors_mypy.interpreter.annotations.signature import signature_of
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import (
    Member,
    find_member,
    lineage,
    method_of,
)
from typedtensors_mypy.interpreter.calls.constructors import (
    MADE_OTHERWISE,
    ensure_built,
    find_constructor,
)
from typedtensors_mypy.interpreter.calls.kept import kept
from typedtensors_mypy.interpreter.calls.records import is_record
from typedtensors_mypy.interpreter.calls.storing import storing
from typedtensors_mypy.interpreter.expressions.names import (
    external_value,
    lasting,
    target_value,
)
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Chain,
    Either,
    Instance,
    Items,
    Keyed,
    Method,
    Stream,
    Super,
    UserClass,
    Wired,
    array_framework,
    present,
)
from typedtensors_mypy.source import keras_names, library
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import AnnotationType, OpaqueType
from typedtensors_mypy.source.modules import Assigned, FunctionNode, Module
from typedtensors_mypy.source.program import External, resolve
from typedtensors_mypy.source.syntax.changes import reassigned, replaced

# Asked of a dtype as of an array that has it.
_OF_DTYPE = frozenset({"is_floating_point", "is_complex"})


def attribute(frame: Frame, node: ast.Attribute) -> Value:
    """The value of `base.attribute`."""
    state = frame.state
    if state.objects and isinstance(node.value, ast.Name) and node.value.id in state.objects:
        key = f"{node.value.id}.{node.attr}"
        if key in state.values:
            return state.values[key]
    base = frame.evaluate(node.value)
    if not isinstance(base, Either):
        return _one(frame, node, base)
    base = present(base)
    return for_each(frame, base, lambda each: _one(frame, node, each))


def attribute_of(frame: Frame, node: ast.expr, base: Value, name: str) -> Value:
    """The attribute of a value that a pattern takes apart."""
    read = ast.copy_location(ast.Attribute(node, name, ast.Load()), node)
    return _one(frame, read, base)


def _one(frame: Frame, node: ast.Attribute, base: Value) -> Value:
    name = node.attr
    if isinstance(base, Tensor):
        return _of_array(frame, node, base)
    if isinstance(base, External):
        return external_value(f"{base.name}.{name}")
    if isinstance(base, Module):
        full = f"{base.name}.{name}"
        return target_value(frame, resolve(frame.run.program, full), name)
    if isinstance(base, Instance):
        return _of_instance(frame, node, base)
    if isinstance(base, UserClass):
        return _of_class(frame, base, name)
    if isinstance(base, Super):
        return _of_super(frame, base, name)
    return _of_library(frame, node, base)


def _of_library(frame: Frame, node: ast.Attribute, base: Value) -> Value:
    """An attribute of a value that a library made."""
    name = node.attr
    if isinstance(base, DType) and name in _OF_DTYPE:
        return apply_op(frame, node, f"torch.{name}", (Tensor(Shape(()), base),))
    if isinstance(base, Layer) and isinstance(base.config.get(name), Dim):
        return base.config[name]
    weight = weight_of(base, name) if isinstance(base, Layer) else None
    if weight is not None:
        return weight
    if name == "module" and isinstance(base, (Layer, Chain)):
        return base  # what `DataParallel` and its like hold
    if isinstance(base, Fields) and name in base.names:
        return base.field(name)
    if isinstance(base, Object) and name in library.OBJECT_PROPERTIES.get(base.name, ()):
        return apply_op(frame, node, f"{base.name}.{name}", (base,))
    if isinstance(base, (Layer, Object, Shape, Items, Stream, Keyed, Chain, Wired, tuple, str)):
        return Method(base, name)
    if not isinstance(base, Unknown):
        return Unknown("an attribute of a value of that kind")
    is_array = name in library.OF_TORCH_ONLY and base != REPORTED and frame.says_shapes
    return Method(Tensor(Shape.unknown()), name) if is_array else base


def _of_array(frame: Frame, node: ast.Attribute, base: Tensor) -> Value:
    name = node.attr
    framework = array_framework(base)
    if name in library.ARRAY_PROPERTIES[framework]:
        return apply_op(frame, node, f"{library.ARRAY_CLASS[framework]}.{name}", (base,))
    if name == "data":
        return base
    if name == "grad" and framework is Framework.TORCH:
        return replace(base, parameter=False)
    if name == "dtype":
        return base.dtype
    if name in library.SILENT_PROPERTIES:
        return Unknown(f"`.{name}` of an array")
    return Method(base, name)


def _of_instance(frame: Frame, node: ast.Attribute, base: Instance) -> Value:
    name = node.attr
    ensure_built(frame, base)
    if name in base.attributes:
        return _stable(frame, base, name)
    member = find_member(frame.run, base.cls, name)
    if isinstance(member, External):
        return Method(base, name)
    if member is None:
        if name in library.MODULE_METHODS | library.ATTRIBUTE_SETTERS | keras_names.METHODS:
            return Method(base, name)
        if name == "module":
            return base  # what `DataParallel` and its like hold
        return Unknown(f"`{name}` is not set where its class is made")
    if isinstance(member.symbol, FunctionNode):
        method = method_of(member.owner, member.symbol, base)
        if signature_of(frame.run, method).is_property:
            return frame.run.call(frame, node, method, Arguments())
        return method
    return _class_variable(frame, member, base, name)


def _stable(frame: Frame, base: Instance, name: str) -> Value:
    """An attribute as its constructor set it, or as methods leave it that assign it too."""
    value, module = base.attributes[name], base.cls.scope.module
    if not base.building and (value is MADE_OTHERWISE or _is_assigned(frame, base, name, value)):
        annotated = _annotated(frame, base, name)
        return lasting(module, name, kept(frame, base, name)) if annotated is None else annotated
    # The arrays of a record are passed around, and no two of its objects have the same.
    if isinstance(value, Tensor) and is_record(frame.run, base.cls):
        return value
    return lasting(module, name, value)


def _is_assigned(frame: Frame, base: Instance, name: str, value: Value) -> bool:
    """Whether code may make something else of an attribute that the constructor has set."""
    changes = replaced if _keeps_shape(value) else reassigned
    for each in lineage(frame.run, base.cls):
        if isinstance(each, UserClass) and name in each.scope.module.summed(changes):
            return storing(frame.run, base.cls, name) != ()
    return False


def _keeps_shape(value: Value) -> bool:
    """Whether a step from an array does not widen it: it may be that of one element that does."""
    if not isinstance(value, Tensor) or not value.shape.rank:
        return False
    if array_framework(value) not in {Framework.TORCH, Framework.NUMPY}:
        return False
    ones = (axis for axis in value.shape.suffix if axis.is_one or axis.flexible)
    return all(axis.intent is Intent.SPEC for axis in ones)


def _annotated(frame: Frame, instance: Instance, name: str) -> Value | None:
    """What an annotation in the class's body says of an attribute."""
    member = find_member(frame.run, instance.cls, name)
    symbol = member.symbol if isinstance(member, Member) else None
    if not isinstance(member, Member) or not isinstance(symbol, Assigned):
        return None
    if symbol.annotation is None:
        return None
    kind = type_of(member.owner.scope.inside(member.owner.node), symbol.annotation)
    return None if isinstance(kind, OpaqueType) else _promised(frame, instance, kind, name)


def _promised(frame: Frame, instance: Instance, kind: AnnotationType, name: str) -> Value:
    """What the class of an object says of an attribute: an array of a module is a weight."""
    value = value_of(frame, kind, names_of(frame.run, instance), name)
    weighs = isinstance(value, Tensor) and not is_record(frame.run, instance.cls)
    return replace(value, parameter=True) if weighs and isinstance(value, Tensor) else value


def _class_variable(frame: Frame, member: Member, base: Instance, name: str) -> Value:
    symbol = member.symbol
    if not isinstance(symbol, Assigned):
        return Unknown("an attribute that depends on the run")
    if symbol.annotation is not None:
        scope = member.owner.scope.inside(member.owner.node)
        kind = type_of(scope, symbol.annotation)
        return _promised(frame, base, kind, name)
    if symbol.value is None or not base.exact:
        return Unknown("an attribute that subclasses may set")
    if storing(frame.run, base.cls, name) != ():
        return Unknown("an attribute that methods may set")
    return _in_class(frame, member.owner, symbol.value)


def _in_class(frame: Frame, cls: UserClass, node: ast.expr) -> Value:
    inner = Frame(frame.run, cls.scope.inside(cls.node), depth=frame.depth + 1)
    with frame.run.silence():
        return inner.evaluate(node)


def _of_class(frame: Frame, base: UserClass, name: str) -> Value:
    member = find_member(frame.run, base, name)
    if not isinstance(member, Member):
        return Unknown("an attribute of a class that is not followed")
    if isinstance(member.symbol, FunctionNode):
        method = method_of(member.owner, member.symbol, None)
        bound = signature_of(frame.run, method).receiver == "cls"
        return method_of(member.owner, member.symbol, base) if bound else method
    if isinstance(member.symbol, Assigned) and member.symbol.value is not None:
        return _in_class(frame, member.owner, member.symbol.value)
    return Unknown("an attribute of a class that depends on the run")


def _of_super(frame: Frame, base: Super, name: str) -> Value:
    if not isinstance(base.instance, Instance):
        return Unknown("super() of an object that is not followed")
    if name == "__init__":
        constructor = find_constructor(frame, base.instance, after=base.cls)
        return Method(base, name) if constructor is None else constructor
    member = find_member(frame.run, base.instance.cls, name, after=base.cls)
    if isinstance(member, Member) and isinstance(member.symbol, FunctionNode):
        return method_of(member.owner, member.symbol, base.instance)
    return Method(base, name)
