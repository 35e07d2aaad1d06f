# SPDX-License-Identifier: Apache-2.0
"""Objects of the user's classes: made by a call, or any object that an annotation promises."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from typedtensors.dims import Dim
from typedtensors.ops import Fields, Unknown, Value
from typedtensors.shapes import Bindings
from typedtensors_mypy.interpreter.annotations.declared import value_of
from typedtensors_mypy.interpreter.annotations.objects import names_of
from typedtensors_mypy.interpreter.annotations.signature import Parameter, Signature, signature_of
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import lineage, method_of
from typedtensors_mypy.interpreter.calls.keras.building import build_weights, keep_reduction
from typedtensors_mypy.interpreter.calls.records import (
    is_named_tuple,
    is_record,
    record_constructor,
    record_fields,
)
from typedtensors_mypy.interpreter.calls.storing import made_by_others
from typedtensors_mypy.interpreter.expressions.ops import apply_op, rule_name
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Function, Instance, UserClass
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.types import OpaqueType, ScalarType
from typedtensors_mypy.source.modules import FunctionNode
from typedtensors_mypy.source.program import External
from typedtensors_mypy.source.syntax.contents import contents, parts

# For how many steps calls are followed to make some object of another module's class: each module
# that asks for an attribute makes its own, and most ask for a few.
_STEPS_FOR_OTHERS = 1_000

MADE_OTHERWISE = Unknown("an attribute that subclasses make otherwise")
# What an object holds of its base, under a name that no attribute has.
BASE_LAYER = "super()"


def construct(frame: Frame, node: ast.expr, cls: UserClass, arguments: Arguments) -> Value:
    """A new object: its constructor is gone through with the arguments it gets."""
    instance = Instance(cls, exact=True)
    constructor = find_constructor(frame, instance)
    if constructor is None:
        if arguments.complete:
            make_base_layer(frame, node, instance, arguments)
        build_weights(frame, node, instance)
        return instance
    if frame.too_deep or not arguments.complete:
        return Unknown("an object whose constructor is not followed")
    _build(frame, node, constructor, instance, arguments)
    build_weights(frame, node, instance)
    return _as_tuple(frame, instance) if is_named_tuple(frame.run, cls) else instance


def make_base_layer(frame: Frame, node: ast.expr, instance: Instance, arguments: Arguments) -> None:
    """Let an object whose class is a subclass of a layer of torch's know that layer."""
    for base in lineage(frame.run, instance.cls):
        if isinstance(base, External) and rule_name(frame, f"{base.name}.__call__") is not None:
            made = apply_op(frame, node, base.name, arguments.positional, arguments.keywords)
            instance.attributes[BASE_LAYER] = made
            return
    keep_reduction(frame, instance, arguments)


def ensure_built(frame: Frame, instance: Instance) -> None:
    """Find out what the constructor sets, of an object whose making nobody saw."""
    if not instance.pending:
        return
    instance.pending = False
    constructor = find_constructor(frame, instance)
    node = ast.copy_location(ast.Constant(None), instance.cls.node)
    if constructor is None:
        with frame.run.silence():
            build_weights(frame, node, instance)
        return
    signature = signature_of(frame.run, constructor)
    values = _any_values(frame, instance, signature)
    dims = (value for value in values.values() if isinstance(value, Dim))
    instance.sizes = frozenset().union(*(dim.atoms for dim in dims))
    run = frame.run
    elsewhere = instance.cls.scope.module is not run.module
    state = frame.state
    # What it was made with says nothing of what it holds where it is asked.
    with (
        frame.branch(state.fork()) as inside,
        run.silence(),
        run.sparing(_STEPS_FOR_OTHERS) if elsewhere else nullcontext(),
    ):
        _build(frame, node, constructor, instance, Arguments((), values, more=True))
        build_weights(frame, node, instance)
    state.facts, state.lists = inside.facts, inside.lists
    others = instance.attributes.keys() & made_by_others(run, instance.cls)
    instance.attributes.update(dict.fromkeys(others, MADE_OTHERWISE))


