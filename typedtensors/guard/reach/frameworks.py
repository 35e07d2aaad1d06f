# SPDX-License-Identifier: Apache-2.0
"""Guards every framework that the program has loaded, and those that it loads later."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TypeAlias

from typedtensors.guard.reach.arrival import awaiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from typedtensors.guard.report import GuardEvent
    from typedtensors.shapes.broadcast import Level

    Deliver: TypeAlias = Callable[[GuardEvent], None]
    Note: TypeAlias = Callable[[str, Mapping[str, int]], None]
    Guarding: TypeAlias = Callable[[Level, Deliver, Note], AbstractContextManager[None]]


def guarding(level: Level, deliver: Deliver, note: Note) -> AbstractContextManager[None]:
    """Guard this thread, whichever framework it calls. The innermost guard decides alone.

    Arguments: the level, what is told of each event, and what is told of each call of a checked
    function: its name, and the sizes of its dims.
    Raises: ImportError if there is no framework to guard.
    """
    loaded = [name for name in _GUARDS if _is_loaded(name)]
    others = [name for name in _GUARDS if name not in loaded and _is_installed(name)]
    if not loaded and not others:
        msg = (
            "a guard watches torch and TensorFlow, and neither is installed: "
            "pip install 'typedtensors[torch]' or 'typedtensors[tensorflow]'"
        )
        raise ImportError(msg)
    if len(loaded) == 1 and not others:
        return _GUARDS[loaded[0]]()(level, deliver, note)
    return _guarding_all(loaded, others, lambda name: _GUARDS[name]()(level, deliver, note))


@contextmanager
def _guarding_all(
    loaded: list[str], others: list[str], guard: Callable[[str], AbstractContextManager[None]]
) -> Iterator[None]:
    with ExitStack() as stack:
        for name in loaded:
            stack.enter_context(guard(name))
        # A program that is run under a guard imports its framework there.
        with awaiting(others, lambda name: stack.enter_context(guard(name))):
            yield


@cache
def _is_installed(name: str) -> bool:
    return find_spec(name) is not None


def _is_loaded(name: str) -> bool:
    # What is being imported is among the modules too, long before it can be used.
    return hasattr(sys.modules.get(name), "__version__")


def _torch() -> Guarding:
    from typedtensors.guard.torch.mode import guarding

    return guarding


def _tensorflow() -> Guarding:
    from typedtensors.guard.tensorflow.watching import guarding

    return guarding


_GUARDS: Final[Mapping[str, Callable[[], Guarding]]] = {"torch": _torch, "tensorflow": _tensorflow}
"""What guards each framework, by the name of its package."""
