# SPDX-License-Identifier: Apache-2.0
"""The wrapper of a function that `tf.function` may trace.

AutoGraph rewrites the wrapper, and so comes to the function, which it rewrites as it would without
us. What it finds in between it is told to leave alone. The checks run when a graph is made: what
runs at each step holds nothing of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.symbolic.assertions import assert_sizes
from typedtensors.shapes.arrays.sizes import is_tensorflow
from typedtensors.shapes.arrays.tracing import unconverted

if TYPE_CHECKING:
    from typedtensors.runtime.calls.call import Call
    from typedtensors.runtime.calls.checker import Checker

    Begin = Callable[[tuple[Any, ...], dict[str, Any]], Call]


def may_be_traced(checker: Checker) -> bool:
    """Say whether the arrays of a function may be TensorFlow's: those are then loaded."""
    if "tensorflow" not in sys.modules:
        return False
    return not checker.is_planned or any(map(_is_traced, checker.plan.kinds))


def _is_traced(kind: Any) -> bool:
    return kind is Any or (isinstance(kind, type) and is_tensorflow(kind))


def wrap_traced(
    function: Callable[..., Any], begin: Begin, *, deferred: bool
) -> Callable[..., Any]:
    """Put checks around a plain function; AutoGraph follows both.

    Args:
        function: what to check.
        begin: checks the arguments of a call.
        deferred: whether a graph asserts what is not known when it is made.
    """

    @unconverted
    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        __tracebackhide__ = True
        call = begin(args, kwargs)
        if call.error is not None:
            raise call.error
        return call

    @unconverted
    def leave(call: Call, result: Any) -> Any:
        __tracebackhide__ = True
        if (error := call.returned_error(result)) is not None:
            raise error
        if deferred:
            with call.scope:
                assert_sizes(call.name, call.arrays(result))
        return result

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = enter(args, kwargs)
        with call.scope:
            result = function(*args, **kwargs)
        return leave(call, result)

    return wrapper
