# SPDX-License-Identifier: Apache-2.0
"""What is an array of TensorFlow's or Keras's, to an annotation.

Both are looked up among the loaded modules, and never imported.
"""

from __future__ import annotations

import sys
from typing import Any


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


def is_size(value: Any) -> bool:
    """Say whether a value is an int as TensorFlow computes it, such as `tf.shape(x)[0]`."""
    if not isinstance(value, _tensor_class()):
        return False
    return bool(value.dtype.is_integer) and value.shape.rank == 0


def is_computed(value: Any) -> bool:
    """Say whether a value is a tensor or a variable, of which TensorFlow computes the shape."""
    keras = sys.modules.get("keras")
    symbol = getattr(keras, "KerasTensor", ())
    return not isinstance(value, symbol) and is_array_of(value, _tensor_class())


def _tensor_class() -> Any:
    return getattr(sys.modules.get("tensorflow"), "Tensor", ())
