# SPDX-License-Identifier: Apache-2.0
"""Run generators and coroutines so that their scope is active exactly while they run.

A suspended function must not leave its bindings to whatever runs next, and must find them
again when it continues, possibly in another thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager


class Resumable(Protocol):
    """A generator, a coroutine, or one step of an asynchronous generator."""

    def send(self, value: Any, /) -> Any:
        """Continue."""

    def throw(self, error: BaseException, /) -> Any:
        """Continue with an exception."""

    def close(self) -> None:
        """End early."""


def drive(
    inner: Resumable,
    scope: AbstractContextManager[None],
    error_of: Callable[[Any], Exception | None] | None = None,
) -> Generator[Any, Any, Any]:
    """Delegate to `inner` as `yield from` does, entering `scope` for each step.

    Args:
        inner: what to run.
        scope: its bindings.
        error_of: what is wrong with a yielded value.

    Returns:
        What `inner` returns.
    """
    step: Callable[[Any], Any] = inner.send
    given: Any = None
    while True:
        with scope:
            try:
                item = step(given)
            except StopIteration as stop:
                return stop.value
        if error_of is not None and (wrong := error_of(item)) is not None:
            raise wrong
        try:
            given = yield item
        except GeneratorExit:
            with scope:
                inner.close()
            raise
        except BaseException as error:  # noqa: BLE001  it is the generator's to handle
            step, given = inner.throw, error
        else:
            step = inner.send


class Driven:
    """An awaitable that runs a coroutine, or one step of an async generator, in a scope."""

    __slots__ = ("_inner", "_scope")

    def __init__(self, inner: Resumable, scope: AbstractContextManager[None]) -> None:
        """Take over the coroutine."""
        self._inner = inner
        self._scope = scope

    def __await__(self) -> Generator[Any, Any, Any]:
        """Run it."""
        return drive(self._inner, self._scope)
