# SPDX-License-Identifier: Apache-2.0
"""The arrays whose axes were placed on purpose: how helpers tell a guard that a broadcast is meant.

A helper ends with `return mark(result)`; a guard opens `watching()` and asks `is_intended`.
Outside any guard, `mark` does nothing and keeps nothing.
"""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from typedtensors.shapes.arrays.tracing import is_compiling

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

# By identity, not in a WeakSet: `==` of arrays is elementwise.
_marked: Final[dict[int, weakref.ref[object]]] = {}
_guards: Final[list[None]] = []


def mark(array: T, *, traced: bool = False) -> T:
    """Note, while a guard is active, that the array's axes were placed on purpose; returns it.

    `traced`: also while it is traced. What torch.compile traces has no identity of its own, and the
    guard steps aside for it too.
    """
    if _guards and (traced or not is_compiling()):
        key = id(array)
        _marked[key] = weakref.ref(array, lambda _: _marked.pop(key, None))
    return array


def is_intended(array: object) -> bool:
    """Whether `mark` has seen this very array."""
    reference = _marked.get(id(array))
    return reference is not None and reference() is array


@contextmanager
def watching() -> Iterator[None]:
    """Let `mark` take notes; in any thread, and as long as one guard is active."""
    _guards.append(None)
    try:
        yield
    finally:
        _guards.pop()
        if not _guards:
            _marked.clear()
