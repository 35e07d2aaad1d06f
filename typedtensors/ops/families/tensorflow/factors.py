# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's factors of matrices, and the diagonals of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, smaller
from typedtensors.ops import promotion
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.matmul import require_axes
from typedtensors.ops.steps.matrices import numbered_alike
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_MATRICES = (example(Array("m n")), example(Array("b n n")), example(Array("b 4 3")))


def _sides(call: Call, name: str) -> tuple[tuple[Part, ...], Axis, Axis, Axis]:
    """The batch, rows and columns of matrices, and how many of the fewer there are."""
    shape = call.tensor(name).shape
    require_axes(call, name, shape, 2)
    if len(shape.suffix) < 2:
        raise Undetermined("the matrices are not known")
    rows, columns = shape.suffix[-2:]
    if rows.flexible or columns.flexible:
        raise Undetermined("a side may be of size 1")
    one, other = call.facts.resolve(rows.dim), call.facts.resolve(columns.dim)
    fewer = rows if one == other else Axis(smaller(one, other))
    return shape.axes[:-2], rows, columns, fewer


@rule(
    *tensorflow_names("linalg.svd"),
    params="tensor, full_matrices=False, compute_uv=True, name=None",
    examples=(
        *_MATRICES,
        *(example(Array("m n"), True), example(Array("m n"), compute_uv=False)),
        example(Array("n")),
    ),
)
def singular_values(call: Call) -> Value:
    """Singular values, and the vectors on the left and on the right as columns."""
    array = call.tensor("tensor")
    lead, rows, columns, fewer = _sides(call, "tensor")
    whole = call.flag("full_matrices")
    values = Tensor(Shape((*lead, fewer)), promotion.real(array.dtype))
    if not call.flag("compute_uv"):
        return values
    left = array.with_shape(Shape((*lead, rows, rows if whole else fewer)))
    right = array.with_shape(Shape((*lead, columns, columns if whole else fewer)))
    return tuple(numbered_alike((values, -1), (left, -1), (right, -1)))


@rule(
    *tensorflow_names("linalg.qr"),
    params="input, full_matrices=False, name=None",
    examples=(*_MATRICES, example(Array("m n"), True), example(Array("n"))),
)
def orthogonal(call: Call) -> Value:
    """Orthogonal columns, and how the matrix is made of them."""
    array = call.tensor("input")
    lead, rows, columns, fewer = _sides(call, "input")
    made = rows if call.flag("full_matrices") else fewer
    return (
        array.with_shape(Shape((*lead, rows, made))),
        array.with_shape(Shape((*lead, made, columns))),
    )


@rule(
    *tensorflow_names("linalg.diag_part"),
    params="input, name=None, k=0, padding_value=0, align='RIGHT_LEFT'",
    examples=(*_MATRICES, example(Array("n"))),
)
def diagonal(call: Call) -> Value:
    """The diagonal of each matrix."""
    if call["k"] != Dim.of(0):
        raise Undetermined("another diagonal")
    lead, _, _, fewer = _sides(call, "input")
    return Tensor(Shape((*lead, fewer)), call.tensor("input").dtype)


@rule(
    *tensorflow_names("linalg.trace"),
    params="x, name=None",
    examples=(*_MATRICES, example(Array("n"))),
)
def trace(call: Call) -> Value:
    """The sum of the diagonal of each matrix."""
    lead, *_ = _sides(call, "x")
    return Tensor(Shape(lead), call.tensor("x").dtype)
