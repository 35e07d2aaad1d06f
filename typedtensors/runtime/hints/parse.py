# SPDX-License-Identifier: Apache-2.0
"""From a resolved annotation to a `Hint`."""

from __future__ import annotations

import collections.abc
import types
import typing
import warnings
from typing import Annotated, Any, Union

import jaxtyping
from beartype.door import is_bearable
from beartype.roar import BeartypeException, BeartypeWarning

from typedtensors.runtime.hints.nodes import (
    BEARTYPE,
    AnyHint,
    ArrayHint,
    ClassHint,
    FieldsHint,
    Hint,
    ItemsHint,
    KeysHint,
    MappingHint,
    PlainHint,
    TupleHint,
    UnionHint,
)


def is_array_annotation(annotation: Any) -> bool:
    """Say whether this is one of jaxtyping's, such as `Float[Tensor, "b d"]`."""
    return isinstance(annotation, type) and issubclass(annotation, jaxtyping.AbstractArray)


def parse_hint(annotation: Any) -> Hint:
    """Parse one resolved annotation; what holds no array becomes one `PlainHint`.

    Raises:
        UncheckableHintError: beartype does not know this kind of hint.
    """
    if is_array_annotation(annotation):
        return ArrayHint(annotation)
    container = _parse_container(annotation)
    if container is not None:
        return container
    return _parse_plain(annotation)


class UncheckableHintError(TypeError):
    """A type hint that has no run-time meaning that beartype knows."""


# As type checkers have it: an int is accepted where a float is wanted (PEP 484).
_PROMOTED: dict[type, tuple[type, ...]] = {float: (float, int), complex: (complex, float, int)}

_STANDARD = frozenset({"builtins", "collections", "collections.abc"})

# Hints about the signature or the control flow, not about a value that could be tested.
_VALUELESS = frozenset({"Self", "NoReturn", "Never", "Unpack"})

# What a `TypedDict` says about a key, not about its value.
_MARKS = frozenset({"NotRequired", "Required", "ReadOnly"})


def _parse_plain(annotation: Any) -> Hint:
    if annotation is Any or annotation is object or _is_valueless(annotation):
        return AnyHint()
    if type(annotation) is type:  # nothing overrides what `isinstance` says
        return ClassHint(annotation, _PROMOTED.get(annotation, (annotation,)))
    try:
        with warnings.catch_warnings():
            # That `typing.List` is deprecated is for linters to say; it works all the same.
            warnings.simplefilter("ignore", BeartypeWarning)
            is_bearable(None, annotation, conf=BEARTYPE)
    except BeartypeException as error:
        raise UncheckableHintError(_uncheckable(annotation)) from error
    return PlainHint(annotation)


def _uncheckable(annotation: Any) -> str:
    """Say what can not be tested, and what to do about it where that is known."""
    if isinstance(annotation, str):
        return f"{annotation!r} is text, and only annotations of functions are evaluated"
    if getattr(annotation, "_is_protocol", False):
        return f"`{annotation.__name__}` is a protocol; decorate it with `@runtime_checkable`"
    return f"`{annotation}` is no type hint that beartype knows"


def _is_valueless(annotation: Any) -> bool:
    if isinstance(annotation, typing.ParamSpecArgs | typing.ParamSpecKwargs):
        return True
    # By name, because `typing_extensions` has its own on older versions of Python.
    form = typing.get_origin(annotation) or annotation
    if getattr(form, "__module__", None) not in ("typing", "typing_extensions"):
        return False
    return getattr(form, "_name", getattr(form, "__name__", None)) in _VALUELESS


def _parse_container(annotation: Any) -> Hint | None:
    """Parse a container, union or alias, or return None if it holds no array."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _only_with_arrays(parse_hint(args[0]))
    if type(annotation).__name__ == "TypeAliasType":
        return _only_with_arrays(parse_hint(annotation.__value__))
    if origin is Union or origin is types.UnionType:
        options = tuple(parse_hint(arg) for arg in args)
        return UnionHint(annotation, options) if any(map(_has_arrays, options)) else None
    if isinstance(annotation, type) and origin is None:
        return _parse_class(annotation)
    if not isinstance(origin, type) or not args or origin.__module__ not in _STANDARD:
        return None  # what the arguments of another generic class mean is its own affair
    return _parse_generic(annotation, origin, args)


def _parse_generic(annotation: Any, origin: type, args: tuple[Any, ...]) -> Hint | None:
    if origin is tuple and args[-1] is not ...:
        items = tuple(parse_hint(arg) for arg in args)
        return TupleHint(annotation, origin, items) if any(map(_has_arrays, items)) else None
    if issubclass(origin, collections.abc.Mapping) and len(args) == 2:
        key, item = map(parse_hint, args)
        return MappingHint(annotation, origin, key, item) if _has_arrays(item) else None
    if issubclass(origin, collections.abc.Collection) and args[1:] in ((), (...,)):
        element = parse_hint(args[0])
        return ItemsHint(annotation, origin, element) if _has_arrays(element) else None
    return None


def _parse_class(annotation: type) -> Hint | None:
    """Parse a `NamedTuple` or a `TypedDict` class; None for every other class."""
    # `typing_extensions` has a `TypedDict` of its own on older versions of Python.
    is_dict = type(annotation).__name__ == "_TypedDictMeta"
    if not is_dict and not (issubclass(annotation, tuple) and hasattr(annotation, "_fields")):
        return None
    try:
        hints = typing.get_type_hints(annotation, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return None
    names = hints if is_dict else getattr(annotation, "_fields", ())
    parts = tuple((name, parse_hint(_unmarked(hints[name]))) for name in names if name in hints)
    if not any(_has_arrays(hint) for _, hint in parts):
        return None
    if is_dict:
        return KeysHint(annotation, collections.abc.Mapping, parts)
    return FieldsHint(annotation, annotation, parts)


def _unmarked(annotation: Any) -> Any:
    """Take `NotRequired`, `Required` and `ReadOnly` off."""
    while getattr(typing.get_origin(annotation), "_name", None) in _MARKS:
        (annotation,) = typing.get_args(annotation)
    return annotation


def _has_arrays(hint: Hint) -> bool:
    return not isinstance(hint, PlainHint | ClassHint | AnyHint)


def _only_with_arrays(hint: Hint) -> Hint | None:
    return hint if _has_arrays(hint) else None
