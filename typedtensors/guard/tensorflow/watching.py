# SPDX-License-Identifier: Apache-2.0
"""The callback through which TensorFlow tells of each operation of a guarded thread.

`tf.debugging.enable_check_numerics` is built on the same callbacks.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from typedtensors.guard.tensorflow.watcher import Watcher
from typedtensors.shapes.arrays.intended import watching
from typedtensors.shapes.broadcast import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typedtensors.guard.report import GuardEvent

# Neither has a public name, and the stubs do not know them.
context: Any = import_module("tensorflow.python.eager.context")
execute: Any = import_module("tensorflow.python.eager.execute")


class _Callbacks:
    """TensorFlow's list of callbacks, which each thread has for itself.

    Invariant: while some thread has one of ours, TensorFlow runs all operations where it looks at
    its callbacks. The function that does is one for all threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def add(self, watcher: Watcher) -> None:
        context.context().add_op_callback(watcher)
        with self._lock:
            self._users += 1
            execute.execute = execute.execute_with_callbacks

    def remove(self, watcher: Watcher) -> None:
        context.context().remove_op_callback(watcher)
        with self._lock:
            self._users -= 1
            if not self._users and not context.context().op_callbacks:
                execute.execute = execute.quick_execute


_CALLBACKS: Final = _Callbacks()


class _Active(threading.local):
    """The guards that the thread is in, innermost last, and the one that TensorFlow calls."""

    def __init__(self) -> None:
        self.watchers: list[Watcher | None] = []
        self.called: Watcher | None = None

    def call_innermost(self) -> None:
        """Have TensorFlow call the innermost guard: tasks leave theirs in any order."""
        innermost = self.watchers[-1] if self.watchers else None
        if innermost is self.called:
            return
        if innermost is not None:
            _CALLBACKS.add(innermost)
        if self.called is not None:
            _CALLBACKS.remove(self.called)
        self.called = innermost


_active = _Active()


@contextmanager
def guarding(
    level: Level,
    deliver: Callable[[GuardEvent], None],
    note: Callable[[str, Mapping[str, int]], None],
) -> Iterator[None]:
    """Guard this thread. The innermost guard decides alone: outer ones are taken off meanwhile.

    A guard that allows everything costs nothing: TensorFlow gets no callback.
    """
    inner = None if level is Level.ALLOW else Watcher(level, deliver, note)
    _active.watchers.append(inner)
    _active.call_innermost()
    try:
        with watching():
            yield
    finally:
        _active.watchers.remove(inner)
        _active.call_innermost()


def look_at(graph: Any) -> None:  # noqa: ANN401 - of TensorFlow
    """Have the innermost guard of this thread look at a graph."""
    watcher = _active.watchers[-1]
    if watcher is not None:
        watcher.look_at(graph)
