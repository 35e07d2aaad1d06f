# SPDX-License-Identifier: Apache-2.0
"""The four kinds of function, and which part of the return annotation describes what."""

from __future__ import annotations

import enum
import inspect
import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind(enum.Enum):
    """How a function hands out its results."""

    PLAIN = "plain"
    COROUTINE = "coroutine"
    GENERATOR = "generator"
    ASYNC_GENERATOR = "async generator"
    REPLACED = "replaced"
    """A decorator turned one kind into another, as `contextmanager` does: the annotation
    describes what the inner function returns, not what the caller gets."""

    def results(self, annotation: Any) -> tuple[Any, Any]:
        """Return the annotations of the returned and of each yielded value; None: unchecked."""
        if self is Kind.PLAIN or self is Kind.COROUTINE:
            return (type(None) if annotation is None else annotation), None
        if self is Kind.REPLACED:
            return None, None
        args = typing.get_args(annotation)
        yielded = args[0] if args else None
        returned = args[2] if self is Kind.GENERATOR and len(args) > 2 else None
        return returned, yielded


def kind_of(function: Callable[..., Any]) -> Kind:
    """Say which kind `function` is."""
    own, inner = _own_kind(function), _own_kind(inspect.unwrap(function))
    return own if own is inner else Kind.REPLACED


def _own_kind(function: Callable[..., Any]) -> Kind:
    if inspect.iscoroutinefunction(function):
        return Kind.COROUTINE
    if inspect.isasyncgenfunction(function):
        return Kind.ASYNC_GENERATOR
    if inspect.isgeneratorfunction(function):
        return Kind.GENERATOR
    return Kind.PLAIN


def is_awaitable_generator(function: Callable[..., Any]) -> bool:
    """Say whether `types.coroutine` has made a generator one that can be awaited."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_ITERABLE_COROUTINE)
