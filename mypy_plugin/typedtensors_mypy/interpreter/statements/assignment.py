# SPDX-License-Identifier: Apache-2.0
"""Binding values to names, attributes and items."""

from __future__ import annotations

import ast

from typedtensors.dims import Dim
from typedtensors.ops import Layer, Unknown, Value
from typedtensors.ops.steps.weights import weight_of
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.annotations.declared import keep, value_of
from typedtensors_mypy.interpreter.annotations.signature import signature_of
from typedtensors_mypy.interpreter.calls.constructors import ensure_built
from typedtensors_mypy.interpreter.expressions.iteration import (
    is_literal_key,
    item_of,
    unpack,
    unpack_around,
)
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all, join_contents
from typedtensors_mypy.interpreter.values import (
    CHANGED,
    REPORTED,
    Chain,
    Either,
    Function,
    Instance,
    Items,
    Keyed,
    Method,
    Promise,
    Stream,
    Wired,
    framework_of,
    options,
)
from typedtensors_mypy.source.annotations.types import ArrayType, ScalarType, UnionType
from typedtensors_mypy.source.library import ARRAY_CLASS
from typedtensors_mypy.source.syntax.assigned import set_through
from typedtensors_mypy.source.syntax.changes import reassigned, replaced
from typedtensors_mypy.source.syntax.stores import own_targets
from typedtensors_mypy.source.syntax.walks import dotted, last_names, statements, stored_names

_UNBOUND = object()
# Attributes of a module that say nothing of what it computes.
_HARMLESS = frozenset({"training", "requires_grad", "trainable"})


