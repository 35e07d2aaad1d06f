# SPDX-License-Identifier: Apache-2.0
"""What an operation makes of named axes: the rules of the static check, applied to one call.

A name is followed only where a rule is sure of it. A size that the program passes as a number has
no name, nor has an axis of which a rule computes the size. What a call is given is written as
tokens, which can be compared, so that what a rule gave can be remembered.
"""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from typedtensors.dims import Dim, Facts
from typedtensors.guard.names.axes import ONE, Seen, dim_of, shape_of
from typedtensors.ops import SOME_FLOAT, Known, Unknown, Value, lookup
from typedtensors.shapes import DType, Tensor as Array

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from typedtensors.guard.names.axes import Names

_UNKNOWN: Final = Unknown("a guard knows the axes of arrays only")


class _Slice(NamedTuple):
    start: object
    stop: object
    step: object


class _List(NamedTuple):
    items: tuple[object, ...]


class _Number(NamedTuple):
    """An integer, which is not equal to a bool."""

    value: int


def token_of(value: object, look: Callable[[Any], Seen | None]) -> object:
    """The argument as a token. `look` gives an array as a rule sees it, and None for others."""
    if value is None or isinstance(value, (bool, str, EllipsisType)):
        return value
    if isinstance(value, int):
        return _Number(int(value))
    if isinstance(value, float):
        return SOME_FLOAT
    if isinstance(value, tuple):
        return tuple([token_of(each, look) for each in value])
    if isinstance(value, list):
        return _List(tuple([token_of(each, look) for each in value]))
    if isinstance(value, slice):
        return _Slice(*(token_of(each, look) for each in (value.start, value.stop, value.step)))
    array = look(value)
    return _UNKNOWN if array is None else array


def names_after(
    name: str,
    args: tuple[object, ...],
    kwargs: tuple[tuple[str, object], ...] = (),
) -> tuple[Names | None, ...]:
    """What the axes of each result of a function are called; nothing if nobody knows.

    Arguments: the function's full name, its arguments as tokens, and those by keyword.
    """
    rule = lookup(name)
    if rule is None:
        return ()
    given = {key: _value(value) for key, value in kwargs}
    outcome = rule.evaluate(name, tuple(map(_value, args)), given, Facts())
    if not isinstance(outcome, Known):
        return ()
    kept = {dim_of(text): text for text in _texts((*args, *(value for _, value in kwargs)))}
    parts = outcome.value if isinstance(outcome.value, (tuple, list)) else (outcome.value,)
    return tuple(_kept(part, outcome.facts, kept) for part in parts)


def _value(token: object) -> Value:
    if isinstance(token, Seen):
        return Array(shape_of(token.names), DType.exactly(_element_type(token.dtype)))
    if isinstance(token, _Number):
        return Dim.of(token.value)
    if isinstance(token, _Slice):
        return slice(*map(_value, token))
    if isinstance(token, _List):
        return [*map(_value, token.items)]
    return tuple(map(_value, token)) if isinstance(token, tuple) else token


def _element_type(dtype: Hashable) -> str:
    """The name of an element type: TensorFlow's know it, torch's write it, `torch.float32`."""
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else str(dtype).rpartition(".")[2]


def _texts(tokens: Iterable[object]) -> Iterator[str]:
    """The names of all arrays among the arguments."""
    for token in tokens:
        if isinstance(token, Seen):
            yield from (name for name in token.names if name is not None and name != ONE)
        elif isinstance(token, tuple) and not isinstance(token, (_Number, _Slice)):
            yield from _texts(token.items if isinstance(token, _List) else token)


def _kept(value: Value, facts: Facts, kept: dict[Dim, str]) -> Names | None:
    """The names of a result that some argument has too."""
    axes = value.shape.fixed if isinstance(value, Array) else None
    return None if axes is None else tuple(kept.get(facts.resolve(axis.dim)) for axis in axes)
