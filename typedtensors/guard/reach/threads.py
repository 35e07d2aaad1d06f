# SPDX-License-Identifier: Apache-2.0
"""Guards for the threads that a guarded thread starts."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from typedtensors.guard.reach.replacement import Replacement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    Watch: TypeAlias = Callable[[], AbstractContextManager[object]]


class _Thread(threading.local):
    """What the threads that this one starts are to run in, innermost last."""

    def __init__(self) -> None:
        self.watches: list[Watch] = []


_thread = _Thread()


@contextmanager
def passing_on(watch: Watch) -> Iterator[None]:
    """Run each thread that this one starts inside of `watch()`, and those that they start."""
    _thread.watches.append(watch)
    try:
        with _START.active():
            yield
    finally:
        _thread.watches.remove(watch)


def _watched(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def start(thread: threading.Thread) -> Any:  # noqa: ANN401 - as the original
        if _thread.watches:
            watch, run = _thread.watches[-1], thread.run

            def guarded() -> None:
                # Else the thread would hold itself.
                del thread.run
                with watch(), passing_on(watch):
                    run()

            thread.run = guarded  # type: ignore[method-assign]
        return original(thread)

    return start


_START: Final = Replacement(threading.Thread, "start", _watched)
