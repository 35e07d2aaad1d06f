# SPDX-License-Identifier: Apache-2.0
"""Distances between arrays and between rows, and how variables go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.matmul import require_axes
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *torch_names("dist"),
    params="input, other, p=2",
    examples=(example(Array("b n"), Array("b n")), example(Array("b n"), Array("n"), 1)),
)
def dist(call: Call) -> Value:
    """The norm of the difference, one number."""
    arrays = {name: call.tensor(name) for name in ("input", "other")}
    meet(call, arrays)
    return Tensor(Shape(()), _real(arrays))


def _real(arrays: dict[str, Tensor]) -> DType:
    dtypes = {array.dtype for array in arrays.values()}
    return promotion.real(dtypes.pop()) if len(dtypes) == 1 else ANY


@rule(
    *torch_names("cov", "corrcoef"),
    params="input, *, correction=1, fweights=None, aweights=None",
    examples=(
        example(Array("v n")),
        example(Array("n")),
        example(Array("1 n")),
        example(Array("b v n")),
    ),
)
def covariance(call: Call) -> Value:
    """A row and a column for each variable, whose observations are the columns."""
    array = call.tensor("input")
    if array.shape.least_rank > 2:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "variables observations", array.shape.text))
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank is not known")
    if len(axes) == 2 and axes[0].flexible:
        raise Undetermined("of one variable there is one number")
    side = axes[:1] if len(axes) == 2 and not axes[0].is_one else ()
    return Tensor(Shape((*side, *side)), promotion.floating(Framework.TORCH, array.dtype))


@rule(
    *("torch.pdist", "torch.nn.functional.pdist"),
    params="input, p=2.0",
    examples=(example(Array("n d")), example(Array("4 d"), 1.0), example(Array("b n d"))),
)
def pdist(call: Call) -> Value:
    """The distance between each two of the rows."""
    array = call.tensor("input")
    require_axes(call, "input", array.shape, 2)
    if array.shape.least_rank > 2:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "n d", array.shape.text))
    dims = array.shape.dims
    pairs = Dim.fresh() if dims is None else dims[0] * (dims[0] - 1) // 2
    return array.with_shape(Shape((Axis(pairs),)))
