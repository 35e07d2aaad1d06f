# SPDX-License-Identifier: Apache-2.0
"""TensorFlow beside the rules: its arrays, what it says of them, and whether it is there at all."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

INSTALLED = importlib.util.find_spec("tensorflow") is not None
# Set where the locked environment is tested: there, TensorFlow is no option.
REQUIRED = os.environ.get("TYPEDTENSORS_TEST_TENSORFLOW") == "required"

# Its log tells of each CPU instruction that it was not built for.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# With oneDNN, matrices of batches that do not broadcast end the process where they should raise.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

needs_tensorflow = pytest.mark.skipif(
    not INSTALLED and not REQUIRED, reason="TensorFlow is not installed"
)


def load_tensorflow() -> Any:
    """Return the module, for tests whose annotations name its classes, or skip them all."""
    if not INSTALLED and not REQUIRED:
        pytest.skip("TensorFlow is not installed", allow_module_level=True)
    import tensorflow as tf

    return tf


@contextlib.contextmanager
def autograph_warnings() -> Iterator[list[str]]:
    """Gather what AutoGraph says of code that it can not convert."""
    messages: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    # That there are many graphs is what tests are about, and none of our doing.
    handler.addFilter(lambda record: "AutoGraph" in record.getMessage())
    logger = logging.getLogger("tensorflow")
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)


def is_tensorflow(op: str) -> bool:
    """Whether an op is TensorFlow's or Keras's."""
    return op.startswith(("tensorflow.", "keras."))


def as_tensor(sizes: tuple[int, ...], dtype: str, fill: int) -> Any:
    """An array of one value; a square matrix of floats is halved off its diagonal.

    One of equal elements would be singular.
    """
    array = np.full(sizes, fill, dtype)
    square = array.ndim >= 2 and sizes[-1] == sizes[-2]
    if square and array.dtype.kind in "fc":
        array = array / 2 + np.eye(sizes[-1], dtype=array.dtype) * fill / 2
    return tensor_of(array.astype(dtype))


def tensor_of(array: np.ndarray) -> Any:
    """An array of NumPy's as one of TensorFlow's."""
    import tensorflow as tf

    return tf.constant(array)


def variable_of(tensor: Any) -> Any:
    """A variable that holds a tensor."""
    import tensorflow as tf

    return tf.Variable(tensor)


def as_dtype(name: str) -> Any:
    """TensorFlow's dtype of that name."""
    import tensorflow as tf

    return tf.as_dtype(name)


def traced(call: Callable[[], Any]) -> Any:
    """What a graph that makes a call says of its result."""
    import tensorflow as tf

    return tf.compat.v1.wrap_function(call, signature=[]).structured_outputs


def described(actual: Any) -> tuple[tuple[int, ...], str] | None:
    """Shape and dtype of an array of TensorFlow's, None for anything else."""
    dtype = getattr(actual, "dtype", None)
    shape = getattr(actual, "shape", None)
    if shape is None or not hasattr(shape, "as_list"):
        return None
    if shape.rank is None or None in shape.as_list():
        return None
    return tuple(shape.as_list()), dtype if isinstance(dtype, str) else dtype.name
