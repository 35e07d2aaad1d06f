# SPDX-License-Identifier: Apache-2.0
"""How operands meet whose axes annotations name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtensors.guard.names.axes import ONE, dim_of, shape_of
from typedtensors.shapes.broadcast import BroadcastEvent, broadcast, classify

if TYPE_CHECKING:
    from typedtensors.guard.names.axes import Names
    from typedtensors.shapes import Shape


@dataclass(frozen=True)
class Meeting:
    """What names say of an operation.

    `clash`: two different names meet on one axis. `settled`: every axis has a name, or one element,
    so that `event` is what happens, whatever the sizes are. `texts` are the operands' shapes, as
    annotations write them. `result` are the names of what comes of them; None if nobody knows.
    """

    texts: tuple[str, ...]
    clash: bool
    settled: bool
    event: BroadcastEvent | None
    result: Names | None


def meeting_of(rows: tuple[Names, ...]) -> Meeting | None:
    """What is known by name of how operands with these axes meet; None if that is nothing."""
    return _meet(rows) if any(map(_is_named, rows)) else None


def _is_named(row: Names) -> bool:
    return any(name is not None and name != ONE for name in row)


@lru_cache(maxsize=4096)
def _meet(rows: tuple[Names, ...]) -> Meeting:
    outcome = broadcast([*map(shape_of, rows)])
    texts = tuple(" ".join("_" if name is None else name for name in row) for row in rows)
    settled = all(name is not None for row in rows for name in row)
    event, result = classify(outcome), _names_in(outcome.shape, rows)
    return Meeting(texts, outcome.shape is None, settled, event, result)


def _names_in(shape: Shape | None, rows: tuple[Names, ...]) -> Names | None:
    if shape is None or shape.dims is None:
        return None
    known = {dim_of(name): name for row in rows for name in row if name not in {None, ONE}}
    return tuple(known.get(dim) for dim in shape.dims)
