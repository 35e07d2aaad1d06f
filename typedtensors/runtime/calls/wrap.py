# SPDX-License-Identifier: Apache-2.0
"""The checked function: one wrapper per kind of function, each of the kind it wraps.

Each wrapper asks for the compiler first: what is being traced is called as it is.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.calls.call import Call, Calls, publish
from typedtensors.runtime.calls.checker import Checker
from typedtensors.runtime.calls.drive import Driven, drive
from typedtensors.runtime.calls.graphs import may_be_traced, wrap_traced
from typedtensors.runtime.calls.kind import Kind, is_awaitable_generator, kind_of
from typedtensors.runtime.calls.links import ClassDims
from typedtensors.runtime.options import Options
from typedtensors.shapes.arrays.tracing import is_compiling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Mapping

    Begin = Callable[[tuple[Any, ...], dict[str, Any]], Call]


def wrap(
    function: Callable[..., Any],
    names: Mapping[str, Any],
    options: Options,
    dims: ClassDims | None = None,
) -> Callable[..., Any]:
    """Return `function` with its checks around it.

    Args:
        function: what to check.
        names: local names that its quoted annotations may use.
        options: how it is checked.
        dims: those of the class that it is a method of.

    Raises:
        ValueError: jaxtyping rejects a spec.
    """
    kind = kind_of(function)
    checker = Checker(function, kind, names, only_arrays=options.only_arrays, dims=dims or {})
    is_traced = may_be_traced(checker)
    has_twin = _may_have_twin(function, checker) and not is_traced
    twin = checker.build_twin() if has_twin else None
    if twin is not None:
        wrapper = functools.wraps(function)(twin.defined)
        checker.stand_behind(wrapper)
        publish(wrapper, twin.text)
        return wrapper
    calls = Calls(checker)
    made: Callable[..., Any]
    if is_traced and kind not in _WRAPPERS:
        made = wrap_traced(function, calls.begin, deferred=options.deferred)
    else:
        made = _WRAPPERS.get(kind, _wrap_plain)(function, _beginner(calls))
    wrapper = functools.wraps(function)(made)
    _stand_alone(wrapper)
    if is_awaitable_generator(function):
        wrapper = types.coroutine(wrapper)
    _keep_methods(function, wrapper)
    checker.stand_behind(wrapper)
    calls.publish_on(wrapper)
    return wrapper


def _beginner(calls: Calls) -> Begin:
    """Return `calls.begin` as a function: Dynamo looks at all that a wrapper's closure holds."""

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        __tracebackhide__ = True
        return calls.begin(args, kwargs)

    return begin


def _stand_alone(wrapper: Any) -> None:
    """Take off what TensorFlow's decorators leave on a function, to be led to what is in it."""
    vars(wrapper).pop("_tf_decorator", None)


def _keep_methods(function: Any, wrapper: Any) -> None:
    """Offer what a decorator's object can do besides being called: `cache_clear` and the like."""
    if not inspect.isfunction(function):
        for name in dir(type(function)):
            if not name.startswith("_") and callable(getattr(type(function), name)):
                setattr(wrapper, name, getattr(function, name))


def _may_have_twin(function: Callable[..., Any], checker: Checker) -> bool:
    """Say whether a function of the same parameters can stand in for this one.

    Not where a decorator in between may have changed what is accepted.
    """
    own = inspect.isfunction(function) and inspect.unwrap(function) is function
    plain = checker.kind is Kind.PLAIN and not hasattr(function, "__signature__")
    return own and plain and checker.is_planned


def _wrap_plain(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if is_compiling():
            return function(*args, **kwargs)
        call = begin(args, kwargs)
        if call.error is not None:
            raise call.error
        with call.scope:
            result = function(*args, **kwargs)
        if (error := call.returned_error(result)) is not None:
            raise error
        return result

    return wrapper


def _wrap_generator(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        __tracebackhide__ = True
        if is_compiling():
            return (yield from function(*args, **kwargs))
        call = begin(args, kwargs)
        if call.error is not None:
            raise call.error
        result = yield from drive(function(*args, **kwargs), call.scope, call.yielded_error)
        if (error := call.returned_error(result)) is not None:
            raise error
        return result

    return wrapper


def _wrap_coroutine(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = begin(args, kwargs)
        if call.error is not None:
            raise call.error
        result = await Driven(function(*args, **kwargs), call.scope)
        if (error := call.returned_error(result)) is not None:
            raise error
        return result

    return wrapper


def _wrap_async_generator(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        __tracebackhide__ = True
        call = begin(args, kwargs)
        if call.error is not None:
            raise call.error
        inner = function(*args, **kwargs)
        step = inner.asend(None)
        try:
            while True:
                try:
                    item = await Driven(step, call.scope)
                except StopAsyncIteration:
                    call.returned_error(None)
                    return
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
