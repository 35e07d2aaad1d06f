# SPDX-License-Identifier: Apache-2.0
"""`jaxtyped` with jaxtyping's arguments, so that an import is all that has to change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal, TypeVar, overload

import jaxtyping

from typedtensors.runtime.decorator import decorate_quietly
from typedtensors.runtime.switch import is_off

_T = TypeVar("_T")
_MISSING: Any = object()


@overload
def jaxtyped(target: Literal["context"], /) -> AbstractContextManager[None]: ...
@overload
def jaxtyped(*, typechecker: Any = ...) -> Callable[[_T], _T]: ...
@overload
def jaxtyped(target: _T, /, *, typechecker: Any = ...) -> _T: ...
def jaxtyped(target: Any = _MISSING, /, *, typechecker: Any = _MISSING) -> Any:
    """Check a function or a class as `typechecked` does, with the arguments of jaxtyping's.

    Args:
        target: a function, a method or a class; or `"context"`, for a `with` block in which
            `isinstance` checks share names.
        typechecker: any but None means ours, which is beartype for what is not an array. None
            means that arguments are not checked, and that the body may use `isinstance`.

    Returns:
        The checked function or class; a decorator without a target; or a context manager.

    >>> import numpy as np
    >>> from beartype import beartype
    >>> from typedtensors import Float, jaxtyped
    >>> @jaxtyped(typechecker=beartype)
    ... def double(x: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n"]:
    ...     return 2 * x
    >>> double(np.ones(2)).tolist()
    [2.0, 2.0]
    """
    options = {} if typechecker is _MISSING else {"typechecker": typechecker}
    if target == "context" or typechecker is _MISSING or typechecker is None:
        given = () if target is _MISSING else (target,)
        return jaxtyping.jaxtyped(*given, **options)
    if target is _MISSING:
        return lambda each: _check(each, sys._getframe(1))  # noqa: SLF001  see `typechecked`
    return _check(target, sys._getframe(1))  # noqa: SLF001


def _check(target: Any, frame: Any) -> Any:
    return target if is_off() else decorate_quietly(target, frame)
