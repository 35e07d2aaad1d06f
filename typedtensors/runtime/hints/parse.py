# SPDX-License-Identifier: Apache-2.0
"""From a resolved annotation to a `Hint`."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, Union

import jaxtyping

from typedtensors.runtime.hints.containers import (
    FieldsHint,
    ItemsHint,
    KeysHint,
    MappingHint,
    PartsHint,
    TupleHint,
    UnionHint,
)
from typedtensors.runtime.hints.nodes import AnyHint, ArrayHint, ClassHint, Hint, PlainHint
from typedtensors.runtime.hints.plain import UncheckableHintError, meaning_of, parse_plain

_STANDARD = frozenset({"builtins", "collections", "collections.abc"})

# What is said about an attribute, not about its value.
_OF_ATTRIBUTES = (typing.Final, typing.ClassVar)

# What a `TypedDict` says about a key, not about its value.
_MARKS = frozenset({"NotRequired", "Required", "ReadOnly"})


def is_array_annotation(annotation: Any) -> bool:
    """Say whether this is one of jaxtyping's, such as `Float[Tensor, "b d"]`."""
    return isinstance(annotation, type) and issubclass(annotation, jaxtyping.AbstractArray)


def parse_hint(annotation: Any) -> Hint:
    """Parse one resolved annotation; a container that holds no array becomes one `PlainHint`.

    Raises:
        UncheckableHintError: beartype does not know this kind of hint.
    """
    if is_array_annotation(annotation):
        return ArrayHint(annotation)
    if isinstance(annotation, TypeVar):
        return parse_hint(meaning_of(annotation))
    if isinstance(annotation, dataclasses.InitVar):
        return parse_hint(annotation.type)
    apart = _take_apart(annotation)
    if apart is not None and not (_is_plain(apart) and _is_whole(annotation)):
        return apart
    try:
        return parse_plain(annotation)
    except UncheckableHintError:
        if apart is None:
            raise
        return apart


def _is_whole(annotation: Any) -> bool:
    """Say whether a hint without arrays is beartype's to look at, rather than each of its parts.

    Of a long list it looks at few elements, and it knows what else `Annotated` may say.
    """
    origin = typing.get_origin(annotation)
    return not isinstance(annotation, types.UnionType) and origin not in (Union, *_OF_ATTRIBUTES)


def _is_plain(hint: Hint) -> bool:
    """Say whether a hint holds no array."""
    if isinstance(hint, UnionHint):
        return all(map(_is_plain, hint.options))
    if isinstance(hint, PartsHint):
        return all(map(_is_plain, hint.children))
    return isinstance(hint, PlainHint | ClassHint | AnyHint)


def _take_apart(annotation: Any) -> Hint | None:
    """Parse the parts of a container, a union or an alias; None for anything else."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _OF_ATTRIBUTES or origin is Annotated:
        return parse_hint(args[0])
    if type(annotation).__name__ == "TypeAliasType":
        return parse_hint(annotation.__value__)
    if origin is Union or origin is types.UnionType:
        return UnionHint(annotation, tuple(parse_hint(arg) for arg in args))
    parts = _parse_class(annotation, origin or annotation, args)
    if parts is not None:
        return parts
    if not isinstance(origin, type) or not args or origin.__module__ not in _STANDARD:
        return None  # what the arguments of another generic class mean is its own affair
    return _parse_generic(annotation, origin, args)


def _parse_generic(annotation: Any, origin: type, args: tuple[Any, ...]) -> Hint | None:
    if origin is tuple and args[-1] is not ...:
        return TupleHint(annotation, origin, tuple(parse_hint(arg) for arg in args))
    if issubclass(origin, collections.abc.Mapping) and len(args) == 2:
        return MappingHint(annotation, origin, *map(parse_hint, args))
    if issubclass(origin, collections.abc.Collection) and args[1:] in ((), (...,)):
        return ItemsHint(annotation, origin, parse_hint(args[0]))
    return None


def _parse_class(annotation: Any, cls: Any, args: tuple[Any, ...]) -> Hint | None:
    """Parse a `NamedTuple` or a `TypedDict` class; None for every other class."""
    # `typing_extensions` has a `TypedDict` of its own on older versions of Python.
    is_dict = type(cls).__name__ == "_TypedDictMeta"
    is_tuple = isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")
    if not is_dict and not is_tuple:
        return None
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return None
    meant = dict(zip(getattr(cls, "__parameters__", ()), args, strict=False))
    parts = {name: parse_hint(_substitute(_unmarked(hint), meant)) for name, hint in hints.items()}
    if is_dict:
        return KeysHint(annotation, collections.abc.Mapping, tuple(parts.items()))
    fields = tuple((name, parts[name]) for name in cls._fields if name in parts)
    return FieldsHint(annotation, cls, fields, dict(cls._field_defaults))


def _substitute(annotation: Any, meant: Mapping[Any, Any]) -> Any:
    """Put what a generic class was given in the place of its type variables."""
    if isinstance(annotation, TypeVar):
        return meant.get(annotation, annotation)
    variables = getattr(annotation, "__parameters__", ())
    if not meant or not isinstance(variables, tuple) or not variables:
        return annotation
    return annotation[tuple(meant.get(each, each) for each in variables)]


def _unmarked(annotation: Any) -> Any:
    """Take `NotRequired`, `Required` and `ReadOnly` off."""
    while getattr(typing.get_origin(annotation), "_name", None) in _MARKS:
        (annotation,) = typing.get_args(annotation)
    return annotation
