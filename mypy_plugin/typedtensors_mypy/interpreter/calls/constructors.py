# SPDX-License-Identifier: Apache-2.0
"""Objects of the user's classes: made by a call, or any object that an annotation promises."""

from __future__ import annotations

import ast

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Bindings
from typedtensors_mypy.interpreter.annotations.declared import value_of
from typedtensors_mypy.interpreter.calls.classes import Member, find_member, method_of
from typedtensors_mypy.interpreter.frame import Arguments, Frame
from typedtensors_mypy.interpreter.signature import Parameter, Signature, signature_of
from typedtensors_mypy.interpreter.values import Function, Instance, UserClass
from typedtensors_mypy.source.contents import contents, parts
from typedtensors_mypy.source.modules import FunctionNode
from typedtensors_mypy.source.types import OpaqueType, ScalarType


def construct(frame: Frame, node: ast.expr, cls: UserClass, arguments: Arguments) -> Value:
    """A new object: its constructor is gone through with the arguments it gets."""
    instance = Instance(cls, exact=True)
    constructor = _constructor(frame, instance)
    if constructor is None:
        return instance
    if frame.too_deep or not arguments.complete:
        return Unknown("an object whose constructor is not followed")
    _build(frame, node, constructor, instance, arguments)
    return instance


def ensure_built(frame: Frame, instance: Instance) -> None:
    """Find out what the constructor sets, of an object whose making nobody saw."""
    if not instance.pending:
        return
    instance.pending = False
    constructor = _constructor(frame, instance)
    if constructor is None:
        return
    signature = signature_of(frame.run, constructor)
    sizes = _Sizes(instance.cls, signature)
    values = {
        parameter.name: _any_value(frame, parameter, sizes)
        for parameter in signature.parameters[1:]
        if parameter.kind[0] != "*"
    }
    with frame.run.silence():
        node = ast.copy_location(ast.Constant(None), instance.cls.node)
        _build(frame, node, constructor, instance, Arguments((), values, more=True))


def _constructor(frame: Frame, instance: Instance) -> Function | None:
    member = find_member(frame.run, instance.cls, "__init__")
    if isinstance(member, Member) and isinstance(member.symbol, FunctionNode):
        return method_of(member.owner, member.symbol, instance)
    return None


def _build(
    frame: Frame, node: ast.expr, constructor: Function, instance: Instance, arguments: Arguments
) -> None:
    instance.building = True
    try:
        frame.run.call(frame, node, constructor, arguments)
    finally:
        instance.building = False


def _any_value(frame: Frame, parameter: Parameter, sizes: _Sizes) -> Value:
    """A parameter of which only the name is known: an integer is a size of that name."""
    default = parameter.default
    integer = isinstance(default, ast.Constant) and type(default.value) is int
    if parameter.type == ScalarType("int") or (not parameter.annotated and integer):
        return sizes.named(parameter.name)
    if isinstance(parameter.type, OpaqueType) and not parameter.annotated and default is None:
        return sizes.named(parameter.name)
    return value_of(frame, parameter.type, Bindings(), parameter.name)


class _Sizes:
    """The integers of one constructor: different sizes, unless its class relates some of them."""

    def __init__(self, cls: UserClass, signature: Signature) -> None:
        names = {parameter.name for parameter in signature.parameters}
        self._scope = None if _relates(cls, names) else Dim.scope()

    def named(self, name: str) -> Dim:
        """The integer that the constructor gets under a name."""
        return Dim.fresh(name) if self._scope is None else Dim.member(name, self._scope)


def _relates(cls: UserClass, names: set[str]) -> bool:
    """Whether a class compares two of its constructor's parameters, or asserts on them."""
    module = cls.scope.module
    inside = (module.once(contents, part) for part in parts(cls.node))
    return any(len(names & compared) > 1 for part in inside for compared in part.compared)
