# SPDX-License-Identifier: Apache-2.0
"""The modes of a thread, for what is replaced in torch and must find the one they concern."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Leaving(Protocol):
    """A mode that can leave torch's stack of modes for a while."""

    def leave(self, cause: str) -> bool:
        """Leave, if nothing is above; whether it has left."""

    def step_aside(self, cause: str) -> None:
        """Leave, or else look at nothing."""

    def step_back(self, cause: str) -> None:
        """Return, if it has left or looks at nothing for this cause."""


class _Thread(threading.local):
    """The modes of a thread, innermost last."""

    def __init__(self) -> None:
        self.modes: list[Leaving] = []


_thread = _Thread()


def innermost() -> Leaving | None:
    """The innermost mode of this thread."""
    modes = _thread.modes
    return modes[-1] if modes else None


@contextmanager
def known(mode: Leaving) -> Iterator[None]:
    """Let the mode be found as the innermost one of this thread."""
    _thread.modes.append(mode)
    try:
        yield
    finally:
        _thread.modes.remove(mode)
