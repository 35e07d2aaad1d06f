# SPDX-License-Identifier: Apache-2.0
"""The arrays that a model of Keras is fed, of which it takes a batch at a time."""

from __future__ import annotations

from dataclasses import replace

from typedtensors.dims import Dim
from typedtensors.ops import Value
from typedtensors.shapes import Shape, Tensor
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Items


def first_size(frame: Frame, value: Value) -> Dim | None:
    """The size that arrays have on their first axis; None if that is not known."""
    value = as_sequence(frame, value) if isinstance(value, Items) else value
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, Tensor) or not first.shape.fixed or first.shape.fixed[0].flexible:
        return None
    return first.shape.fixed[0].dim


def batched(frame: Frame, value: Value, size: Dim) -> Value:
    """The arrays with another size on their first axis, where they are known to have one."""
    value = as_sequence(frame, value) if isinstance(value, Items) else value
    if isinstance(value, tuple):
        return tuple(batched(frame, each, size) for each in value)
    if not isinstance(value, Tensor) or not value.shape.fixed:
        return value
    first, *others = value.shape.fixed
    return replace(value, shape=Shape((first.with_dim(size), *others)))
