# SPDX-License-Identifier: Apache-2.0
"""Shapes: axes, the spec grammar, dtypes, broadcasting, and matching a spec with a shape."""

from typedtensors.shapes.axis import Axis, Intent, Variadic, new_origin
from typedtensors.shapes.dtype import ANY, DType
from typedtensors.shapes.matching.alignment import Argument
from typedtensors.shapes.matching.bindings import Bindings, Bound, BoundRun, Place
from typedtensors.shapes.matching.crossing import crossed
from typedtensors.shapes.matching.instantiate import instantiate
from typedtensors.shapes.matching.mismatch import AxisMismatch, Mismatch, RankMismatch
from typedtensors.shapes.matching.unify import Match, match, match_all
from typedtensors.shapes.shape import Part, Shape
from typedtensors.shapes.specs.grammar import parse_spec
from typedtensors.shapes.specs.spec import Spec, SpecAxis, SpecError
from typedtensors.shapes.tensor import Tensor

__all__ = [
    "ANY",
    "Argument",
    "Axis",
    "AxisMismatch",
    "Bindings",
    "Bound",
    "BoundRun",
    "DType",
    "Intent",
    "Match",
    "Mismatch",
    "Part",
    "Place",
    "RankMismatch",
    "Shape",
    "Spec",
    "SpecAxis",
    "SpecError",
    "Tensor",
    "Variadic",
    "crossed",
    "instantiate",
    "match",
    "match_all",
    "new_origin",
    "parse_spec",
]
