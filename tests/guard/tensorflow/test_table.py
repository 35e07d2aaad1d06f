# SPDX-License-Identifier: Apache-2.0
"""The operations that broadcast are those of TensorFlow that do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.guard.tensorflow.frameworks import tf
from typedtensors.guard.tensorflow.table import ROLES

DTYPES = ("float32", "int32", "bool", "complex64", "float64")
# Of gradients, of texts and of shapes; a banded matrix is no stack of them.
NOT_WATCHED = {"IgammaGradA", "RandomGammaGrad", "SparseReshape", "Substr"}


def results(kind: str, shapes: tuple[tuple[int, ...], ...]) -> Iterator[tuple[int, ...]]:
    """The shapes that an operation makes of inputs of these shapes, for dtypes that it takes."""
    from tensorflow.python.framework import op_def_registry

    inputs = op_def_registry.get(kind).input_arg
    for dtype in DTYPES if len(inputs) == len(shapes) else ():
        with tf.Graph().as_default():
            given = {
                each.name: tf.compat.v1.placeholder(tf.as_dtype(each.type or dtype), shape)
                for each, shape in zip(inputs, shapes, strict=True)
            }
            try:
                made = tf.nest.flatten(getattr(tf.raw_ops, kind)(**given))[0]
            except (TypeError, ValueError, NotImplementedError):
                continue
            shape = getattr(made, "shape", tf.TensorShape(None))
            if shape.rank is not None:
                yield tuple(shape.as_list())


def kinds() -> list[str]:
    """The operations of two or three tensors, one for each input."""
    from tensorflow.python.framework import op_def_registry

    known = [name for name in dir(tf.raw_ops) if op_def_registry.get(name) is not None]
    return [name for name in known if _takes_tensors(op_def_registry.get(name).input_arg)]


def _takes_tensors(inputs: Any) -> bool:
    plain = not any(each.number_attr or each.type_list_attr for each in inputs)
    return plain and len(inputs) in {2, 3}


def test_every_operation_that_makes_a_table_of_a_column_and_a_row_is_watched() -> None:
    column_and_row = ((4, 1), (3,), (3,))
    found = {
        kind
        for kind in kinds()
        for shapes in (column_and_row[:2], column_and_row)
        if (4, 3) in results(kind, shapes)
    }
    assert found - NOT_WATCHED - ROLES.keys() == set()
    assert len(found) > 35


@pytest.mark.parametrize("kind", sorted(ROLES))
def test_what_is_watched_exists(kind: str) -> None:
    assert hasattr(tf.raw_ops, kind)