def with_any_others(
    frame: Frame, node: ast.expr, constructor: Function, arguments: Arguments
) -> Arguments:
    """The arguments of a constructor of which some are not known: `super().__init__(d, **options)`.

    A parameter that gets none of those that are known may get any.
    """
    receiver = constructor.receiver
    if not isinstance(receiver, Instance):
        return arguments
    signature = signature_of(frame.run, constructor)
    written = node.args if isinstance(node, ast.Call) else []
    stars = (at for at, each in enumerate(written) if isinstance(each, ast.Starred))
    known = arguments.positional[: next(stars, None)]
    taken = {*signature.positional[1 : len(known) + 1], *arguments.keywords}
    others = _any_values(frame, receiver, signature)
    others = {name: value for name, value in others.items() if name not in taken}
    return Arguments(known, {**arguments.keywords, **others}, more=True)


def find_constructor(
    frame: Frame, instance: Instance, *, after: UserClass | None = None
) -> Function | None:
    """What makes an object of its class; behind a class of its lineage, as `super()` does."""
    line = lineage(frame.run, instance.cls)
    for base in line[line.index(after) + 1 if after in line else 0 :]:
        if isinstance(base, UserClass):
            written = base.symbols.get("__init__")
            if written is not None:
                if not isinstance(written, FunctionNode):
                    return None
                return method_of(base, written, instance)
            if is_record(frame.run, base):
                return replace(record_constructor(frame, base), receiver=instance)
        elif base is None or not library.is_plain_base(base.name):
            return None
    return None


def _as_tuple(frame: Frame, instance: Instance) -> Value:
    """An object of a named tuple, which is no more than its fields.

    Where its arguments do not fit each other, nothing has been set.
    """
    unset = Unknown("a field of an object that could not be made")
    names = [each.name for each in record_fields(frame.run, instance.cls)]
    return Fields.of(**{name: instance.attributes.get(name, unset) for name in names})


def _build(
    frame: Frame, node: ast.expr, constructor: Function, instance: Instance, arguments: Arguments
) -> None:
    instance.building = True
    try:
        frame.run.call(frame, node, constructor, arguments)
    finally:
        instance.building = False


def _any_values(frame: Frame, instance: Instance, signature: Signature) -> dict[str, Value]:
    """What a constructor may get, by parameter, where nobody sees how an object is made."""
    # What somebody configures may well be equal.
    apart = not is_record(frame.run, instance.cls)
    sizes = _Sizes(instance.cls, signature, apart=apart)
    names = names_of(frame.run, instance)
    bindings = names.complete(signature.specs, scope=Dim.scope())
    return {
        parameter.name: _any_value(frame, parameter, sizes, bindings)
        for parameter in signature.parameters[1:]
        if parameter.kind[0] != "*"
    }


def _any_value(frame: Frame, parameter: Parameter, sizes: _Sizes, bindings: Bindings) -> Value:
    """A parameter of which only the name is known: an integer is a size of that name."""
    default = parameter.default
    integer = isinstance(default, ast.Constant) and type(default.value) is int
    if parameter.type == ScalarType("int") or (not parameter.annotated and integer):
        return sizes.named(parameter.name)
    if isinstance(parameter.type, OpaqueType) and not parameter.annotated and default is None:
        return sizes.named(parameter.name, guessed=True)
    return value_of(frame, parameter.type, bindings, parameter.name)


class _Sizes:
    """The integers of one constructor: different sizes, but for those that its class relates.

    `apart`: whether they are different sizes at all.
    """

    def __init__(self, cls: UserClass, signature: Signature, *, apart: bool) -> None:
        names = [parameter.name for parameter in signature.parameters[1:]]
        self._scope = Dim.scope() if apart else None
        self._related = _related(cls, names) if apart else frozenset()

    def named(self, name: str, *, guessed: bool = False) -> Dim:
        """The integer that the constructor gets under a name."""
        if self._scope is None or name in self._related:
            return Dim.fresh(name, guessed=guessed)
        return Dim.member(name, self._scope, guessed=guessed)


def _related(cls: UserClass, names: Sequence[str]) -> frozenset[str]:
    """The parameters of a constructor that its class compares with one that stands before them.

    `assert width % heads == 0` says that the two may well be one size; not so of others.
    """
    module = cls.scope.module
    inside = (module.once(contents, part) for part in parts(cls.node))
    found: set[str] = set()
    for compared in (each for part in inside for each in part.compared):
        found.update([name for name in names if name in compared][1:])
    return frozenset(found)
