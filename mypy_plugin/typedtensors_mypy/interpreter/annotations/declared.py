# SPDX-License-Identifier: Apache-2.0
"""Annotations and values: what an annotation promises, and whether a value keeps it."""

from __future__ import annotations

import ast

from typedtensors.dims import Dim
from typedtensors.ops import SOME_FLOAT, Fields, Object, Unknown, Value
from typedtensors.shapes import (
    Argument,
    AxisMismatch,
    Bindings,
    DType,
    Match,
    Mismatch,
    Shape,
    Tensor,
    crossed,
    instantiate,
    match,
    match_all,
)
from typedtensors.shapes.specs.spec import Reader
from typedtensors_mypy.interpreter.annotations.dtypes import dtype_mismatch
from typedtensors_mypy.interpreter.annotations.objects import sizes_of
from typedtensors_mypy.interpreter.calls.classes import user_class
from typedtensors_mypy.interpreter.calls.records import (
    dict_fields,
    is_named_tuple,
    record_fields,
)
from typedtensors_mypy.interpreter.expressions.iteration import known_items
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Either,
    Function,
    Instance,
    Items,
    Keyed,
    Stream,
    UserClass,
    either,
    of_framework,
    options,
)
from typedtensors_mypy.source.annotations.types import (
    AnnotationType,
    ArrayType,
    BareArrayType,
    CallableType,
    ClassType,
    MappingType,
    ObjectType,
    OpaqueType,
    ScalarType,
    StreamType,
    TupleType,
    UnionType,
    specs_of,
)


def value_of(frame: Frame, kind: AnnotationType, bindings: Bindings, name: str = "_") -> Value:
    """What an annotation says of its value, where its names stand for what `bindings` holds."""
    if isinstance(kind, ArrayType):
        shape = instantiate(kind.spec, bindings, reader(frame))
        return of_framework(Tensor(shape, DType.named(kind.dtype)), kind.framework)
    if isinstance(kind, BareArrayType):
        return of_framework(Tensor(Shape.unknown()), kind.framework)
    if isinstance(kind, TupleType):
        return tuple(value_of(frame, item, bindings, name) for item in kind.items)
    if isinstance(kind, StreamType):
        return Stream(value_of(frame, kind.item, bindings, name))
    if isinstance(kind, MappingType):
        return Keyed(value_of(frame, kind.item, bindings, name))
    if isinstance(kind, CallableType):
        return Function(kind.node, kind.scope)
    if isinstance(kind, UnionType):
        return either(value_of(frame, item, bindings, name) for item in kind.items)
    if isinstance(kind, ClassType):
        return _object(frame, user_class(frame.run, kind.module, kind.node))
    if isinstance(kind, ObjectType):
        return Object(kind.name)
    return _scalar(kind, name) if isinstance(kind, ScalarType) else Unknown(kind.reason)


def _object(frame: Frame, cls: UserClass) -> Value:
    """Some object of a class; two of them were made with sizes of their own."""
    keys = dict_fields(frame.run, cls)
    fields = keys or (record_fields(frame.run, cls) if is_named_tuple(frame.run, cls) else [])
    # What holds objects, its own like among them, is looked into when it is used.
    if not fields or any(_holds_objects(each.type) for each in fields):
        return Instance(cls, pending=True)
    specs = [spec for each in fields for spec in specs_of(each.type)]
    bindings = Bindings().complete(specs, scope=Dim.scope())
    held = {each.name: value_of(frame, each.type, bindings, each.name) for each in fields}
    return Items(tuple(held.values()), tuple(held)) if keys else Fields.of(**held)


def _holds_objects(kind: AnnotationType) -> bool:
    if isinstance(kind, (TupleType, UnionType)):
        return any(map(_holds_objects, kind.items))
    return isinstance(kind, ClassType) or (
        isinstance(kind, (StreamType, MappingType)) and _holds_objects(kind.item)
    )


def _scalar(kind: ScalarType, name: str) -> Value:
    if kind.name == "int":
        return Dim.fresh(name)
    if kind.name == "float":
        return SOME_FLOAT
    return None if kind.name == "None" else Unknown(f"a {kind.name}")


def reader(frame: Frame) -> Reader:
    """Looks up `{expr}` of a spec in a frame, as the run would."""

    def read(text: str) -> Dim | None:
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            return None
        with frame.run.silence():
            value = frame.evaluate(node)
        return value if isinstance(value, Dim) else None

    return read


def check(frame: Frame, node: ast.AST, where: str, kind: AnnotationType, value: Value) -> bool:
    """Whether a value keeps what an annotation promises; tells of it if not.

    Names that the frame does not know yet are bound to what the value has.
    """
    if isinstance(kind, ArrayType) and isinstance(value, Tensor):
        return _check_array(frame, node, where, kind, value)
    if isinstance(kind, TupleType) and isinstance(value, tuple):
        pairs = zip(kind.items, value, strict=False)
        return all(check(frame, node, where, item, part) for item, part in pairs)
    if isinstance(kind, StreamType):
        value = frame.state.now(value)
        items = known_items(frame, value) or ((value.item,) if isinstance(value, Stream) else ())
        return all(check(frame, node, where, kind.item, item) for item in items)
    if isinstance(kind, MappingType):
        items = values_in(frame.state.now(value))
        return all(check(frame, node, where, kind.item, item) for item in items)
    if isinstance(kind, UnionType) or isinstance(value, Either):
        return _check_alternatives(frame, node, where, kind, value)
    return not isinstance(kind, ClassType) or _check_dict(frame, node, where, kind, value)