def assign(frame: Frame, target: ast.expr, value: Value) -> None:
    """Bind a target to a value."""
    if isinstance(target, ast.Name):
        _assign_name(frame, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack_into(frame, target.elts, value)
    elif isinstance(target, ast.Starred):
        assign(frame, target.value, value)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(frame, target, value)
    elif isinstance(target, ast.Subscript):
        _assign_item(frame, target, value)


def _assign_name(frame: Frame, target: ast.Name, value: Value) -> None:
    """Bind a name; the first value of one that was annotated before has to keep to that."""
    before = frame.state.values.get(target.id, _UNBOUND)
    if before is None and isinstance(value, Unknown) and value != REPORTED:
        value = _default(frame, target) or value
    if isinstance(before, Promise):
        value = keep(frame, target, f"`{target.id}`", before.kind, value)
    elif isinstance(value, Dim):
        _note_size(frame, target.id, value)
    if target.id in frame.shared:
        value = Unknown("a variable that an inner function assigns")
    frame.state.assign(target.id, value)


def _note_size(frame: Frame, name: str, value: Dim) -> None:
    """`b = samples`, where an array has an axis `b`, says that its size is given for `samples`."""
    bound, facts = frame.bindings.axes.get(name), frame.state.facts
    if bound is not None and value.factor in facts.chosen:
        _, frame.state.facts = facts.require(bound.axis.dim, value)


def _default(frame: Frame, target: ast.Name) -> Tensor | None:
    """What a parameter that was not given is made, where only its annotation says so.

    What is wrong with that is wrong with what a caller gives, too.
    """
    name = target.id
    if frame.callee is None or frame.called_at is not None:
        return None
    if not _is_made_where_missing(frame.callee, target):
        return None
    for parameter in signature_of(frame.run, frame.callee).parameters:
        kinds = parameter.type.items if isinstance(parameter.type, UnionType) else ()
        arrays = [kind for kind in kinds if kind != ScalarType("None")]
        if parameter.name == name and len(arrays) == 1 and isinstance(arrays[0], ArrayType):
            promised = value_of(frame, arrays[0], frame.bindings, name)
            return promised if isinstance(promised, Tensor) else None
    return None


def _is_made_where_missing(function: Function, target: ast.Name) -> bool:
    """Whether a test of a name leads to where it gets a value, and to no other after that."""
    for holder in statements(function.node.body):
        for body in (holder.body, holder.orelse) if isinstance(holder, ast.If) else ():
            held = (at for at, each in enumerate(body) if target in getattr(each, "targets", ()))
            at = next(held, None)
            if at is not None and isinstance(holder, ast.If):
                tested = target.id in last_names(holder.test)
                return tested and target.id not in stored_names(body[at + 1 :])
    return False


def _unpack_into(frame: Frame, targets: list[ast.expr], value: Value) -> None:
    starred = [at for at, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if starred:
        around = unpack_around(frame, value, starred[0], len(targets) - starred[0] - 1)
        values = None if around is None else (*around[0], around[1], *around[2])
    else:
        values = unpack(frame, value, len(targets))
    if values is None:
        part = value if isinstance(value, Unknown) else Unknown("an unpacked value")
        values = (part,) * len(targets)
    for target, item in zip(targets, values, strict=True):
        assign(frame, target, item)


def _assign_attribute(frame: Frame, target: ast.Attribute, value: Value) -> None:
    owner = frame.evaluate(target.value)
    name = dotted(target.value)
    for option in options(owner):
        if isinstance(option, Instance) and not option.building:
            ensure_built(frame, option)
            if option is frame.own and frame.stored is not None:
                frame.stored(target.attr, value, frame.state.facts)
            if not _is_own(frame, target, option) and not _only_takes_steps(frame, target.attr):
                # Other names may lead to this object: from here on nobody knows the attribute.
                option.attributes[target.attr] = Unknown("an attribute that is assigned again")
    modules = [option for option in options(owner) if isinstance(option, (Layer, Chain))]
    tied = all(_is_tied(module, target.attr, value) for module in modules)
    if not tied and target.attr not in _HARMLESS:
        forget_module(frame, target.value)
    if not isinstance(owner, Tensor):
        _keep_attribute(frame, name, owner, target.attr, value)
    elif name is not None and target.attr == "data":
        frame.state.assign(name, Unknown("an array with other data"))


def _keep_attribute(
    frame: Frame, name: str | None, owner: Value, attribute: str, value: Value
) -> None:
    """Let every name of an object know what an attribute is now."""
    if not isinstance(owner, Instance):
        # It may be any object that was made before, also one that has a name here.
        if frame.state.making is None:
            frame.state.forget_assigned(frozenset((attribute,)))
        return
    if frame.state.objects and not owner.building:
        frame.state.forget_assigned(set_through(owner.cls.scope.module, attribute))
    frame.state.set_attributes(owner, {attribute: value})
    if name is not None:
        frame.state.put(f"{name}.{attribute}", value)


def _is_own(frame: Frame, target: ast.Attribute, owner: Instance) -> bool:
    """Whether a method assigns an attribute of its own object that a constructor has set.

    What its methods may make that is known wherever it is asked.
    """
    method = frame.callee
    return (
        method is not None
        and method.owner is not None
        and target.attr in owner.attributes
        and target in own_targets(method.scope.module, method.node)
    )


def _only_takes_steps(frame: Frame, name: str) -> bool:
    """Whether all that assigns an attribute anew keeps its shape: `self.w -= rate * gradient`."""
    module = frame.scope.module
    return name in module.summed(reassigned) - module.summed(replaced)


def _is_tied(module: Layer | Chain, name: str, value: Value) -> bool:
    """Whether a layer gets a weight of another layer in place of its own, of the same sizes."""
    if isinstance(value, Method):
        return value.name == name
    own = weight_of(module, name) if isinstance(module, Layer) else None
    return own is not None and isinstance(value, Tensor) and own.shape == value.shape


def _assign_item(frame: Frame, target: ast.Subscript, value: Value) -> None:
    """`x[i] = v` keeps the shape of an array; of a list nothing is known afterwards."""
    owner = frame.evaluate(target.value)
    index = frame.evaluate(target.slice)
    framework = framework_of(owner)
    if framework is not None:
        name = f"{ARRAY_CLASS[framework]}.__setitem__"
        apply_op(frame, target, name, (owner, index, value))
    for option in options(owner):
        if isinstance(option, Items):
            set_item(frame, option, index, value)
        elif type(option) is Stream:
            more = isinstance(index, slice)
            put_among(frame, option, *([item_of(frame, value)] if more else [value]))
        elif isinstance(option, Chain):
            forget_module(frame, target.value)


def forget_module(frame: Frame, node: ast.expr) -> None:
    """After something has changed a module of torch in place, nobody knows what it computes.

    Nor does anybody know what it is a part of: the name, or the attribute of the user's object,
    that `node` starts with.
    """
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        owner = frame.evaluate(node.value)
        if isinstance(node, ast.Attribute) and isinstance(owner, Instance):
            _assign_attribute(frame, node, CHANGED)
            return
        node = node.value
    held = frame.state.values.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(held, (Layer, Chain)):
        frame.state.replace(held, CHANGED)
    mark_changed(frame, held)


def set_item(frame: Frame, owner: Items, index: Value, value: Value) -> None:
    """After `owner[index] = value`, a list or dict holds the value at that place, or somewhere."""
    now = frame.state.held(owner)
    if isinstance(index, slice) or isinstance(now, Unknown):
        mark_changed(frame, owner)
    elif owner.keys is None:
        frame.state.change(owner, _with_element(now, index, value))
    else:
        frame.state.change(owner, _with_entry(now, index, value))


def _with_element(now: Value, index: Value, value: Value) -> Value:
    if isinstance(now, Items) and isinstance(index, Dim) and index.value is not None:
        if not -len(now.values) <= index.value < len(now.values):
            return Unknown("a list with an index that is out of range")
        values = [*now.values]
        values[index.value] = value
        return Items(tuple(values), None, now.serial)
    return join_contents(now, Stream(value))


def _with_entry(now: Value, key: Value, value: Value) -> Value:
    if isinstance(now, Items) and now.keys is not None and is_literal_key(key):
        held = {**dict(zip(now.keys, now.values, strict=True)), key: value}
        return Items(tuple(held.values()), tuple(held), now.serial)
    return join_contents(now, Keyed(value))


def put_among(frame: Frame, stream: Stream, *items: Value) -> None:
    """A list of alike items, whose number was known, now holds others too, or fewer of them."""
    now = Stream(join_all([stream.item, *items]))
    if now != stream:
        frame.state.replace(stream, now)


def mark_changed(frame: Frame, value: Value) -> None:
    """Something may have changed the lists and dicts that a value is or holds."""
    if type(value) is Stream:
        put_among(frame, value)
    if isinstance(value, (Chain, Wired, Instance)) and frame.state.lists:
        frame.state.forget_list(value.settings)
    if not isinstance(value, (Items, tuple, Either)):
        return
    for option in options(value):
        now = frame.state.held(option)
        if isinstance(option, Items):
            frame.state.change(option, Unknown("a list or dict that changes"))
        if isinstance(now, (Items, tuple)):
            for item in now.values if isinstance(now, Items) else now:
                mark_changed(frame, item)
