# SPDX-License-Identifier: Apache-2.0
"""The checked function: one wrapper per kind of function, each of the kind it wraps.

Each wrapper asks for the compiler first: what is being traced is called as it is.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.checker import Checker
from typedtensors.runtime.drive import Driven, drive
from typedtensors.runtime.kind import Kind, kind_of
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
            call.check_arguments()
            result = function(*args, **kwargs)
            call.check_returned(result)
        return result

    return wrapper


def _wrap_generator(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        __tracebackhide__ = True
        if is_compiling():
            return (yield from function(*args, **kwargs))
        call = checker.bind(args, kwargs)
        with call.scope:
            call.check_arguments()
        result = yield from drive(function(*args, **kwargs), call.scope, call.check_yielded)
        with call.scope:
            call.check_returned(result)
        return result

    return wrapper


def _wrap_coroutine(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = checker.bind(args, kwargs)
        with call.scope:
            call.check_arguments()
        result = await Driven(function(*args, **kwargs), call.scope)
        with call.scope:
            call.check_returned(result)
        return result

    return wrapper


def _wrap_async_generator(function: Callable[..., Any], checker: Checker) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        __tracebackhide__ = True
        call = checker.bind(args, kwargs)
        with call.scope:
            call.check_arguments()
        inner = function(*args, **kwargs)
        step = inner.asend(None)
        try:
            while True:
                try:
                    item = await Driven(step, call.scope)
                except StopAsyncIteration:
                    return
                with call.scope:
                    call.check_yielded(item)
                try:
                    step = inner.asend((yield item))
                except GeneratorExit:
                    raise
                except BaseException as error:  # noqa: BLE001  it is the generator's to handle
                    step = inner.athrow(error)
        finally:
            await Driven(inner.aclose(), call.scope)

    return wrapper


_WRAPPERS = {
    Kind.COROUTINE: _wrap_coroutine,
    Kind.GENERATOR: _wrap_generator,
    Kind.ASYNC_GENERATOR: _wrap_async_generator,
}
