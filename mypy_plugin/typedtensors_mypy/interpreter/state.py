# SPDX-License-Identifier: Apache-2.0
"""`State`, what is known at one point of a function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from typedtensors.dims import Facts
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.joins import contained, join, join_contents
from typedtensors_mypy.interpreter.values import Chain, Items, Keyed, Stream

_UNBOUND = object()


@dataclass(frozen=True)
class Changed:
    """A list or dict as it was made, and what it holds now: Items, a Stream, a Keyed or Unknown."""

    made: Items
    now: Value


@dataclass(frozen=True)
class Making:
    """An object that is being made: it has no attributes but what its constructor sets.

    `prefix` is what the constructor calls it, with a dot; `inherited` are those that its class has.
    """

    prefix: str
    inherited: frozenset[str]

    def lacks(self, name: str) -> bool:
        """Whether a path that does not set `self.x` leaves the object without it."""
        attribute = name.removeprefix(self.prefix)
        return attribute != name and attribute not in self.inherited


@dataclass
class State:
    """The values of names, the facts about dims, and the lists and dicts that have changed.

    Invariant: `lists`, by serial, is replaced and never changed, so that copies may share it. A key
    `name.attribute` in `values` is an attribute of the object behind a name, as last assigned
    here; `objects` are the names of which there is any. `alive` is False where control does not
    arrive. `making` is the object that a constructor makes. `reads` are the serials of the lists
    and dicts whose contents somebody asked for, which a state and its copies keep together.
    """

    values: dict[str, Value] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    lists: Mapping[int, Changed] = field(default_factory=dict)
    alive: bool = True
    objects: frozenset[str] = frozenset()
    making: Making | None = None
    reads: set[int] = field(default_factory=set)

    def fork(self) -> State:
        """A copy that goes its own way."""
        values = self.values.copy()
        making, reads = self.making, self.reads
        return State(values, self.facts, self.lists, self.alive, self.objects, making, reads)

    def become(self, other: State) -> None:
        """Take over what another state knows."""
        self.values, self.facts = other.values, other.facts
        self.lists, self.alive, self.objects = other.lists, other.alive, other.objects
        self.making = other.making

    def now(self, value: Value) -> Value:
        """What a value holds here, if it is a list, a dict, or modules; any other as it is."""
        if isinstance(value, Chain):
            return self._chain_now(value)
        if not isinstance(value, Items):
            return value
        self.reads.add(value.serial)
        return self.held(value)

    def held(self, value: Value) -> Value:
        """What a list or dict holds here, for who adds to it, whatever that is."""
        changed = self.lists.get(value.serial) if isinstance(value, Items) else None
        return value if changed is None else changed.now

    def _chain_now(self, chain: Chain) -> Value:
        modules = self.now(chain.modules)
        if modules is chain.modules:
            return chain
        if isinstance(modules, (Items, Stream)):
            return Chain(modules, chain.settings)
        return Unknown("modules that are not known")

    def change(self, made: Items, now: Value) -> None:
        """From here on, a list or dict holds something else."""
        self.lists = {**self.lists, made.serial: Changed(made, now)}

    def forget_list(self, made: Items) -> None:
        """From here on, a list or dict that was changed before may hold anything."""
        if made.serial in self.lists:
            self.change(made, Unknown("a list or dict that changes"))

    def assign(self, name: str, value: Value) -> None:
        """Bind a name anew; what was known of the attributes of its old object is void."""
        if name in self.objects:
            self.forget_attributes(name)
        self.values[name] = value

    def replace(self, old: Value, new: Value) -> None:
        """Let every name of an object, and each attribute that it is, stand for something else."""
        for name, value in [*self.values.items()]:
            if value is old:
                self.values[name] = new
            elif isinstance(value, Items) and any(
                each is old for each in contained(self.now(value))
            ):
                self.change(value, Unknown("a list of what has changed"))
            elif isinstance(value, (Stream, Keyed)) and value.item is old:
                self.values[name] = Unknown("a list of what has changed")

    def put(self, name: str, value: Value) -> None:
        """Say more of a name, or of an attribute `name.attribute`, without binding it anew."""
        self.values[name] = value
        owner, dot, _ = name.partition(".")
        if dot and owner not in self.objects:
            self.objects |= {owner}

    def attributes(self, owner: Value) -> dict[str, Value]:
        """What was assigned here to the attributes of an object, whatever its name."""
        if not self.objects:
            return {}
        prefixes = tuple(f"{name}." for name in self._names(owner))
        found = [key for key in self.values if key.startswith(prefixes)]
        return {key.partition(".")[2]: self.values[key] for key in found}

    def set_attributes(self, owner: Value, attributes: Mapping[str, Value]) -> None:
        """Let the attributes of an object be these, under every name that it has here."""
        if attributes:
            names = self._names(owner)
            self.objects = self.objects.union(names)
            for name in names:
                self.values.update({f"{name}.{key}": value for key, value in attributes.items()})

    def forget_assigned(self, attributes: frozenset[str]) -> None:
        """Drop what was assigned to these attributes, whosever: other code assigns them too."""
        for key in [key for key in self.values if key.partition(".")[2] in attributes]:
            if self.making is not None and key.startswith(self.making.prefix):
                self.values[key] = Unknown("an attribute that other code assigns")
            else:
                del self.values[key]

    def _names(self, owner: Value) -> list[str]:
        return [name for name, value in self.values.items() if value is owner and "." not in name]

    def forget_attributes(self, name: str) -> None:
        """Drop what was assigned to the attributes of the object behind a name."""
        prefix = f"{name}."
        for key in [key for key in self.values if key.startswith(prefix)]:
            del self.values[key]


def join_states(states: Iterable[State]) -> State:
    """What is known where several paths meet; a dead state if none of them arrives.

    It is the first state that arrives, which what the others know is joined into.
    """
    alive = [state for state in states if state.alive]
    if not alive:
        return State(alive=False)
    joined, *others = alive
    for other in others:
        _join_into(joined, other)
    return joined


def _join_into(joined: State, other: State) -> None:
    if other.objects is not joined.objects:
        joined.objects |= other.objects
    values = joined.values
    for name, value in other.values.items():
        known = values.get(name, _UNBOUND)
        if known is value:
            continue
        if known is not _UNBOUND:
            values[name] = join(known, value)
        elif _is_unbound(joined, name):
            values[name] = value
    for name in values.keys() - other.values.keys() if joined.objects else ():
        if not _is_unbound(joined, name):
            del values[name]
    if other.facts is not joined.facts:
        joined.facts = joined.facts.join(other.facts)
    if other.lists is not joined.lists:
        joined.lists = join_lists(joined.lists, other.lists)


def _is_unbound(state: State, name: str) -> bool:
    """Whether a path that does not bind a name leaves it unbound: who uses it came another way."""
    return "." not in name or (state.making is not None and state.making.lacks(name))


def join_lists(left: Mapping[int, Changed], right: Mapping[int, Changed]) -> Mapping[int, Changed]:
    """What lists and dicts hold after either of two branches."""
    joined = dict(left)
    for serial in (*left, *(right.keys() - left.keys())):
        one, other = left.get(serial), right.get(serial)
        if one is other:
            continue
        made = (one or other).made  # type: ignore[union-attr]  # it is in one of them
        now = join_contents(one.now if one else made, other.now if other else made)
        joined[serial] = Changed(made, now)
    return joined
