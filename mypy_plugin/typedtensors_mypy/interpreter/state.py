# SPDX-License-Identifier: Apache-2.0
"""`State`, what is known at one point of a function."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from typedtensors.dims import Facts
from typedtensors.ops import Value
from typedtensors_mypy.interpreter.values import join


@dataclass
class State:
    """The values of names, the facts about dims, and the lists that have changed.

    A key `name.attribute` in `values` is an attribute of the object behind a name, as last
    assigned here. `alive` is False where control does not arrive.
    """

    values: dict[str, Value] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    stale: frozenset[int] = frozenset()
    alive: bool = True

    def fork(self) -> State:
        """A copy that goes its own way."""
        return State(dict(self.values), self.facts, self.stale, self.alive)

    def become(self, other: State) -> None:
        """Take over what another state knows."""
        self.values, self.facts = other.values, other.facts
        self.stale, self.alive = other.stale, other.alive

    def assign(self, name: str, value: Value) -> None:
        """Bind a name anew; what was known of the attributes of its old object is void."""
        self.forget_attributes(name)
        self.values[name] = value

    def forget_attributes(self, name: str) -> None:
        """Drop what was assigned to the attributes of the object behind a name."""
        prefix = f"{name}."
        for key in [key for key in self.values if key.startswith(prefix)]:
            del self.values[key]


def join_states(states: Iterable[State]) -> State:
    """What is known where several paths meet; a dead state if none of them arrives."""
    alive = [state for state in states if state.alive]
    if not alive:
        return State(alive=False)
    joined = alive[0].fork()
    for other in alive[1:]:
        _join_into(joined, other)
    return joined


def _join_into(joined: State, other: State) -> None:
    for name, value in other.values.items():
        if name not in joined.values:
            # A name that one path leaves unbound cannot be used after the other.
            if "." not in name:
                joined.values[name] = value
        elif joined.values[name] is not value:
            joined.values[name] = join(joined.values[name], value)
    for name in joined.values.keys() - other.values.keys():
        if "." in name:
            del joined.values[name]
    if other.facts is not joined.facts:
        joined.facts = joined.facts.join(other.facts)
    joined.stale |= other.stale
