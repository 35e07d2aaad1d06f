# SPDX-License-Identifier: Apache-2.0
"""`allow_broadcast`: the lines that mean what they say."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_allowed: ContextVar[bool] = ContextVar("allow_broadcast", default=False)


@contextmanager
def allow_broadcast() -> Iterator[None]:
    """Accept every broadcast inside the block, or inside the decorated function.

    For one line, a comment does the same: `# broadcast: ok`.

    >>> import torch
    >>> from typedtensors import guard
    >>> with guard(), allow_broadcast():
    ...     (torch.zeros(5, 1) - torch.zeros(3)).shape
    torch.Size([5, 3])
    """
    token = _allowed.set(True)
    try:
        yield
    finally:
        _allowed.reset(token)


def is_allowed() -> bool:
    """Whether an `allow_broadcast` block is active in this thread or task."""
    return _allowed.get()
