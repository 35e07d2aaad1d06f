# SPDX-License-Identifier: Apache-2.0
"""One call of a checked function that has no twin: what its wrapper asks, and in which scope."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from inspect import Parameter
from typing import Any, NamedTuple

from typedtensors.runtime.calls.checker import Checker, Generated
from typedtensors.runtime.calls.full import FullCheck
from typedtensors.runtime.codegen.support import ABSENT
from typedtensors.runtime.errors import TensorCheckError
from typedtensors.runtime.hints.nodes import Leaf
from typedtensors.runtime.scope import Deferred, Pending, Scope

Checks = tuple[Callable[..., Any], ...]
"""Of the arguments, of what is returned, of what is yielded: see `write_checks`."""

_EMPTY: dict[Any, Any] = {Parameter.VAR_POSITIONAL: (), Parameter.VAR_KEYWORD: {}}


class Calls:
    """Begins each call of a function; its checks are generated as soon as it has a plan."""

    def __init__(self, checker: Checker) -> None:
        """Generate now what can be generated now."""
        self.checker = checker
        self._wrapper: weakref.ref[Callable[..., Any]] | None = None
        self._generated: Generated | None = None
        self._is_built = False
        if checker.is_planned:
            self._build()

    def publish_on(self, wrapper: Callable[..., Any]) -> None:
        """Show the generated text, once there is one, as an attribute of `wrapper`."""
        self._wrapper = weakref.ref(wrapper)
        self._show()

    @property
    def checks(self) -> Checks | None:
        """The generated checks, if there are any for such a signature."""
        if not self._is_built:
            self._build()
        return None if self._generated is None else self._generated.defined

    def _build(self) -> None:
        self._generated, self._is_built = self.checker.build_checks(), True
        self._show()

    def _show(self) -> None:
        wrapper = None if self._wrapper is None else self._wrapper()
        if wrapper is not None and self._generated is not None:
            publish(wrapper, self._generated.text)

    def begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Check the arguments of a call.

        A function that does not accept the arguments says so itself when it is called: its
        own error names it, and a decorator in between may have changed its signature.
        """
        if self.checker.passed:
            return self._pass_over(args, kwargs)
        checks = self.checks
        if checks is None:
            return self._judge(args, kwargs)
        try:
            memo = checks[0](*args, **kwargs)
        except Exception:  # noqa: BLE001  it is not sure
            return self._judge(args, kwargs)
        return Call(Scope(memo), None, self, args, kwargs)

    def _judge(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        values = self.values(args, kwargs)
        if values is None:
            return UNCHECKED
        memo, error = self.checker.judge_arguments(values)
        return UNCHECKED if memo is None else Call(Scope(memo), error, self, args, kwargs)

    def _pass_over(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        values = self.values(args, kwargs)
        if values is None:
            return UNCHECKED
        return Call(Scope(Deferred((self.checker.judge_arguments, values))))

    def values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """Return one value per parameter, None if the signature does not accept them."""
        signature = self.checker.plan.signature
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return None
        return tuple(
            bound.arguments.get(each.name, _EMPTY.get(each.kind, ABSENT))
            for each in signature.parameters.values()
        )

    def __getstate__(self) -> Checker:
        """Pickle without generated code."""
        return self.checker

    def __setstate__(self, checker: Checker) -> None:
        """Generate again where it is loaded, at the first call."""
        self.checker = checker
        self._wrapper = self._generated = None
        self._is_built = False


class Call(NamedTuple):
    """A call whose arguments have been checked.

    Args:
        scope: its bindings; what the function runs in.
        error: what is wrong with its arguments.
        origin: the function; None if nothing is to be checked.
        args: as they were passed.
        kwargs: as they were passed.
    """

    scope: AbstractContextManager[None]
    error: TensorCheckError | None = None
    origin: Calls | None = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] | None = None

    def returned_error(self, value: Any) -> TensorCheckError | None:
        """Check what the function returned, and so end the call."""
        error = self._error(1, value)
        if error is None and self.origin is not None and self.origin.checker.passed is not None:
            self.origin.checker.passed.append(True)
        return error

    def yielded_error(self, value: Any) -> TensorCheckError | None:
        """Check one yielded value; a dim that it is the first to name is its own."""
        return self._error(2, value)

    @property
    def name(self) -> str:
        """The function's."""
        return "" if self.origin is None else self.origin.checker.name

    def arrays(self, result: Any) -> list[tuple[str, Leaf]]:
        """Return each array of the arguments and of what was returned."""
        if self.origin is None:
            return []
        return list(self._full(self.origin).arrays(result))

    def _full(self, origin: Calls) -> FullCheck:
        return origin.checker.full(origin.values(self.args, self.kwargs or {}) or ())

    def _error(self, which: int, value: Any) -> TensorCheckError | None:
        if self.origin is None or not isinstance(self.scope, Scope):
            return None
        checks, memo = self.origin.checks, self.scope.memo
        # Else somebody has bound more dims, or the arguments were judged in full.
        if checks is None or type(memo) is not Pending:
            return self._judge(self.origin, which, value)
        try:
            checks[which](memo, value)
        except Exception:  # noqa: BLE001  it is not sure
            return self._judge(self.origin, which, value)
        return None

    def _judge(self, origin: Calls, which: int, value: Any) -> TensorCheckError | None:
        if origin.checker.is_off:
            return None
        full = self._full(origin)
        with self.scope:
            return full.returned_error(value) if which == 1 else full.yielded_error(value)


def publish(wrapper: Callable[..., Any], text: str) -> None:
    """Make the generated text an attribute of a checked function."""
    wrapper.__typedtensors_source__ = text  # type: ignore[attr-defined]


UNCHECKED = Call(contextlib.nullcontext())
