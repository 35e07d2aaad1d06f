# SPDX-License-Identifier: Apache-2.0
"""Stepping aside inside `optimizer.step`, where most calls happen and nobody's model does."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch.optim import Optimizer

_CAUSE = "optimizer.step"


class Pausable(Protocol):
    """A mode that can look away."""

    def pause(self, cause: str) -> None:
        """Look at nothing until the cause is over."""

    def resume(self, cause: str) -> None:
        """The cause is over."""


@contextmanager
def stepping_aside(mode: Pausable) -> Iterator[None]:
    """Pause the mode during each `optimizer.step` of this thread, but not during its closure.

    A step that raises ends the pause only at the end of the next one: torch tells nobody.
    """
    thread = threading.get_ident()

    def before(_: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:  # noqa: ANN401
        if threading.get_ident() != thread:
            return None
        mode.pause(_CAUSE)
        # The optimizer comes first; LBFGS and trainers pass the whole forward pass as a closure.
        awake = tuple(_awake(mode, each) for each in args[1:])
        named = {name: _awake(mode, each) for name, each in kwargs.items()}
        return (*args[:1], *awake), named

    def after(*_: object) -> None:
        if threading.get_ident() == thread:
            mode.resume(_CAUSE)

    handles = [register_optimizer_step_pre_hook(before), register_optimizer_step_post_hook(after)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _awake(mode: Pausable, argument: Any) -> Any:  # noqa: ANN401 - whatever the step is given
    """The closure, during which the mode looks again; other arguments as they are."""
    if not callable(argument):
        return argument
    closure: Callable[..., Any] = argument

    @wraps(closure)
    def run(*args: object, **kwargs: object) -> Any:  # noqa: ANN401
        mode.resume(_CAUSE)
        try:
            return closure(*args, **kwargs)
        finally:
            mode.pause(_CAUSE)

    return run
