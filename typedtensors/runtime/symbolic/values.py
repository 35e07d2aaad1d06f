# SPDX-License-Identifier: Apache-2.0
"""What an array of TensorFlow's or Keras's is, and what it tells of its shape.

Both are looked up among the loaded modules, and never imported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from typedtensors.dims import Dim
from typedtensors.shapes import Shape

Sizes = tuple[int | None, ...]
"""The size of each axis, None for one that is not known yet."""

UNKNOWN = "?"
"""How an unknown size is written."""

_ROOTS = frozenset({"tensorflow", "keras"})


def is_tensorflow(kind: Any) -> bool:
    """Say whether a class is TensorFlow's or Keras's, or derived from one of theirs."""
    return _is_tensorflow(kind)


@lru_cache(maxsize=1024)
def _is_tensorflow(kind: type) -> bool:
    return any(base.__module__.partition(".")[0] in _ROOTS for base in kind.__mro__)


def is_tensor_class(annotation: Any) -> bool:
    """Say whether an annotation is `tf.Tensor`."""
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is not None and annotation is getattr(tensorflow, "Tensor", None)


def stand_ins(kind: Any) -> tuple[type, ...]:
    """Return what is taken where `tf.Tensor` is asked for: what TensorFlow's ops take for one."""
    if not is_tensor_class(kind):
        return ()
    keras = sys.modules.get("keras")
    found = (
        getattr(sys.modules["tensorflow"], "Variable", None),
        getattr(keras, "Variable", None),
        getattr(keras, "KerasTensor", None),
    )
    return tuple(each for each in found if each is not None)


def is_array_of(value: Any, kind: Any) -> bool:
    """Say whether a value is what an annotation over `kind` asks for, whatever its shape."""
    if kind is Any:
        return hasattr(value, "shape") and hasattr(value, "dtype")
    # Stand-ins are looked up for what is no tensor only.
    return isinstance(value, kind) or isinstance(value, stand_ins(kind))  # noqa: SIM101


def is_computed(value: Any) -> bool:
    """Say whether a value is a tensor or a variable, of which TensorFlow computes the shape."""
    keras = sys.modules.get("keras")
    symbol = getattr(keras, "KerasTensor", ())
    return not isinstance(value, symbol) and is_array_of(value, _tensor_class())


def _tensor_class() -> Any:
    return getattr(sys.modules.get("tensorflow"), "Tensor", ())


def sizes_of(value: Any) -> Sizes | None:
    """Return the sizes of an array; None if not even its rank is known.

    Raises:
        TypeError: it is no array, or does not tell.
    """
    shape = value.shape
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


def size_text(size: int | None) -> str:
    """Write a size."""
    return UNKNOWN if size is None else str(size)
