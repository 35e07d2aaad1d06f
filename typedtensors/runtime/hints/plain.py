# SPDX-License-Identifier: Apache-2.0
"""Hints that hold no array: beartype's, but for plain classes and what no value can tell."""

from __future__ import annotations

import collections
import collections.abc
import sys
import types
import typing
import warnings
from typing import Any, Union

from beartype.door import is_bearable
from beartype.roar import BeartypeException, BeartypeWarning

from typedtensors.runtime.hints.nodes import (
    BEARTYPE,
    AnyHint,
    ClassHint,
    Hint,
    PlainHint,
    TensorHint,
)
from typedtensors.runtime.symbolic.values import is_tensor_class


class UncheckableHintError(TypeError):
    """A type hint that has no run-time meaning that beartype knows."""


# As type checkers have it: an int is accepted where a float is wanted (PEP 484).
_PROMOTED: dict[type, tuple[type, ...]] = {float: (float, int), complex: (complex, float, int)}

# Hints about the signature or the control flow, not about a value that could be tested.
_VALUELESS = frozenset({"Self", "NoReturn", "Never", "Unpack", "Final", "ClassVar"})
_ANSWERS = frozenset({"TypeGuard", "TypeIs"})

# What beartype is known to take, so that it is not asked before there is a value.
_GENERIC = frozenset(
    {
        *(list, tuple, set, frozenset, dict, collections.deque),
        *(getattr(collections.abc, name) for name in ("Sequence", "Mapping", "Iterable")),
        *(getattr(collections.abc, name) for name in ("Iterator", "Collection", "Callable")),
    }
)


def parse_plain(annotation: Any) -> Hint:
    """Parse a hint without arrays.

    Raises:
        UncheckableHintError: beartype does not know this kind of hint.
    """
    if annotation is Any or annotation is object or _is_valueless(annotation):
        return AnyHint()
    if is_tensor_class(annotation):
        return TensorHint(annotation, (annotation,))
    if type(annotation) is type:  # nothing overrides what `isinstance` says
        return ClassHint(annotation, _PROMOTED.get(annotation, (annotation,)))
    if _form(annotation) in _ANSWERS:
        return ClassHint(bool, (bool,))
    if _is_class_of_unknown(annotation):
        return ClassHint(type, (type,))
    if not _is_known(annotation):
        _ask_beartype(annotation)
    return PlainHint(annotation)


def meaning_of(variable: typing.TypeVar) -> Any:
    """Return the hint that every value of a type variable fits: its bound, or any of its choices.

    A quoted bound that cannot be evaluated, such as the class that is being defined, is Any.
    """
    # `TypeVarTuple` of `typing_extensions` is one of these on older versions of Python.
    choices, bound = (getattr(variable, f"__{part}__", None) for part in ("constraints", "bound"))
    if choices:
        return Union[choices]  # noqa: UP007  there is no other way to write it
    if not isinstance(bound, typing.ForwardRef):
        return Any if bound is None else bound
    holder = types.SimpleNamespace(__annotations__={"bound": bound})
    module = sys.modules.get(variable.__module__)
    try:
        return typing.get_type_hints(holder, vars(module) if module else {}, {})["bound"]
    except (NameError, SyntaxError, TypeError, AttributeError):
        return Any


def _ask_beartype(annotation: Any) -> None:
    try:
        with warnings.catch_warnings():
            # That `typing.List` is deprecated is for linters to say; it works all the same.
            warnings.simplefilter("ignore", BeartypeWarning)
            is_bearable(None, annotation, conf=BEARTYPE)
    except BeartypeException as error:
        raise UncheckableHintError(_uncheckable(annotation)) from error


def _is_known(annotation: Any) -> bool:
    if annotation is Any or annotation is None or annotation is ...:
        return True
    if type(annotation) is type:
        return True
    if isinstance(annotation, list):  # the parameters of a `Callable`
        return all(map(_is_known, annotation))
    # Not the aliases of `typing`, over which beartype warns.
    if not isinstance(annotation, types.GenericAlias):
        return False
    return annotation.__origin__ in _GENERIC and all(map(_is_known, annotation.__args__))


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
    return _form(annotation) in _VALUELESS


def unpacked(annotation: Any) -> Any:
    """Tell what all of `*args` or `**kwargs` is, of `Unpack[Options]` or `*tuple[int, str]`.

    None for every other annotation, which is that of each argument.
    """
    if getattr(annotation, "__unpacked__", False):
        return typing.get_origin(annotation)[typing.get_args(annotation)]
    if typing.get_origin(annotation) is None or _form(annotation) != "Unpack":
        return None
    (whole,) = typing.get_args(annotation)
    return None if type(whole).__name__ == "TypeVarTuple" else whole


def _form(annotation: Any) -> str | None:
    """Name a special form, by name because `typing_extensions` has its own on older Pythons."""
    form = typing.get_origin(annotation) or annotation
    if getattr(form, "__module__", None) not in ("typing", "typing_extensions"):
        return None
    name: str | None = getattr(form, "_name", getattr(form, "__name__", None))
    return name


def _is_class_of_unknown(annotation: Any) -> bool:
    """Say whether this is `type[Self]`, or `type[T]` where nothing is known of `T`."""
    if typing.get_origin(annotation) is not type:
        return False
    (of,) = typing.get_args(annotation)
    return _is_valueless(of) or (isinstance(of, typing.TypeVar) and meaning_of(of) is Any)
