# SPDX-License-Identifier: Apache-2.0
"""What a call brings: whether its arguments say anything of an array, a size or a layer."""

from __future__ import annotations

from collections.abc import Iterable

from typedtensors.dims import Dim
from typedtensors.ops import Layer, Value
from typedtensors.shapes import Shape, Tensor
from typedtensors_mypy.interpreter.state import State
from typedtensors_mypy.interpreter.values import (
    Chain,
    Coming,
    Either,
    Function,
    Instance,
    Items,
    Keyed,
    Method,
    Partial,
    Stream,
    Super,
    Wired,
)

# What is held deeper in objects and lists than this is seldom all that a function uses.
_DEEPEST = 5
_KNOWN = (Dim, Layer, Chain, Wired, Shape)


def brings_something(state: State, values: Iterable[Value]) -> bool:
    """Whether any of the values is, or holds, an array of known axes, a size or a layer."""
    return _Holding(state).any_of(values, 0)


class _Holding:
    """Looks into values, into each object once."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._seen: set[int] = set()

    def any_of(self, values: Iterable[Value], depth: int) -> bool:
        return any(self._is_known(value, depth) for value in values)

    def _is_known(self, value: Value, depth: int) -> bool:
        if isinstance(value, Tensor):
            shape = value.shape
            return shape.rank is not None or bool(shape.prefix or shape.suffix)
        if isinstance(value, _KNOWN):
            return True
        if isinstance(value, Instance):
            return self._object_is_known(value, depth)
        return depth < _DEEPEST and self.any_of(self._held(value), depth + 1)

    def _object_is_known(self, instance: Instance, depth: int) -> bool:
        if instance.pending:
            # Nobody has gone through its constructor, so what it holds is open.
            return True
        if id(instance) in self._seen or depth >= _DEEPEST:
            return False
        self._seen.add(id(instance))
        assigned = self._state.attributes(instance)
        return self.any_of((*instance.attributes.values(), *assigned.values()), depth + 1)

    def _held(self, value: Value) -> Iterable[Value]:
        """The values that one of another kind holds."""
        if isinstance(value, tuple):
            return value
        if isinstance(value, Items):
            # Nothing is made of what it holds, so nobody need come back when that changes.
            now = self._state.held(value)
            return now.values if isinstance(now, Items) else (now,)
        if isinstance(value, (Stream, Keyed)):
            return (value.item,)
        if isinstance(value, Either):
            return value.options
        if isinstance(value, Coming):
            return (value.value,)
        return _behind(value)


def _behind(value: Value) -> Iterable[Value]:
    """What something that can be called uses besides its arguments."""
    if isinstance(value, Function):
        return (value.receiver, *value.closure.values(), *value.defaults.values())
    if isinstance(value, Method):
        return (value.receiver,)
    if isinstance(value, Partial):
        return (value.callee, *value.positional, *value.keywords.values())
    return (value.instance,) if isinstance(value, Super) else ()
