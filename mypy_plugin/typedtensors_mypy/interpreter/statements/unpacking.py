# SPDX-License-Identifier: Apache-2.0
"""What is unpacked, by how it is written: the pieces of `x.split(2)`, the sizes of `x.shape`."""

from __future__ import annotations

import ast

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import Value
from typedtensors.shapes import Shape, Tensor
from typedtensors_mypy.interpreter.expressions.iteration import with_rank
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import array_framework, of_framework
from typedtensors_mypy.source import library
from typedtensors_mypy.source.syntax.walks import dotted


def check_pieces(
    frame: Frame, target: ast.Tuple | ast.List, source: ast.expr, value: Value
) -> None:
    """Tell of `a, b = x.split(2)`, or `a, b = x.shape`, where that gives more pieces or fewer."""
    if type(value) is not tuple:
        return
    if any(isinstance(item, ast.Starred) for item in target.elts):
        return
    called = source.func if isinstance(source, ast.Call) else source
    if not isinstance(called, ast.Attribute) or len(value) == len(target.elts):
        return
    if called.attr in library.SPLITTING:
        frame.report(source, wording.pieces_differ(called.attr, len(target.elts), len(value)))
    elif _is_shape(source):
        sizes = " ".join(map(str, value))
        frame.report(source, wording.axes_unpacked(ast.unparse(source), len(target.elts), sizes))


def unpack_shape(
    frame: Frame, target: ast.Tuple | ast.List, source: ast.expr, value: Value
) -> Value:
    """The sizes that `b, n, d = x.shape` binds where the rank of `x` was not known, but is now."""
    if not isinstance(value, Shape):
        return value
    if any(isinstance(item, ast.Starred) for item in target.elts):
        return value
    shape = with_rank(value, [dotted(item) or "_" for item in target.elts])
    if shape is None:
        return value
    name = _array_of_shape(source)
    array = frame.state.values.get(name) if name is not None else None
    if name is not None and isinstance(array, Tensor) and array.shape == value:
        refined = of_framework(array.with_shape(shape), array_framework(array))
        frame.state.values[name] = refined
    return tuple(axis.dim if not axis.flexible else Dim.fresh() for axis in shape.fixed or ())


def _array_of_shape(source: ast.expr) -> str | None:
    """`x`, for `x.shape` and `x.size()`."""
    asked = source.func if isinstance(source, ast.Call) else source
    owner = asked.value if isinstance(asked, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) and _is_shape(source) else None


def _is_shape(source: ast.expr) -> bool:
    """Whether an expression is `x.shape`, or `x.size()`."""
    if isinstance(source, ast.Call):
        plain = not source.args and not source.keywords
        return plain and isinstance(source.func, ast.Attribute) and source.func.attr == "size"
    return isinstance(source, ast.Attribute) and source.attr == "shape"
