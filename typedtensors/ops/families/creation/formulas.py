# SPDX-License-Identifier: Apache-2.0
"""Arrays that a formula fills: positions of triangles, one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.creation.sized import OPTIONS, default_float, typed
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import example
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N = Dim.name("n")
_DOUBLE = DType.exactly("float64")


@rule(
    *("torch.tril_indices", "torch.triu_indices"),
    params=f"row, col, offset=0, *, {OPTIONS}",
    examples=(example(3, 4), example(_N, _N, 1), example(4, 4, offset=-1)),
)
def triangle_indices(call: Call) -> Value:
    """A column for each element of a triangle: its row and its column."""
    rows, columns = call.dim("row"), call.dim("col")
    for size in (rows, columns):
        if at_most(size, Dim.of(-1)):
            raise Conflicting(wording.misused(call.name, f"{size} is negative"))
    count = Dim.fresh()
    if rows == columns and call["offset"] == Dim.of(0):
        count = rows * (rows + 1) // 2
    return Tensor(Shape((Axis(Dim.of(2)), Axis(count))), typed(call, promotion.INT64))


@rule(
    "torch.scalar_tensor",
    params=f"s, *, {OPTIONS}",
    examples=(example(1.5), example(2), example(1.0, dtype=_DOUBLE)),
)
def scalar_tensor(call: Call) -> Value:
    """One number, a float unless another dtype is asked for."""
    return Tensor(Shape(()), typed(call, default_float(call)))
