# SPDX-License-Identifier: Apache-2.0
"""What an operation makes of named axes: the rules of the static check, applied to a call of torch.

A name is followed only where a rule is sure of it. A size that the program passes as a number has
no name, nor has an axis of which a rule computes the size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import EllipsisType
from typing import Any, Final, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.overrides import resolve_name

from typedtensors.dims import Dim, Facts
from typedtensors.ops import SOME_FLOAT, Known, Unknown, Value, lookup
from typedtensors.shapes import Axis, DType, Shape, Tensor as Array

Names: TypeAlias = tuple[str | None, ...]
"""What annotations call each axis of a tensor, a name or arithmetic; None if they do not."""
ONE: Final = "1"
"""Stands for an axis that has one element and no name."""

_UNKNOWN: Final = Unknown("a guard knows the axes of arrays only")
_dims: Final[dict[str, Dim]] = {ONE: Dim.of(1)}


def text_of(dim: Dim) -> str:
    """The text by which a dim is one of `Names`: unlike a dim, it is compared in no time."""
    text = str(dim)
    _dims.setdefault(text, dim)
    return text


def shape_of(names: Names) -> Shape:
    """The shape that the names write; what has none is a size of its own."""
    return Shape(tuple(Axis(Dim.fresh() if name is None else _dims[name]) for name in names))


class Seen(NamedTuple):
    """A tensor as a rule sees it."""

    names: Names
    dtype: torch.dtype


class _Slice(NamedTuple):
    start: object
    stop: object
    step: object


class _List(NamedTuple):
    items: tuple[object, ...]


def seen(shape: torch.Size, dtype: torch.dtype, names: Names) -> Seen:
    """A tensor with these names, and a 1 for each axis that has one element and no name."""
    if 1 not in shape:
        return Seen(names, dtype)
    pairs = zip(names, shape, strict=True)
    ones = tuple([ONE if name is None and size == 1 else name for name, size in pairs])
    return Seen(ones, dtype)


@lru_cache(maxsize=4096)
def unnamed(shape: torch.Size, dtype: torch.dtype) -> Seen:
    """A tensor of which no axis has a name."""
    return seen(shape, dtype, (None,) * len(shape))


def names_after(
    function: Callable[..., Any],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    look: Callable[[Tensor], Seen],
) -> tuple[Names | None, ...]:
    """What the axes of each result of the function are called; nothing if nobody knows."""
    given = tuple([look(x) if isinstance(x, Tensor) else _read(x, look) for x in args])
    if not kwargs:
        return _apply(function, given, ())
    return _apply(function, given, tuple([(key, _read(x, look)) for key, x in kwargs.items()]))


def _read(value: object, look: Callable[[Tensor], Seen]) -> object:
    """The argument as something that can be compared: what a rule gave is remembered."""
    if value is None or isinstance(value, (bool, str, EllipsisType)):
        return value
    if isinstance(value, Tensor):
        return look(value)
    if isinstance(value, int):
        return _Number(int(value))
    if isinstance(value, float):
        return SOME_FLOAT
    if isinstance(value, tuple):
        return tuple([_read(each, look) for each in value])
    if isinstance(value, list):
        return _List(tuple([_read(each, look) for each in value]))
    if isinstance(value, slice):
        return _Slice(*(_read(each, look) for each in (value.start, value.stop, value.step)))
    return _UNKNOWN


class _Number(NamedTuple):
    """An integer, which is not equal to a bool."""

    value: int


@lru_cache(maxsize=1 << 14)
def _apply(
    function: Callable[..., Any],
    args: tuple[object, ...],
    kwargs: tuple[tuple[str, object], ...],
) -> tuple[Names | None, ...]:
    name = (resolve_name(function) or "").removesuffix(".__get__")
    rule = lookup(name) if name else None
    if rule is None:
        return ()
    given = {key: _value(value) for key, value in kwargs}
    outcome = rule.evaluate(name, tuple(map(_value, args)), given, Facts())
    if not isinstance(outcome, Known):
        return ()
    kept = {_dims[text]: text for text in _texts((*args, *(value for _, value in kwargs)))}
    parts = outcome.value if isinstance(outcome.value, (tuple, list)) else (outcome.value,)
    return tuple(_kept(part, outcome.facts, kept) for part in parts)


def _value(token: object) -> Value:
    if isinstance(token, Seen):
        dtype = DType.exactly(str(token.dtype).removeprefix("torch."))
        return Array(shape_of(token.names), dtype)
    if isinstance(token, _Number):
        return Dim.of(token.value)
    if isinstance(token, _Slice):
        return slice(*map(_value, token))
    if isinstance(token, _List):
        return [*map(_value, token.items)]
    return tuple(map(_value, token)) if isinstance(token, tuple) else token


def _texts(tokens: Iterable[object]) -> Iterator[str]:
    """The names of all tensors among the arguments."""
    for token in tokens:
        if isinstance(token, Seen):
            yield from (name for name in token.names if name is not None and name != ONE)
        elif isinstance(token, tuple) and not isinstance(token, (_Number, _Slice)):
            yield from _texts(token.items if isinstance(token, _List) else token)


def _kept(value: Value, facts: Facts, kept: Mapping[Dim, str]) -> Names | None:
    """The names of a result that some argument has too."""
    axes = value.shape.fixed if isinstance(value, Array) else None
    return None if axes is None else tuple(kept.get(facts.resolve(axis.dim)) for axis in axes)
