# SPDX-License-Identifier: Apache-2.0
"""How operands meet whose axes annotations name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from typedtensors.guard.torch.names.following import ONE, shape_of
from typedtensors.shapes.broadcast import BroadcastEvent, broadcast, classify

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from typedtensors.guard.torch.names.following import Names, Seen
    from typedtensors.guard.torch.operands import Operands

    Look: TypeAlias = Callable[[Tensor], Seen]


@dataclass(frozen=True)
class Meeting:
    """What names say of an operation.

    `clash`: two different names meet on one axis. `settled`: every axis has a name, or one element,
    so that `event` is what happens, whatever the sizes are. `texts` are the operands' shapes, as
    annotations write them.
    """

    texts: tuple[str, ...]
    clash: bool
    settled: bool
    event: BroadcastEvent | None


def meeting_of(operands: Operands, look: Look) -> Meeting | None:
    """What is known by name of how the operands meet; None if that is nothing."""
    if operands.partial:
        return None
    rows = tuple([look(tensor).names for tensor in operands.tensors])
    if any(t.shape != shape for t, shape in zip(operands.tensors, operands.shapes, strict=True)):
        return None
    return _meet(rows) if any(map(_is_named, rows)) else None


def _is_named(row: Names) -> bool:
    return any(name is not None and name != ONE for name in row)


@lru_cache(maxsize=4096)
def _meet(rows: tuple[Names, ...]) -> Meeting:
    outcome = broadcast([*map(shape_of, rows)])
    texts = tuple(" ".join("_" if name is None else name for name in row) for row in rows)
    settled = all(name is not None for row in rows for name in row)
    return Meeting(texts, outcome.shape is None, settled, classify(outcome))
