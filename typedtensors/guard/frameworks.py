# SPDX-License-Identifier: Apache-2.0
"""Guards every framework that the program has loaded, and those that it loads later."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TypeAlias

from typedtensors.guard.arrival import awaiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from typedtensors.guard.report import GuardEvent
    from typedtensors.shapes.broadcast import Level

    Deliver: TypeAlias = Callable[[GuardEvent], None]
    Note: TypeAlias = Callable[[str, Mapping[str, int]], None]
    Guarding: TypeAlias = Callable[[Level, Deliver, Note], AbstractContextManager[None]]


@contextmanager
def guarding(level: Level, deliver: Deliver, note: Note) -> Iterator[None]:
    """Guard this thread, whichever framework it calls. The innermost guard decides alone.

    Arguments: the level, what is told of each event, and what is told of each call of a checked
    function: its name, and the sizes of its dims.
    Raises: ImportError if there is no framework to guard.
    """
    loaded = [name for name in _GUARDS if _is_loaded(name)]
    if not loaded and not any(map(find_spec, _GUARDS)):
        msg = (
            "a guard watches torch and TensorFlow, and neither is installed: "
            "pip install 'typedtensors[torch]' or 'typedtensors[tensorflow]'"
        )
        raise ImportError(msg)
    with ExitStack() as stack:

        def enter(name: str) -> None:
            stack.enter_context(_GUARDS[name]()(level, deliver, note))

        for name in loaded:
            enter(name)
        # A program that is run under a guard imports its framework there.
        with awaiting(_GUARDS.keys() - set(loaded), enter):
            yield


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
