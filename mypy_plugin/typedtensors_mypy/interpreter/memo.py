# SPDX-License-Identifier: Apache-2.0
"""What following a call gave: a body is gone through once for arguments that are alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field

from typedtensors.dims.quick import dataclass
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.state import Changed, State
from typedtensors_mypy.interpreter.values import Chain, Function, Instance, Items

# Lists in lists in lists: one that holds itself has no end.
_DEEPEST = 4


@dataclass(frozen=True)
class Followed:
    """What a call gave, which lists and dicts it changed, and what a constructor set.

    `changed` is what became of the arguments that were changed where they are, by parameter.
    """

    value: Value
    lists: Mapping[int, Changed] = field(default_factory=dict)
    attributes: Mapping[str, Value] = field(default_factory=dict)
    changed: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Likeness:
    """Equal for calls that go the same way.

    Invariant: `alive` holds what `key` knows by its identity, so that no other object gets that.
    """

    key: Hashable
    alive: tuple[object, ...] = field(compare=False)

    @classmethod
    def of(
        cls,
        function: Function,
        arguments: Iterable[tuple[str, Value]],
        state: State,
        *,
        accepting: bool,
    ) -> Likeness:
        """The likeness of a call of a function with these arguments, by parameter."""
        likeness = _Likening(function, state, [function])
        given = tuple((name, likeness.of(value)) for name, value in arguments)
        closure = id(function.closure) if function.closure else 0
        return cls((id(function.node), closure, accepting, given), tuple(likeness.alive))


@dataclass
class _Likening:
    """What a body treats alike where it is called; why a value is unknown changes nothing."""

    function: Function
    state: State
    alive: list[object]

    def of(self, value: Value, depth: int = 0) -> Hashable:
        if isinstance(value, Unknown):
            return Unknown
        if isinstance(value, Instance) and value is self.function.receiver and is_blank(value):
            return "made", id(value.cls.node)
        if type(value) is tuple:
            return tuple(self.of(item, depth + 1) for item in value)
        if isinstance(value, Items) and depth < _DEEPEST:
            return self._of_items(value, depth + 1)
        if isinstance(value, Chain):
            return Chain, self.of(value.modules, depth + 1)
        try:
            hash(value)
        except TypeError:
            self.alive.append(value)
            return "is", id(value)
        return type(value), value

    def _of_items(self, value: Items, depth: int) -> Hashable:
        """A list or dict is the same object, and holds what it held."""
        now = self.state.now(value)
        if not isinstance(now, Items):
            return value.serial, self.of(now, depth)
        return value.serial, now.keys, tuple(self.of(item, depth) for item in now.values)


def is_blank(receiver: Value) -> bool:
    """Whether an object is being made, and nothing has been set yet."""
    return isinstance(receiver, Instance) and receiver.building and not receiver.attributes
