# SPDX-License-Identifier: Apache-2.0
"""What an array tells of its sizes: in a graph of TensorFlow's, not all of them.

TensorFlow and Keras are known by the names of their modules, and never imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from typedtensors.dims import Dim
from typedtensors.shapes.arrays.tracing import asked_once
from typedtensors.shapes.shape import Shape

Sizes = tuple[int | None, ...]
"""The size of each axis, None for one that is not known yet."""

UNKNOWN: Final = "?"
"""How an unknown size is written."""

_ROOTS: Final = frozenset({"tensorflow", "keras"})


@asked_once
def is_tensorflow(kind: Any) -> bool:  # noqa: ANN401 - a class, which `type` gives of anything
    """Say whether a class is TensorFlow's or Keras's, or derived from one of theirs."""
    return _is_tensorflow(kind)


@lru_cache(maxsize=1024)
def _is_tensorflow(kind: type) -> bool:
    return any(base.__module__.partition(".")[0] in _ROOTS for base in kind.__mro__)


def sizes_of(array: Any) -> Sizes | None:  # noqa: ANN401 - of any framework
    """Return the sizes of an array; None if not even its rank is known.

    Raises:
        TypeError: it is no array, or does not tell.
    """
    shape = array.shape
    if is_tensorflow(type(shape)):
        return None if shape.rank is None else tuple(shape.as_list())
    if shape is None:
        return None
    if not isinstance(shape, Sequence):
        raise TypeError(f"{type(shape).__name__} is no shape")
    return tuple(None if size is None else int(size) for size in shape)


def is_complete(sizes: Sizes | None) -> bool:
    """Say whether rank and sizes are known."""
    return sizes is not None and None not in sizes


def as_shape(sizes: Sizes | None, *, same: bool = False) -> Shape:
    """Return sizes as a shape in which each unknown one is an unknown of its own.

    Args:
        sizes: of an array.
        same: whether all that are unknown are to be one and the same size, and no other one.
    """
    if sizes is None:
        return Shape.unknown()
    return Shape.of(*(_unknown(same=same) if size is None else size for size in sizes))


def _unknown(*, same: bool) -> Dim:
    return Dim.name(UNKNOWN) if same else Dim.fresh(UNKNOWN)


def size_text(size: object) -> str:
    """Write a size: `?` for one that is not known."""
    return UNKNOWN if size is None else str(size)
