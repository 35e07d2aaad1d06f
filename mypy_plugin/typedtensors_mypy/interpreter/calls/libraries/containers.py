# SPDX-License-Identifier: Apache-2.0
"""Methods of lists, dicts and tuples: those that read, and those that change what is held."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions.displays import entries, item_of_dict
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence, is_literal_key, one_of
from typedtensors_mypy.interpreter.expressions.subscripts import item_at
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import contained, join_contents
from typedtensors_mypy.interpreter.statements.assignment import mark_changed, put_among, set_item
from typedtensors_mypy.interpreter.values import Items, Keyed, Stream, either
from typedtensors_mypy.source import library
from typedtensors_mypy.source.syntax.contents import CHANGING

# A list that grows beyond this in straight code is any number of alike items.
_LONGEST_LIST = 16


def call_container_method(frame: Frame, receiver: Value, name: str, arguments: Arguments) -> Value:
    """What a method of a tuple, list or dict gives; afterwards the state knows what is held."""
    if name in library.MODULE_READERS:
        return Unknown(f"`.{name}()` of a module")
    now = frame.state.held(receiver)
    if type(receiver) is Stream and name in CHANGING:
        return _change_alike(frame, receiver, name, arguments)
    keyed = isinstance(now, Keyed) or (isinstance(receiver, Items) and receiver.keys is not None)
    method = (_OF_DICTS if keyed else _OF_LISTS).get(name)
    if method is None or not arguments.complete:
        mark_changed(frame, receiver)
        return Unknown(f"`.{name}` of a list or dict")
    return method(frame, receiver, arguments)


def _change_alike(frame: Frame, stream: Stream, name: str, arguments: Arguments) -> Value:
    """A change of a list that was made at once: `[f(x) for x in xs]`, `list(xs)`."""
    if name in {"reverse", "sort"}:
        return None  # it holds as many as before
    added: Value = ()
    if name == "extend" and arguments.positional:
        added = as_sequence(frame, arguments.positional[0])
    elif name in {"append", "insert"}:
        added = arguments.positional[-1:]
    put_among(frame, stream, *(added if isinstance(added, tuple) else contained(added)))
    return one_of(stream.item) if name == "pop" else stream


def extend(frame: Frame, receiver: Value, more: Value) -> None:
    """After `receiver += more`, a list holds both."""
    if not isinstance(receiver, Items):
        return
    now, added = frame.state.held(receiver), as_sequence(frame, more)
    if isinstance(now, Items) and isinstance(added, tuple):
        _hold(frame, receiver, (*now.values, *added))
    elif isinstance(added, Stream):
        frame.state.change(receiver, join_contents(_of_any_number(now), Stream(added.item)))
    else:
        frame.state.change(receiver, join_contents(now, Items(added)))


def _of_any_number(now: Value) -> Value:
    return Stream(now.item) if isinstance(now, Stream) else now


def _hold(frame: Frame, receiver: Items, values: tuple[Value, ...]) -> None:
    held = Items(values, None, receiver.serial)
    if len(values) > _LONGEST_LIST:
        frame.state.change(receiver, join_contents(held, Items((), None, receiver.serial)))
    else:
        frame.state.change(receiver, held)


def _append(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    extend(frame, receiver, arguments.positional)
    return receiver


def _extend(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    extend(frame, receiver, arguments.positional[0] if arguments.positional else ())
    return receiver


def _insert(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    if len(arguments.positional) != 2:
        return Unknown("an insertion of nothing")
    place, value = arguments.positional
    now = frame.state.held(receiver)
    known = isinstance(place, Dim) and place.value is not None and isinstance(now, Items)
    if isinstance(receiver, Items) and isinstance(now, Items) and isinstance(place, Dim) and known:
        values = [*now.values]
        values.insert(place.value or 0, value)
        _hold(frame, receiver, tuple(values))
    elif isinstance(receiver, Items):
        frame.state.change(receiver, join_contents(now, Stream(value)))
    return receiver


def _pop(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    now = frame.state.now(receiver)
    index = arguments.positional[0] if arguments.positional else Dim.of(-1)
    taken = one_of(now.item) if isinstance(now, Stream) else item_at(frame, now, index)
    if isinstance(receiver, Items) and isinstance(now, Items):
        place = index.value if isinstance(index, Dim) else None
        if place is not None and -len(now.values) <= place < len(now.values):
            values = [*now.values]
            del values[place]
            _hold(frame, receiver, tuple(values))
        else:
            frame.state.change(receiver, join_contents(now, Items((), None, now.serial)))
    elif isinstance(receiver, Items) and isinstance(now, Stream):
        frame.state.change(receiver, Stream(now.item))
    return taken


def _clear(frame: Frame, receiver: Value, _arguments: Arguments) -> Value:
    if isinstance(receiver, Items):
        frame.state.change(receiver, Items((), receiver.keys and (), receiver.serial))
    return None


def _reverse(frame: Frame, receiver: Value, _arguments: Arguments) -> Value:
    now = frame.state.now(receiver)
    if isinstance(receiver, Items) and isinstance(now, Items):
        _hold(frame, receiver, now.values[::-1])
    return None


def _copy(frame: Frame, receiver: Value, _arguments: Arguments) -> Value:
    now = frame.state.now(receiver)
    return Items(now.values, now.keys) if isinstance(now, Items) else now


def _index(_frame: Frame, _receiver: Value, _arguments: Arguments) -> Value:
    return Dim.fresh("index")


def _keys(frame: Frame, receiver: Value, _arguments: Arguments) -> Value:
    held = entries(frame, receiver)
    return Stream(Unknown("a key of a dict")) if held is None else tuple(held)


def _values(frame: Frame, receiver: Value, _arguments: Arguments) -> Value:
    held = entries(frame, receiver)
    return Stream(item_of_dict(frame, receiver)) if held is None else tuple(held.values())


def _items(frame: Frame, receiver: Value, _arguments: Arguments) -> Value:
    held = entries(frame, receiver)
    if held is not None:
        return tuple(held.items())
    return Stream((Unknown("a key of a dict"), item_of_dict(frame, receiver)))


def _get(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    """The value under a key, or the default."""
    if not arguments.positional:
        return Unknown("a value of a dict")
    key, *default = arguments.positional
    held = entries(frame, receiver)
    if held is not None and is_literal_key(key) and key in held:
        return held[key]
    otherwise = default[0] if default else arguments.keywords.get("default")
    if held is not None and isinstance(key, str):
        return otherwise
    value = one_of(item_of_dict(frame, receiver), key if isinstance(key, str) else None)
    return either((value, otherwise))


def _take(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    value = _get(frame, receiver, arguments)
    held = entries(frame, receiver)
    key = arguments.positional[0] if arguments.positional else None
    if held is None or not isinstance(receiver, Items):
        return value
    if is_literal_key(key):
        held.pop(key, None)
        frame.state.change(receiver, Items(tuple(held.values()), tuple(held), receiver.serial))
    else:
        left = Keyed(item_of_dict(frame, receiver))
        frame.state.change(receiver, join_contents(frame.state.now(receiver), left))
    return value


def _update(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    if not isinstance(receiver, Items):
        return None
    for other in arguments.positional:
        held = entries(frame, other)
        if held is None:
            now = frame.state.held(receiver)
            frame.state.change(receiver, join_contents(now, Keyed(item_of_dict(frame, other))))
        for key, value in (held or {}).items():
            set_item(frame, receiver, key, value)
    for name, value in arguments.keywords.items():
        set_item(frame, receiver, name, value)
    return None


def _set_default(frame: Frame, receiver: Value, arguments: Arguments) -> Value:
    if not isinstance(receiver, Items) or len(arguments.positional) != 2:
        return Unknown("a value of a dict")
    key, value = arguments.positional
    held = entries(frame, receiver)
    if held is not None and is_literal_key(key) and key in held:
        return held[key]
    found = either((item_of_dict(frame, receiver), value)) if held is None else value
    set_item(frame, receiver, key, value)
    return found


_Method = Callable[[Frame, Value, Arguments], Value]
# Of a `ModuleList`, `append`, `insert` and `extend` give the list itself.
_OF_LISTS: Mapping[str, _Method] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "clear": _clear,
    "reverse": _reverse,
    "copy": _copy,
    "index": _index,
    "count": _index,
}
_OF_DICTS: Mapping[str, _Method] = {
    "keys": _keys,
    "values": _values,
    "items": _items,
    "get": _get,
    "pop": _take,
    "update": _update,
    "setdefault": _set_default,
    "clear": _clear,
    "copy": _copy,
}
