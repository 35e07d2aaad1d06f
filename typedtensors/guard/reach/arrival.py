# SPDX-License-Identifier: Apache-2.0
"""Modules that are not loaded yet: who waits for one is told when its import is over."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class _Wait(NamedTuple):
    """Who waits, in which thread; `waiting` shrinks as modules arrive."""

    thread: int
    waiting: set[str]
    tell: Callable[[str], None]


class _Finder:
    """Finds what the other finders find, and sees the module through its import.

    Invariant: it is on `sys.meta_path` while somebody waits, and at no other time.
    """

    def __init__(self) -> None:
        self._waits: list[_Wait] = []
        self._lock = threading.Lock()

    def add(self, wait: _Wait) -> None:
        with self._lock:
            if not self._waits:
                sys.meta_path.insert(0, self)
            self._waits.append(wait)

    def remove(self, wait: _Wait) -> None:
        with self._lock:
            # By identity: two that wait for the same are two.
            self._waits = [each for each in self._waits if each is not wait]
            if not self._waits:
                sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of an awaited module, told of when it is executed; None for any other one."""
        if not any(name in wait.waiting for wait in self._waits):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        # On the loader itself: programs ask a module's loader for its source and its files.
        loader: Any = spec.loader

        def execute(module: ModuleType) -> None:
            del loader.exec_module
            loader.exec_module(module)
            self._arrived(spec.name)

        if hasattr(loader, "exec_module"):
            loader.exec_module = execute

    def _arrived(self, name: str) -> None:
        # Outer ones first. What is entered for a thread is entered in that thread.
        here = threading.get_ident()
        for wait in [each for each in self._waits if each.thread == here]:
            if name in wait.waiting:
                wait.waiting.discard(name)
                wait.tell(name)


_FINDER: Final = _Finder()


@contextmanager
def awaiting(names: Collection[str], tell: Callable[[str], None]) -> Iterator[None]:
    """Call `tell` with the name of each of the modules that this thread imports meanwhile."""
    if not names:
        yield
        return
    wait = _Wait(threading.get_ident(), set(names), tell)
    _FINDER.add(wait)
    try:
        yield
    finally:
        _FINDER.remove(wait)
