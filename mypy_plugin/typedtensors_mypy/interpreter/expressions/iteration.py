# SPDX-License-Identifier: Apache-2.0
"""What a value gives when it is iterated over or unpacked."""

from __future__ import annotations

from collections.abc import Iterable

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, Shape, Tensor
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Items, Stream, array_framework, join, of_framework

_LONGEST_UNROLLED = 16


def known_items(frame: Frame, value: Value) -> tuple[Value, ...] | None:
    """The items one by one, if there are few and each is known; None otherwise."""
    if isinstance(value, Items):
        if value.serial in frame.state.stale:
            return None
        value = value.values if value.keys is None else value.keys
    if isinstance(value, tuple) and len(value) <= _LONGEST_UNROLLED:
        return value
    return None


def item_of(frame: Frame, value: Value) -> Value:
    """What each item is like, whichever it is."""
    if isinstance(value, Stream):
        return value.item
    items = known_items(frame, value)
    if items:
        return _all_of(items)
    if isinstance(value, Tensor):
        return _row(value)
    return Unknown("an item of something that is not followed")


def unpack(frame: Frame, value: Value, count: int) -> tuple[Value, ...] | None:
    """The values that `a, b = value` binds; None if nothing is known of them."""
    items = known_items(frame, value)
    if items is not None:
        return items if len(items) == count else None
    if isinstance(value, Stream):
        return (value.item,) * count
    if isinstance(value, Tensor):
        return (_row(value),) * count
    return None


def _all_of(items: Iterable[Value]) -> Value:
    first, *rest = items
    for item in rest:
        first = join(first, item)
    return first


def _row(array: Tensor) -> Value:
    """An array without its first axis."""
    if not array.shape.prefix:
        return Unknown("an array of unknown rank")
    rest = Shape(array.shape.axes[1:])
    return of_framework(Tensor(rest, array.dtype), array_framework(array))


def with_rank(shape: Shape, names: list[str]) -> Shape | None:
    """A shape of unknown rank with one axis per name; None if it is known, or has more axes."""
    missing = len(names) - shape.least_rank
    if shape.rank is not None or missing < 0:
        return None
    start = len(shape.prefix)
    fresh = [Axis(Dim.fresh(name)) for name in names[start : start + missing]]
    return Shape((*shape.prefix, *fresh, *shape.suffix))
