# SPDX-License-Identifier: Apache-2.0
"""The mode through which every torch call of a guarded thread passes."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from typedtensors.guard.door import survive
from typedtensors.guard.torch.examiner import Examiner
from typedtensors.guard.torch.optimizer import stepping_aside
from typedtensors.guard.torch.table import roles
from typedtensors.shapes.intended import watching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typedtensors.guard.report import GuardEvent
    from typedtensors.shapes.broadcast import Level


class GuardMode(TorchFunctionMode):
    """Examines each call that can broadcast, and lets the call go on.

    Invariant: `idle` is whether there is any cause to pause.
    """

    def __init__(self, level: Level, deliver: Callable[[GuardEvent], None]) -> None:
        super().__init__()
        self.idle = False
        self._causes: set[str] = set()
        self._roles = roles()
        self._examiner = Examiner(level)
        self._deliver = deliver

    def pause(self, cause: str) -> None:
        """Look at nothing until the cause is over."""
        self._causes.add(cause)
        self.idle = True

    def resume(self, cause: str) -> None:
        """The cause is over."""
        self._causes.discard(cause)
        self.idle = bool(self._causes)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,  # noqa: ANN401 - torch's own signature
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Pass the call on, after a look at its shapes."""
        # First of all: Dynamo traces this method, and must see nothing of what follows.
        if torch.compiler.is_compiling():
            return func(*args, **(kwargs or {}))
        role = self._roles.get(func)
        if role is not None and not self.idle:
            event = None
            try:
                event = self._examiner.examine(role, args, kwargs or {})
            except Exception as error:  # noqa: BLE001 - the one door for our own bugs
                survive(error, f"looking at `{role.name}`")
            if event is not None:
                self._deliver(event)
        return func(*args, **kwargs) if kwargs else func(*args)


class _Active(threading.local):
    """The guards that the thread is in, innermost last."""

    def __init__(self) -> None:
        self.modes: list[GuardMode] = []


_active = _Active()


@contextmanager
def guarding(level: Level, deliver: Callable[[GuardEvent], None]) -> Iterator[None]:
    """Guard this thread. The innermost guard decides alone: outer ones pause."""
    mode = GuardMode(level, deliver)
    outer = _active.modes[-1] if _active.modes else None
    if outer is not None:
        outer.pause("an inner guard")
    _active.modes.append(mode)
    try:
        with ExitStack() as stack:
            stack.enter_context(watching())
            stack.enter_context(stepping_aside(mode))
            stack.enter_context(mode)
            yield
    finally:
        _active.modes.remove(mode)
        if outer is not None:
            outer.resume("an inner guard")
