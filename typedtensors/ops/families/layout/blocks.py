# SPDX-License-Identifier: Apache-2.0
"""Matrices put together of blocks, and rows of all that vectors hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, product
from typedtensors.ops.families.layout.joining import tensors
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    "torch.block_diag",
    params="*tensors",
    examples=(
        example(Array("m n"), Array("j k")),
        example(Array("m n"), Array("k"), Array("")),
        example(Array("b m n"), Array("k")),
    ),
)
def block_diag(call: Call) -> Value:
    """Matrices along the diagonal of one; a vector is a row."""
    given = tensors(call, "tensors")
    rows, columns = [], []
    for array in given:
        if array.shape.least_rank > 2:
            where = wording.argument("tensors", call.name)
            raise Conflicting(wording.rank_differs(where, "m n", array.shape.text))
        dims = array.shape.dims
        if dims is None:
            raise Undetermined("a size is not known")
        row, column = (*(Dim.of(1),) * (2 - len(dims)), *dims)
        rows.append(row)
        columns.append(column)
    sizes = (sum(each, Dim.of(0)) for each in (rows, columns))
    dtypes = {array.dtype for array in given}
    return Tensor(Shape(tuple(map(Axis, sizes))), dtypes.pop() if len(dtypes) == 1 else ANY)


@rule(
    "torch.cartesian_prod",
    params="*tensors",
    examples=(
        example(Array("m"), Array("n")),
        example(Array("m"), Array("n"), Array("k")),
        example(Array("n")),
        example(Array("m n"), Array("k")),
    ),
)
def cartesian_prod(call: Call) -> Value:
    """A row for each way to take an element from each vector."""
    given = tensors(call, "tensors")
    for array in given:
        if array.shape.rank not in (None, 1):
            where = wording.argument("tensors", call.name)
            raise Conflicting(wording.rank_differs(where, "n", array.shape.text))
    dims = [array.shape.dims for array in given]
    if None in dims or len({array.dtype for array in given}) > 1:
        raise Undetermined("the vectors are not known")
    if len(given) == 1:
        return given[0]
    rows = product(size for each in dims for size in each or ())
    return given[0].with_shape(Shape((Axis(rows), Axis(Dim.of(len(given))))))
