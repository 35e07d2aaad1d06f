# SPDX-License-Identifier: Apache-2.0
"""The checked function: one wrapper per kind of function, each of the kind it wraps.

Each wrapper asks for the compiler first: what is being traced is called as it is.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.calls.checker import Checker
from typedtensors.runtime.calls.drive import Driven, drive
from typedtensors.runtime.calls.kind import Kind, kind_of
from typedtensors.shapes.tracing import is_compiling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Mapping


def wrap(function: Callable[..., Any], names: Mapping[str, Any]) -> Callable[..., Any]:
    """Return `function` with its checks around it.

    Args:
        function: what to check.
        names: local names that its quoted annotations may use.

    Raises:
        ValueError: jaxtyping rejects a spec.
    """
    kind = kind_of(function)
    checker = Checker(function, kind, names)
    return functools.wraps(function)(_WRAPPERS.get(kind, _wrap_plain)(function, checker))


def _wrap_plain(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if is_compiling():
            return function(*args, **kwargs)
        call = checker.bind(args, kwargs)
        with call.scope:
            if (error := call.argument_error()) is not None:
                raise error
            result = function(*args, **kwargs)
            if (error := call.returned_error(result)) is not None:
                raise error
        return result

    return wrapper


def _wrap_generator(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        __tracebackhide__ = True
        if is_compiling():
            return (yield from function(*args, **kwargs))
        call = checker.bind(args, kwargs)
        with call.scope:
            if (error := call.argument_error()) is not None:
                raise error
        result = yield from drive(function(*args, **kwargs), call.scope, call.yielded_error)
        with call.scope:
            if (error := call.returned_error(result)) is not None:
                raise error
        return result

    return wrapper


def _wrap_coroutine(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = checker.bind(args, kwargs)
        with call.scope:
            if (error := call.argument_error()) is not None:
                raise error
        result = await Driven(function(*args, **kwargs), call.scope)
        with call.scope:
            if (error := call.returned_error(result)) is not None:
                raise error
        return result

    return wrapper


def _wrap_async_generator(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        __tracebackhide__ = True
        call = checker.bind(args, kwargs)
        with call.scope:
            if (error := call.argument_error()) is not None:
                raise error
        inner = function(*args, **kwargs)
        step = inner.asend(None)
        try:
            while True:
                try:
                    item = await Driven(step, call.scope)
                except StopAsyncIteration:
                    return
                with call.scope:
                    if (error := call.yielded_error(item)) is not None:
                        raise error
                try:
                    step = inner.asend((yield item))
                except GeneratorExit:
                    raise
                except BaseException as thrown:  # noqa: BLE001  it is the generator's to handle
                    step = inner.athrow(thrown)
        finally:
            await Driven(inner.aclose(), call.scope)

    return wrapper


_WRAPPERS = {
    Kind.COROUTINE: _wrap_coroutine,
    Kind.GENERATOR: _wrap_generator,
    Kind.ASYNC_GENERATOR: _wrap_async_generator,
}
