# SPDX-License-Identifier: Apache-2.0
"""The mode through which every torch call of a guarded thread passes."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode

from typedtensors.guard.door import survive
from typedtensors.guard.names.naming import Naming
from typedtensors.guard.torch.examiner import examiners
from typedtensors.guard.torch.names import TENSORS, follow
from typedtensors.guard.torch.operands import has_plain_sizes
from typedtensors.guard.torch.stepping.compiled import leaving_while_compiled
from typedtensors.guard.torch.stepping.leaving import innermost, known
from typedtensors.guard.torch.stepping.optimizer import stepping_aside
from typedtensors.guard.torch.stepping.zeroing import leaving_while_zeroing
from typedtensors.shapes.arrays.intended import watching
from typedtensors.shapes.arrays.named import CALLS
from typedtensors.shapes.broadcast import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from typedtensors.guard.report import GuardEvent


# Asked at every call, where each look-up of a name counts.
_is_traced_by_dynamo = torch.compiler.is_dynamo_compiling
_is_compiling = torch.compiler.is_compiling
_is_tracing: Callable[[], bool] = torch.jit.is_tracing  # type: ignore[attr-defined]
_ASIDE, _INNER = "optimizer.step", "an inner guard"


def _top() -> TorchFunctionMode | None:
    """The innermost mode of this thread."""
    top: TorchFunctionMode | None = _get_current_function_mode()  # type: ignore[no-untyped-call]
    return top


class GuardMode(TorchFunctionMode):
    """Examines each call that can broadcast, and lets the call go on.

    Invariant: `idle` is whether there is any cause to pause. `left` is for what it is off torch's
    stack of modes, and `below` the mode under it meanwhile.
    """

    def __init__(
        self,
        level: Level,
        deliver: Callable[[GuardEvent], None],
        note: Callable[[str, Mapping[str, int]], None],
    ) -> None:
        super().__init__()
        self._naming = Naming(TENSORS, note)
        self.idle = False
        self._causes: set[str] = set()
        self._examiners = examiners(level)
        self._deliver = deliver
        self._left: str | None = None
        self._below: TorchFunctionMode | None = None

    def pause(self, cause: str) -> None:
        """Look at nothing until the cause is over."""
        self._causes.add(cause)
        self.idle = True

    def resume(self, cause: str) -> None:
        """The cause is over."""
        self._causes.discard(cause)
        self.idle = bool(self._causes)

    def leave(self, cause: str) -> bool:
        """Leave torch's stack of modes, where even passing calls on costs; whether it has left.

        Only from the top: what is above would be taken off instead.
        """
        if _top() is not self:
            return False
        super().__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._left, self._below = cause, _top()
        return True

    def step_aside(self, cause: str = _ASIDE) -> None:
        """Leave the stack, or else pause."""
        if not self.leave(cause):
            self.pause(cause)

    def step_back(self, cause: str = _ASIDE) -> None:
        """Return, if the stack is as it was left for this cause.

        It is not when a step that raised was survived inside of other modes; then the next step
        ends in a better place.
        """
        if self.idle:
            self.resume(cause)
        if self._left == cause and _top() is self._below:
            super().__enter__()  # type: ignore[no-untyped-call]
            self._left, self._below = None, None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave torch's stack of modes, unless aside."""
        if self._left is None:
            super().__exit__(kind, error, traceback)  # type: ignore[no-untyped-call]
        self._left, self._below = None, None

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,  # noqa: ANN401 - torch's own signature
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Pass the call on, after a look at its shapes."""
        # First of all: Dynamo traces this method, and must see nothing of what follows.
        if _is_traced_by_dynamo():
            return func(*args, **(kwargs or {}))
        examiner, checked = self._examiners.get(func), CALLS.innermost
        if (examiner is None and checked is None) or self._is_blind():
            return func(*args, **kwargs) if kwargs else func(*args)
        event, call = None, None
        try:
            call = None if checked is None else self._naming.current()
            if examiner is not None:
                look = None if call is None else call.look
                event = examiner.examine(args, kwargs or {}, look)
        except Exception as error:  # noqa: BLE001 - the one door for our own bugs
            self._survive(error, func, args, kwargs or {})
        if event is not None:
            self._deliver(event)
        result = func(*args, **kwargs) if kwargs else func(*args)
        if call is not None:
            try:
                follow(call, func, args, kwargs or {}, result)
            except Exception as error:  # noqa: BLE001 - as above
                self._survive(error, func, args, kwargs or {})
        return result

    def _is_blind(self) -> bool:
        """Whether there is cause not to look, or sizes may be no integers."""
        return self.idle or _is_tracing() or _is_compiling()

    def _survive(
        self,
        error: Exception,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:
        if has_plain_sizes((*args, *kwargs.values())):
            survive(error, f"looking at `{func.__name__}`")


@contextmanager
def guarding(
    level: Level,
    deliver: Callable[[GuardEvent], None],
    note: Callable[[str, Mapping[str, int]], None],
) -> Iterator[None]:
    """Guard this thread. The innermost guard decides alone: outer ones step aside.

    Arguments: the level, what is told of each event, and what is told of each call of a checked
    function: its name, and the sizes of its dims. A guard that allows everything costs nothing:
    torch gets no mode.
    """
    mode = GuardMode(level, deliver, note)
    outer = innermost()
    if outer is not None:
        outer.step_aside(_INNER)
    try:
        with known(mode), ExitStack() as stack:
            if level is not Level.ALLOW:
                stack.enter_context(watching())
                stack.enter_context(stepping_aside(mode))
                stack.enter_context(leaving_while_zeroing())
                stack.enter_context(leaving_while_compiled())
                stack.enter_context(mode)
            yield
    finally:
        if outer is not None:
            outer.step_back(_INNER)
