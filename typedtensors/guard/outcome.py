# SPDX-License-Identifier: Apache-2.0
"""What operands of given sizes broadcast to, and what kind of event that is."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from typedtensors.dims import Dim
from typedtensors.shapes.broadcast import Broadcast, BroadcastEvent, Kind, broadcast, classify
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from typedtensors.guard.report import Sizes

    # A string is a size that is not known, but equal to the others of its name.
    Rows: TypeAlias = tuple[tuple[int | str | None, ...], ...]

_MUTUAL: Final = frozenset({Kind.MUTUAL_EXPLICIT, Kind.MUTUAL_PADDED})


@lru_cache(maxsize=4096)
def broadcast_of(shapes: Rows) -> Broadcast:
    """What shapes broadcast to.

    A size that is not known may be any other one's, but is not 1: what a graph leaves open is what
    varies.
    """
    return broadcast([Shape.of(*map(_dim, shape)) for shape in shapes])


@lru_cache(maxsize=4096)
def event_of(shapes: Rows) -> BroadcastEvent | None:
    """The event that shapes are; None if there is none, or it is not known which one."""
    event = classify(broadcast_of(shapes))
    if event is not None or not any(None in shape for shape in shapes):
        return event
    # Sizes that are not known agree where they meet. Who is stretched may depend on no more.
    event = classify(broadcast_of(tuple(map(_by_axis, shapes))))
    return event if event is not None and event.kind in _MUTUAL else None


def _by_axis(shape: tuple[int | str | None, ...]) -> tuple[int | str, ...]:
    """The shape, with one name for the unknown sizes of one axis, counted from the last."""
    places = range(len(shape), 0, -1)
    return tuple(f"None {at}" if d is None else d for at, d in zip(places, shape, strict=True))


def sizes_of(shape: Shape | None) -> Sizes:
    """The sizes of a shape, None for each that is not known."""
    return () if shape is None else tuple(dim.value for dim in shape.dims or ())


def _dim(size: int | str | None) -> Dim | int:
    if isinstance(size, int):
        return size
    return Dim.several("None") if size is None else _named(size)


@lru_cache(maxsize=64)
def _named(name: str) -> Dim:
    return Dim.several(name)
