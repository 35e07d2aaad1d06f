# SPDX-License-Identifier: Apache-2.0
"""What following a call gave: a body is gone through once for arguments that are alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field, replace

from typedtensors.dims import Atom, Dim
from typedtensors.dims.quick import cached_property, dataclass
from typedtensors.ops import Fields, Layer, Object, Unknown, Value
from typedtensors.shapes import DType, Shape, Tensor
from typedtensors_mypy.interpreter.state import Changed, State
from typedtensors_mypy.interpreter.values import (
    Chain,
    Either,
    Foreign,
    Function,
    Instance,
    Items,
    Keyed,
    Stream,
    UserClass,
    Wired,
    next_serial,
)
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import External

# Lists in lists in lists: one that holds itself has no end.
_DEEPEST = 4


@dataclass(frozen=True)
class Followed:
    """What a call gave, which lists and dicts it changed, and what a constructor set.

    `changed` is what became of the arguments that were changed where they are, by parameter.
    `given` are the lists and dicts that it got, in the order of `Likeness.given`. `taught` are the
    sizes of the caller's that the body shows to be numbers. What has a serial after `since` was
    made by the call, so another call makes another.
    """

    value: Value
    lists: Mapping[int, Changed] = field(default_factory=dict)
    attributes: Mapping[str, Value] = field(default_factory=dict)
    changed: Mapping[str, Value] = field(default_factory=dict)
    given: tuple[Items, ...] = ()
    taught: Mapping[Atom, Dim] = field(default_factory=dict)
    since: int = 0

    @cached_property
    def _makes(self) -> bool:
        """Whether a list, a dict or an object was made that the caller gets."""
        values = (
            self.value,
            *self.attributes.values(),
            *(each.now for each in self.lists.values()),
        )
        return any(_is_made(value, self.since) for value in values)

    def again(self, given: tuple[Items, ...]) -> Followed | None:
        """The same for a call that is alike and gets these lists; None if that is not clear."""
        same = all(one.serial == other.serial for one, other in zip(self.given, given, strict=True))
        return self if same and not self._makes else renamed(self, given)


@dataclass(frozen=True)
class Likeness:
    """Equal for calls that go the same way.

    Invariant: `alive` holds what `key` knows by its identity, so that no other object gets that.
    `given` are the lists and dicts among the arguments, which `key` knows by their places in it.
    """

    key: Hashable
    alive: tuple[object, ...] = field(compare=False)
    given: tuple[Items, ...] = field(compare=False)

    @property
    def itself(self) -> Hashable:
        """Equal for calls that get the same lists: one inside the other has no end."""
        return self, tuple(each.serial for each in self.given)

    @cached_property
    def _hash(self) -> int:
        return hash(self.key)

    def __hash__(self) -> int:
        """Each value in the key is asked once, though a call is looked for several times."""
        return self._hash

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
        key = id(function.node), closure, accepting, given
        return cls(key, tuple(likeness.alive), tuple(likeness.given.values()))


@dataclass
class _Likening:
    """What a body treats alike where it is called; why a value is unknown changes nothing."""

    function: Function
    state: State
    alive: list[object]
    given: dict[int, Items] = field(default_factory=dict)

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
            parts = value.modules, value.settings
            return Chain, tuple(self.of(part, depth + 1) for part in parts)
        if isinstance(value, Wired):
            return Wired, value, self.of(value.settings, depth + 1)
        try:
            hash(value)
        except TypeError:
            self.alive.append(value)
            return "is", id(value)
        return type(value), value

    def _of_items(self, value: Items, depth: int) -> Hashable:
        """A list or dict is at the same places as before, and holds what that one held."""
        self.given.setdefault(value.serial, value)
        place = list(self.given).index(value.serial)
        now = self.state.now(value)
        if not isinstance(now, Items):
            return Items, place, self.of(now, depth)
        return Items, place, now.keys, tuple(self.of(item, depth) for item in now.values)


def is_blank(receiver: Value) -> bool:
    """Whether an object is being made, and nothing has been set yet."""
    return isinstance(receiver, Instance) and receiver.building and not receiver.attributes


def _is_made(value: Value, since: int) -> bool:
    """Whether a value is, or holds, a list, a dict or an object that is newer than a serial."""
    if isinstance(value, Instance):
        return value.serial > since
    if isinstance(value, Items):
        return value.serial > since or _is_made(value.values, since)
    if isinstance(value, tuple):
        return any(_is_made(item, since) for item in value)
    if isinstance(value, (Stream, Keyed)):
        return _is_made(value.item, since)
    if isinstance(value, Chain):
        return _is_made(value.modules, since) or _is_made(value.settings, since)
    if isinstance(value, Wired):
        return _is_made(value.settings, since)
    return isinstance(value, Either) and _is_made(value.options, since)


def renamed(followed: Followed, given: tuple[Items, ...]) -> Followed | None:
    """What a call gave, with other lists and dicts for those it got; None if that is not clear.

    What it made is made anew.
    """
    old = {each.serial: new for each, new in zip(followed.given, given, strict=True)}
    naming = _Naming(old, followed.since)
    try:
        lists = dict(map(naming.changed, followed.lists.values()))
        attributes = {name: naming.of(value) for name, value in followed.attributes.items()}
        value = naming.of(followed.value)
    except _UnclearError:
        return None
    return replace(followed, value=value, lists=lists, attributes=attributes, given=given)


class _UnclearError(Exception):
    """It does not show whether a value holds a list."""


class _Naming:
    """Puts new lists and dicts, by the serials of the old ones, into what a call gave.

    What is newer than `since` becomes new as well; but objects that an object holds stay those that
    they are, so that their methods are not followed again for each.
    """

    def __init__(self, new: dict[int, Items], since: int) -> None:
        self._new = new
        self._since = since
        self._made: dict[int, Instance] = {}
        self._seen: set[int] = set()
        self._is_inside = False

    def changed(self, change: Changed) -> tuple[int, Changed]:
        made = self._in_place_of(change.made)
        return made.serial, Changed(made, self.of(change.now))

    def of(self, value: Value) -> Value:
        if type(value) in _WITHOUT_LISTS:
            return value
        if isinstance(value, Items):
            return self._of_items(value)
        if isinstance(value, tuple):
            items = tuple(map(self.of, value))
            return items if _differ(items, value) else value
        if isinstance(value, (Stream, Keyed)):
            item = self.of(value.item)
            return value if item is value.item else replace(value, item=item)
        if isinstance(value, Chain):
            modules, settings = self.of(value.modules), self.of(value.settings)
            same = modules is value.modules and settings is value.settings
            return value if same else Chain(modules, settings)  # type: ignore[arg-type]  # others
        if isinstance(value, Wired):
            return replace(value, settings=self.of(value.settings))  # type: ignore[arg-type]  # another
        if isinstance(value, Instance) and value.serial > self._since and not self._is_inside:
            return self._of_object(value)
        held = self._held(value)
        if held is None or not all(map(self._stays, held)):
            raise _UnclearError
        return value

    def _stays(self, value: Value) -> bool:
        """Whether what is held by something that stays what it is can stay so too."""
        since, self._since = self._since, next_serial()
        try:
            return self.of(value) is value
        finally:
            self._since = since

    def _of_items(self, value: Items) -> Items:
        values = tuple(map(self.of, value.values))
        new = self._in_place_of(value)
        if new is not value:
            return Items(values, value.keys, new.serial)
        if _differ(values, value.values):
            raise _UnclearError
        return value

    def _in_place_of(self, made: Items) -> Items:
        """The list that takes the place of one that the call got or made; any other stays."""
        new = self._new.get(made.serial, made)
        if new is made and made.serial > self._since:
            new = self._new[made.serial] = Items(made.values, made.keys)
        return new

    def _of_object(self, made: Instance) -> Value:
        """An object that is like one that the call made, with lists of its own."""
        known = self._made.get(id(made))
        if known is None:
            settings = self._of_items(made.settings)
            known = replace(made, attributes={}, settings=settings, serial=next_serial())
            self._made[id(made)] = known
            self._is_inside = True
            known.attributes |= {name: self.of(each) for name, each in made.attributes.items()}
            self._is_inside = False
        return known

    def _held(self, value: Value) -> Iterable[Value] | None:
        """What a value holds that stays what it is; None for a value of another kind."""
        if isinstance(value, Instance):
            if id(value) in self._seen:
                return ()
            self._seen.add(id(value))
            return tuple(value.attributes.values())
        if isinstance(value, Either):
            return value.options
        if isinstance(value, Function):
            return (value.receiver, *value.closure.values(), *value.defaults.values())
        return None


def _differ(values: tuple[Value, ...], before: tuple[Value, ...]) -> bool:
    return any(one is not other for one, other in zip(values, before, strict=True))


_WITHOUT_LISTS = frozenset(
    {
        slice,
        bool,
        float,
        str,
        type(None),
        type(...),
        DType,
        Dim,
        External,
        Fields,
        Foreign,
        Layer,
        Module,
    }
    | {Object, Shape, Tensor, Unknown, UserClass}
)
