# SPDX-License-Identifier: Apache-2.0
"""Triangles and diagonals of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, larger, smaller
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal, positions
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


@rule(
    *torch_names("tril", "triu", in_place=True),
    params="input, diagonal=0, *, out=None",
    examples=(
        example(Array("n m")),
        example(Array("*batch n m"), 1),
        example(Array("n"), diagonal=-1),
    ),
)
def triangle(call: Call) -> Value:
    """Matrices with the elements on one side of a diagonal set to 0."""
    array = call.tensor("input")
    if array.shape.rank in (0, 1):
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "... n m", array.shape.text))
    return array


@rule(
    "numpy.tril",
    "numpy.triu",
    params="input, k=0",
    examples=(example(Array("n m")), example(Array("b n m"), 1)),
)
def triangle_numpy(call: Call) -> Value:
    """Matrices with the elements on one side of a diagonal set to 0."""
    array = call.tensor("input")
    if array.shape.least_rank < 2:
        raise Undetermined("NumPy makes a matrix of a vector")
    return array


@rule(
    *torch_names("diagonal"),
    "torch.diagonal_copy",
    params="input, offset=0, dim1=0, dim2=1",
    examples=(
        example(Array("n n")),
        example(Array("b n m"), 0, 1, 2),
        example(Array("b 5 7"), 1, -2, -1),
        example(Array("b n m"), 0, 1, 1),
        example(Array("b n"), 0, 1, 2),
    ),
)
def diagonal(call: Call) -> Value:
    """Two axes become one, the last."""
    array = call.tensor("input")
    one, other = positions(call, array.shape, (call["dim1"], call["dim2"]))
    size = _diagonal(array.shape.axes[one], array.shape.axes[other], call["offset"])
    kept = [part for at, part in enumerate(array.shape.axes) if at not in (one, other)]
    return array.with_shape(Shape((*kept, Axis(size))))


def _diagonal(rows: Part, columns: Part, offset: Value) -> Dim:
    """The length of a diagonal so many places above the main one."""
    if not isinstance(rows, Axis) or not isinstance(columns, Axis):
        return Dim.fresh()
    if rows.flexible or columns.flexible or not isinstance(offset, Dim) or offset.value is None:
        return Dim.fresh()
    above, below = max(offset.value, 0), max(-offset.value, 0)
    return larger(smaller(columns.dim - above, rows.dim - below), Dim.of(0))


@rule(
    "torch.linalg.diagonal",
    params="input, *, offset=0, dim1=-2, dim2=-1",
    examples=(example(Array("*a n n")), example(Array("b n m"), offset=1, dim1=0, dim2=1)),
)
def diagonal_of_matrices(call: Call) -> Value:
    """As diagonal, of the last axes."""
    return diagonal(call)


@rule(
    *torch_names("diag"),
    "numpy.diag",
    params="input, diagonal=0, k=0",
    examples=(example(Array("n")), example(Array("n n")), example(Array("b n m"))),
)
def diag(call: Call) -> Value:
    """The matrix with this diagonal, or the diagonal of this matrix."""
    array = call.tensor("input")
    axes, offset = array.shape.fixed, call["diagonal"]
    if axes is None or not isinstance(offset, Dim) or call["k"] != Dim.of(0):
        raise Undetermined("the rank is not known")
    if len(axes) == 1:
        if axes[0].flexible or offset.value is None:
            raise Undetermined("the size is not known")
        size = Axis(axes[0].dim + abs(offset.value))
        return array.with_shape(Shape((size, size)))
    if len(axes) == 2:
        return array.with_shape(Shape((Axis(_diagonal(*axes, offset)),)))
    raise Conflicting(wording.rank_differs(f"`{call.name}`", "n", array.shape.text))


@rule(
    *torch_names("diag_embed"),
    params="input, offset=0, dim1=-2, dim2=-1",
    examples=(
        example(Array("b n")),
        example(Array("*batch n")),
        example(Array("b n"), 1, 0, -1),
        example(Array("b n"), 0, 1, 1),
        example(Array("b n"), 0, 0, 3),
    ),
)
def diag_embed(call: Call) -> Value:
    """Matrices with the last axis on a diagonal; the matrices' axes go where the call says."""
    array, offset = call.tensor("input"), call["offset"]
    if array.shape.rank == 0:
        raise Undetermined("torch lets a scalar pass")
    axes = array.shape.axes
    if not array.shape.suffix:
        raise Undetermined("the last axis is not known")
    last = array.shape.suffix[-1]
    fixed = not last.flexible and isinstance(offset, Dim) and offset.value is not None
    side = Axis(last.dim + abs(literal(offset)) if fixed else Dim.fresh())
    square = Shape((*axes[:-1], side, side))
    one, other = positions(call, square, (call["dim1"], call["dim2"]))
    if (one, other) == (len(axes) - 1, len(axes)):
        return array.with_shape(square)
    if square.rank is None:
        raise Undetermined("where the axes go is not known")
    kept = iter(axes[:-1])
    whole = (side if at in (one, other) else next(kept) for at in range(square.rank))
    return array.with_shape(Shape(tuple(whole)))
