# SPDX-License-Identifier: Apache-2.0
"""What following a call gave: a body is gone through once for arguments that are alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.values import Function, Instance


@dataclass(frozen=True)
class Followed:
    """What a call gave, which lists it changed, and what a constructor set."""

    value: Value
    stale: frozenset[int] = frozenset()
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Likeness:
    """Equal for calls that go the same way.

    Invariant: `alive` holds what `key` knows by its identity, so that no other object gets that.
    """

    key: Hashable
    alive: tuple[object, ...] = field(compare=False)

    @classmethod
    def of(
        cls, function: Function, arguments: Iterable[tuple[str, Value]], *, accepting: bool
    ) -> Likeness:
        """The likeness of a call of a function with these arguments, by parameter."""
        alive: list[object] = [function]
        given = tuple((name, _like(value, function, alive)) for name, value in arguments)
        closure = id(function.closure) if function.closure else 0
        return cls((id(function.node), closure, accepting, given), tuple(alive))


def _like(value: Value, function: Function, alive: list[object]) -> Hashable:
    """Equal for values that a body treats alike: why a value is unknown changes nothing."""
    if isinstance(value, Unknown):
        return Unknown
    if isinstance(value, Instance) and value is function.receiver and is_blank(value):
        return "made", id(value.cls.node)
    if type(value) is tuple:
        return tuple(_like(item, function, alive) for item in value)
    try:
        hash(value)
    except TypeError:
        alive.append(value)
        return "is", id(value)
    return type(value), value


def is_blank(receiver: Value) -> bool:
    """Whether an object is being made, and nothing has been set yet."""
    return isinstance(receiver, Instance) and receiver.building and not receiver.attributes
