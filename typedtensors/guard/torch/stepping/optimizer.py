# SPDX-License-Identifier: Apache-2.0
"""Stepping aside inside `optimizer.step`, where most calls happen and nobody's model does."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch.optim import Optimizer


# Asked at each step of a training, where each look-up counts.
_is_compiling = torch.compiler.is_compiling
_ident = threading.get_ident


class Sidestepping(Protocol):
    """A mode that can leave and come back."""

    def step_aside(self) -> None:
        """See nothing from here on."""

    def step_back(self) -> None:
        """See everything again."""


@contextmanager
def stepping_aside(mode: Sidestepping) -> Iterator[None]:
    """Keep the mode out of each `optimizer.step` of this thread, but not of its closure.

    After a step that raised, the mode is back only at the end of the next one: torch tells nobody.
    """
    thread = _ident()

    def before(_: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:  # noqa: ANN401
        if _is_compiling() or _ident() != thread:
            return None
        mode.step_aside()
        if len(args) == 1 and not kwargs:
            return None
        # The optimizer comes first; LBFGS and trainers pass the whole forward pass as a closure.
        awake = tuple(_awake(mode, each) for each in args[1:])
        named = {name: _awake(mode, each) for name, each in kwargs.items()}
        return (*args[:1], *awake), named

    def after(*_: object) -> None:
        if not _is_compiling() and _ident() == thread:
            mode.step_back()

    handles = [register_optimizer_step_pre_hook(before), register_optimizer_step_post_hook(after)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _awake(mode: Sidestepping, argument: Any) -> Any:  # noqa: ANN401 - whatever the step is given
    """The closure, during which the mode looks again; other arguments as they are."""
    if not callable(argument):
        return argument
    closure: Callable[..., Any] = argument

    @wraps(closure)
    def run(*args: object, **kwargs: object) -> Any:  # noqa: ANN401
        mode.step_back()
        try:
            return closure(*args, **kwargs)
        finally:
            mode.step_aside()

    return run
