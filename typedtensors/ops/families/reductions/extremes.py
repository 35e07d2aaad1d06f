# SPDX-License-Identifier: Apache-2.0
"""Extremes, medians and quantiles: ops that fold axes and may say where they found what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import folded, reduced, require_inexact
from typedtensors.ops.steps.elementwise import elementwise
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X = Array("b n d")
_RUN = Array("*a d")
_ONE = (example(_X), example(_X, -1), example(_X, 1, keepdim=True), example(_RUN, -1))
_INTEGER = (example(Array("b n", "Int64"), 1), example(Array("b n", "Bool")))


def _extreme(call: Call) -> Fields:
    """The extreme values along one axis, and where they are."""
    found = folded(call, call.tensor("input").dtype)
    return Fields.of(values=found, indices=found.with_dtype(promotion.INT64))


@rule(
    *torch_names("max", "min"),
    params="input, dim=None, keepdim=False, *, other=None, out=None",
    examples=(*_ONE, *_INTEGER, example(_X, Array("n d")), example(_X, other=_X)),
)
def extreme(call: Call) -> Value:
    """Three ops of one name: over everything, along an axis, and of two arrays."""
    other = call["dim"] if call["other"] is None else call["other"]
    if other is None:
        return folded(call, call.tensor("input").dtype)
    if isinstance(other, Tensor):
        call.arguments = {**call.arguments, "other": other}
        return elementwise(call, "input", "other")
    # Only an integer or a name can be an axis here; a value that is not known may be an array.
    call.dim("dim")
    return _extreme(call)


@rule(
    *torch_names("median", "nanmedian"),
    params="input, dim=None, keepdim=False",
    examples=(*_ONE, example(Array("b n", "Int64"), 1)),
)
def median(call: Call) -> Value:
    """Over everything, or along an axis with the places."""
    if call["dim"] is None:
        return folded(call, call.tensor("input").dtype)
    return _extreme(call)


rule(
    *torch_names("mode"),
    params="input, dim=-1, keepdim=False",
    examples=_ONE,
)(_extreme)


@rule(
    *torch_names("aminmax"),
    params="input, *, dim=None, keepdim=False, out=None",
    examples=(example(_X), example(_X, dim=1), example(_RUN, dim=-1, keepdim=True)),
)
def aminmax(call: Call) -> Fields:
    """The smallest and the largest."""
    found = folded(call, call.tensor("input").dtype)
    return Fields.of(min=found, max=found)


@rule(
    *torch_names("quantile", "nanquantile"),
    params="input, q, dim=None, keepdim=False, *, interpolation='linear', out=None",
    examples=(
        *(example(_X, 0.5), example(_X, 0.5, dim=1), example(_X, Array("q", fill=0), dim=1)),
        example(_X, Array("q", fill=0), dim=-1, keepdim=True),
    ),
)
def quantile(call: Call) -> Tensor:
    """A vector of quantiles makes one more axis, in front."""
    array, asked_for, shape = call.tensor("input"), call["q"], reduced(call)
    require_inexact(call, array)
    if isinstance(asked_for, float):
        return Tensor(shape, array.dtype)
    if not isinstance(asked_for, Tensor) or asked_for.shape.rank is None:
        return Tensor(Shape.unknown(), array.dtype)
    if asked_for.shape.rank > 1:
        where = wording.argument("q", call.name)
        raise Conflicting(wording.rank_differs(where, "n", asked_for.shape.text))
    return Tensor(Shape((*asked_for.shape.axes, *shape.axes)), array.dtype)
