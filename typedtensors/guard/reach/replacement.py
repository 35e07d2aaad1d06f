# SPDX-License-Identifier: Apache-2.0
"""Somebody else's function that is another one as long as some guard asks for it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


class Replacement:
    """The function `name` of `owner`, a class or a module, and what `wrap` makes of it.

    Invariant: the owner's own function is back when nobody is left, whatever the order in which
    they and their threads leave.
    """

    def __init__(
        self,
        owner: type | ModuleType,
        name: str,
        wrap: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        self._owner, self._name, self._wrap = owner, name, wrap
        self._lock = threading.Lock()
        self._users = 0
        self._original: Callable[..., Any] | None = None
        self._replaced: Callable[..., Any] | None = None

    @contextmanager
    def active(self) -> Iterator[None]:
        """Have the function replaced."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                original = getattr(self._owner, self._name)
                if original is not self._original:
                    # Made once: a guard may be entered at each step.
                    self._original, self._replaced = original, self._wrap(original)
                setattr(self._owner, self._name, self._replaced)

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            # What somebody else has put there since then stays, around one that passes calls on.
            if self._users == 0 and getattr(self._owner, self._name) is self._replaced:
                setattr(self._owner, self._name, self._original)
