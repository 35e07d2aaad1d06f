# SPDX-License-Identifier: Apache-2.0
"""Shapes: axes, the spec grammar, dtypes, broadcasting, and matching a spec with a shape."""

from typedtensors.shapes.axis import Axis, Intent, Variadic
from typedtensors.shapes.dtype import ANY, DType
from typedtensors.shapes.shape import Part, Shape
from typedtensors.shapes.tensor import Tensor

__all__ = ["ANY", "Axis", "DType", "Intent", "Part", "Shape", "Tensor", "Variadic"]
