# SPDX-License-Identifier: Apache-2.0
"""Leaving while compiled code runs: Dynamo then checks, compiles and runs what it would without.

With a mode on torch's stack Dynamo compiles everything once more, checks the mode before each run,
and what the kernels ask of torch passes through it, at 3 to 5% of a small model's step. There is no
hook, so the function is replaced by which torch's wrappers switch Dynamo on and off.
"""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack, contextmanager
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Final

import torch

from typedtensors.guard.reach.replacement import Replacement
from typedtensors.guard.reading.frames import Scope
from typedtensors.guard.torch.place import FRAMES
from typedtensors.guard.torch.stepping.leaving import innermost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_CAUSE: Final = "compiled code"
_DYNAMO: Final = "torch._dynamo.eval_frame"
_SWITCH: Final = "set_eval_frame"
_SYNONYM: Final = "_maybe_set_eval_frame"
"""The same function, or one that calls it, in some versions of torch."""


class _Thread(threading.local):
    """`wrapper`: the frame of torch's wrapper for which this thread's mode has left."""

    def __init__(self) -> None:
        self.wrapper: FrameType | None = None


_thread = _Thread()


@contextmanager
def leaving_while_compiled() -> Iterator[None]:
    """Keep the innermost mode of each thread out of compiled code.

    Dynamo takes seconds to load, and that is not ours to ask for: until it is there, the function
    is watched through which everybody asks for it.
    """
    with ExitStack() as stack:
        if _DYNAMO in sys.modules:
            stack.enter_context(_watched())
        else:
            stack.enter_context(_COMPILE.active())
            stack.callback(_forget, stack)
            _waiting.append(stack)
        yield


# Guards that were entered before Dynamo was loaded.
_waiting: Final[list[ExitStack]] = []


def _forget(stack: ExitStack) -> None:
    if stack in _waiting:
        _waiting.remove(stack)


def _loading(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def compile(*args: object, **kwargs: object) -> Any:  # noqa: A001, ANN401 - as the original
        compiled = original(*args, **kwargs)
        while _waiting and _DYNAMO in sys.modules:
            _waiting.pop().enter_context(_watched())
        return compiled

    return compile


_COMPILE: Final = Replacement(torch, "compile", _loading)


def _switching(original: Callable[[Any], object]) -> Callable[[Any], object]:
    # All of ours happens while Dynamo is off: it would compile what runs here.
    def set_eval_frame(callback: object) -> object:
        if callback is not None:
            mode = innermost()
            if mode is not None and mode.leave(_CAUSE) and _thread.wrapper is None:
                _thread.wrapper = _caller()
            return original(callback)
        before = original(None)
        if before is not None and _thread.wrapper is not None:
            _switched_off(_caller())
        return before

    return set_eval_frame


def _switched_off(wrapper: FrameType) -> None:
    ended = wrapper is _thread.wrapper
    if ended:
        _thread.wrapper = None
    elif not _is_of_the_program(wrapper):
        return
    mode = innermost()
    if mode is not None:
        mode.step_back(_CAUSE)


def _caller() -> FrameType:
    """The frame of torch's wrapper that switches."""
    frame = sys._getframe(2)  # noqa: SLF001 - as `inspect` does
    around = frame.f_back if frame.f_code.co_name == _SYNONYM else None
    return frame if around is None else around


def _is_of_the_program(wrapper: FrameType) -> bool:
    """Whether Dynamo is off for a function that the program has disabled, not for a graph."""
    code = getattr(wrapper.f_locals.get("fn"), "__code__", None)
    return code is not None and FRAMES.scope(code) in {Scope.PROJECT, Scope.LIBRARY}


@contextmanager
def _watched() -> Iterator[None]:
    with ExitStack() as stack:
        for each in _switches():
            stack.enter_context(each.active())
        yield


@cache
def _switches() -> tuple[Replacement, ...]:
    dynamo = sys.modules[_DYNAMO]
    switch = getattr(dynamo, _SWITCH, None)
    names = [each for each in (_SWITCH, _SYNONYM) if getattr(dynamo, each, None) is switch]
    return tuple(Replacement(dynamo, each, _switching) for each in names if switch is not None)
