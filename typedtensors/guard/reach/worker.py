# SPDX-License-Identifier: Apache-2.0
"""`guard_worker`: a guard for the worker processes of a data loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typedtensors.guard.session import Guard

if TYPE_CHECKING:
    from typedtensors.guard.session import Action

_entered: Final[list[Guard]] = []
"""A guard that nobody holds would end."""


def guard_worker(worker_id: int, *, level: str | None = None, action: Action = "raise") -> None:  # noqa: ARG001 - torch passes it
    """Guard a worker process of a `DataLoader`, for as long as it lives.

    A process has a guard of its own, or none: that of the program does not reach it. Give the
    loader this function, or a `functools.partial` of it with another level:

    >>> from torch.utils.data import DataLoader
    >>> loader = DataLoader([1.0, 2.0], num_workers=2, worker_init_fn=guard_worker)

    Arguments:
        worker_id: what torch passes; it makes no difference.
        level: as for `guard`.
        action: as for `guard`: what is raised in a worker, the loader raises.
    """
    watch = Guard(level, action)
    watch.__enter__()
    _entered.append(watch)
