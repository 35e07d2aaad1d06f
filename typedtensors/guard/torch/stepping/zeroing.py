# SPDX-License-Identifier: Apache-2.0
"""Stepping aside inside `zero_grad`, which asks each parameter for its gradient and no more.

torch has no hook there, so both of its methods are replaced, as long as some guard is active.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Protocol

import torch

from typedtensors.guard.replacement import Replacement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Leaving(Protocol):
    """A mode that can leave torch's stack of modes for a while."""

    def leave(self) -> bool:
        """Leave, if nothing is above; whether it has left."""

    def step_back(self) -> None:
        """Return."""


class _Thread(threading.local):
    """The modes of a thread, innermost last."""

    def __init__(self) -> None:
        self.modes: list[Leaving] = []


_thread = _Thread()


@contextmanager
def leaving_while_zeroing(mode: Leaving) -> Iterator[None]:
    """Keep the mode out of each `zero_grad` of this thread."""
    _thread.modes.append(mode)
    try:
        with _OPTIMIZER.active(), _MODULE.active():
            yield
    finally:
        _thread.modes.remove(mode)


def _quick(original: Callable[..., Any]) -> Callable[..., Any]:
    # Not with the attributes by which Dynamo knows what it must not trace: this it may.
    @wraps(original, updated=())
    def zero_grad(*args: object, **kwargs: object) -> Any:  # noqa: ANN401 - as the original
        if torch.compiler.is_compiling():
            return original(*args, **kwargs)
        mode = _thread.modes[-1] if _thread.modes else None
        if mode is None or not mode.leave():
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        finally:
            mode.step_back()

    return zero_grad


_OPTIMIZER: Final = Replacement(torch.optim.Optimizer, "zero_grad", _quick)
_MODULE: Final = Replacement(torch.nn.Module, "zero_grad", _quick)