def _check_dict(frame: Frame, node: ast.AST, where: str, kind: ClassType, value: Value) -> bool:
    """A `TypedDict` is held against its class, whose names are its own."""
    now = frame.state.now(value)
    if not isinstance(now, Items) or now.keys is None:
        return True
    held = dict(zip(now.keys, now.values, strict=True))
    pairs = []
    for each in dict_fields(frame.run, user_class(frame.run, kind.module, kind.node)):
        array = held.get(each.name)
        if isinstance(each.type, ArrayType) and isinstance(array, Tensor):
            pairs.append(Argument(each.name, each.type.spec, array.shape))
    found = match_all(pairs, Bindings(), frame.state.facts)
    if isinstance(found, Match):
        return True
    frame.report(node, found.diagnostic(f"`{found.argument}` in {where}"))
    return False


def values_in(now: Value) -> tuple[Value, ...]:
    """The values of a dict, as far as they are known."""
    if isinstance(now, Items) and now.keys is not None:
        return now.values
    return (now.item,) if isinstance(now, Keyed) else ()


def _check_array(frame: Frame, node: ast.AST, where: str, kind: ArrayType, value: Tensor) -> bool:
    found = match(kind.spec, value.shape, frame.bindings, frame.state.facts)
    if isinstance(found, Match):
        argument = Argument("", kind.spec, value.shape)
        sizes = frozenset() if frame.own is None else sizes_of(frame.run, frame.own)
        found = crossed(argument, frame.bindings, frame.state.facts, sizes) or found
    if not isinstance(found, Match):
        if _is_made_of_argument(frame, found):
            return True
        frame.report(node, found.diagnostic(where))
        return False
    problem = dtype_mismatch(where, kind.dtype, value.dtype)
    if problem is not None:
        frame.report(node, problem)
        return False
    frame.bindings, frame.state.facts = found.bindings, found.facts
    return True


def _is_made_of_argument(frame: Frame, found: Mismatch) -> bool:
    """Whether an axis that has the name of an integer is made of it: `k + 1`, `min(k, n)`.

    Nothing but its name says that the axis is the integer itself.
    """
    if not isinstance(found, AxisMismatch):
        return False
    named = found.expected.dim.atoms
    return bool(named) and named <= frame.state.facts.chosen & found.actual.dim.atoms


def _check_alternatives(
    frame: Frame, node: ast.AST, where: str, kind: AnnotationType, value: Value
) -> bool:
    """With alternatives on either side, only what fits in no way is a mistake.

    That one of them is None is left to mypy.
    """
    kinds = kind.items if isinstance(kind, UnionType) else (kind,)
    values = [option for option in options(value) if option is not None]
    arrays = [option for option in values if isinstance(option, Tensor)]
    promised = [item for item in kinds if isinstance(item, ArrayType)]
    if not arrays or len(arrays) < len(values) or not promised or not _only_arrays(kinds):
        return True
    if len(promised) * len(arrays) == 1:
        return check(frame, node, where, promised[0], arrays[0])

    def fits(option: Tensor) -> bool:
        return any(check(frame, node, where, item, option) for item in promised)

    bindings, facts = frame.bindings, frame.state.facts
    with frame.run.silence():
        fitting = list(map(fits, arrays))
    frame.bindings, frame.state.facts = bindings, facts
    frame.run.doubts += fitting.count(False)
    return any(fitting) or check(frame, node, where, promised[0], arrays[0])


def _only_arrays(kinds: tuple[AnnotationType, ...]) -> bool:
    return all(isinstance(item, (ArrayType, ScalarType)) for item in kinds)


def keep(frame: Frame, node: ast.AST, where: str, kind: AnnotationType, value: Value) -> Value:
    """The value of an annotated variable, which is checked; what is wrong is told once."""
    if isinstance(kind, OpaqueType):
        return value
    return declare(frame, kind, value) if check(frame, node, where, kind, value) else REPORTED


def declare(frame: Frame, kind: AnnotationType, value: Value) -> Value:
    """The value of an annotated variable: what its annotation says, where it was not known.

    A name that no parameter has is then a size that is learned: nothing checks at run time that
    it differs from others.
    """
    value = _narrowed(kind, value)
    known = not isinstance(value, Unknown) and not _is_vague(value)
    if value == REPORTED or known or (isinstance(kind, BareArrayType) and _holds_array(value)):
        return value
    frame.bindings = frame.bindings.complete(specs_of(kind))
    return value_of(frame, kind, frame.bindings)


def _narrowed(kind: AnnotationType, value: Value) -> Value:
    """Where an array is announced, what is none among alternatives is left to mypy."""
    if not isinstance(value, Either) or not isinstance(kind, (ArrayType, BareArrayType)):
        return value
    arrays = [option for option in value.options if isinstance(option, Tensor)]
    return either(arrays) if arrays else value


def _holds_array(value: Value) -> bool:
    return any(isinstance(option, Tensor) for option in options(value))


def completed(
    frame: Frame, kind: AnnotationType, value: Value, bindings: Bindings, name: str
) -> Value:
    """A value, with what an annotation promises in place of those parts that are not known."""
    if isinstance(value, Unknown):
        return value if value == REPORTED else value_of(frame, kind, bindings, name)
    if isinstance(kind, TupleType) and type(value) is tuple and len(kind.items) == len(value):
        pairs = zip(kind.items, value, strict=True)
        return tuple(completed(frame, item, part, bindings, name) for item, part in pairs)
    if isinstance(kind, StreamType) and isinstance(value, Stream):
        return Stream(completed(frame, kind.item, value.item, bindings, name))
    return value


def _is_vague(value: Value) -> bool:
    """Whether the number of axes is not known of an array, or of one that it may be."""
    arrays = (option for option in options(value) if isinstance(option, Tensor))
    return any(array.shape.rank is None for array in arrays)
