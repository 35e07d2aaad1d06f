# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes, norms: ops that fold axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops import promotion
from typedtensors.ops.names import torch_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import (
    asked,
    folded,
    int64,
    reduction,
    require_inexact,
    same,
    summed,
)
from typedtensors.shapes import ANY, DType, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X = Array("b n d")
_RUN = Array("*a d")
_ONE = (example(_X), example(_X, -1), example(_X, 1, keepdim=True), example(_RUN, -1))
_MANY = (*_ONE, example(_X, (0, -1)), example(_X, dim=(0, 2), keepdim=True))
_INTEGER = (example(Array("b n", "Int64"), 1), example(Array("b n", "Bool")))


def _truth(_call: Call, dtype: DType) -> DType:
    """A bool, except that torch keeps uint8, its bool of old."""
    return ANY if dtype.names is None or "uint8" in dtype.names else promotion.BOOL


def _real(call: Call, dtype: DType) -> DType:
    return promotion.real(promotion.floating(call.framework, dtype))


for _name, _extra in (("sum", _INTEGER), ("nansum", ())):
    rule(
        *torch_names(_name),
        params="input, dim=None, keepdim=False, *, dtype=None, out=None",
        examples=(*_MANY, *_extra, example(_X, 1, dtype=DType(frozenset({"float64"})))),
    )(reduction(summed))

rule(
    *torch_names("prod"),
    params="input, dim=None, keepdim=False, *, dtype=None, out=None",
    examples=(*_ONE, *_INTEGER),
)(reduction(summed))


@rule(
    *torch_names("mean", "nanmean"),
    params="input, dim=None, keepdim=False, *, dtype=None, out=None",
    examples=(*_MANY, example(_X, axis=1, keepdims=True)),
)
def mean(call: Call) -> Tensor:
    """A mean of integers needs a dtype."""
    array = call.tensor("input")
    if call["dtype"] is None:
        require_inexact(call, array)
    return folded(call, asked(call, array.dtype))


rule(
    *torch_names("amax", "amin"),
    params="input, dim=(), keepdim=False, *, out=None",
    examples=(*_MANY, *_INTEGER),
)(reduction(same))

rule(
    *torch_names("argmax", "argmin"),
    params="input, dim=None, keepdim=False",
    examples=(*_ONE, example(Array("b n", "Int64"), 1)),
)(reduction(int64))

rule(
    *torch_names("any", "all"),
    params="input, dim=None, keepdim=False, *, out=None",
    examples=(*_MANY, *_INTEGER),
)(reduction(_truth))

rule(
    *torch_names("count_nonzero"),
    params="input, dim=None",
    examples=(example(_X), example(_X, -1), example(_X, (0, 1)), example(_RUN, dim=-1)),
)(reduction(int64))

rule(
    *torch_names("logsumexp"),
    "torch.special.logsumexp",
    params="input, dim, keepdim=False, *, out=None",
    examples=(example(_X, -1), example(_X, (0, 2), keepdim=True), example(_RUN, -1, True)),
)(reduction(lambda call, dtype: promotion.floating(call.framework, dtype)))


def _spread_dims(call: Call) -> Value:
    """`x.std(False)` is about the estimator, not an axis."""
    return None if isinstance(call["dim"], bool) else call["dim"]


_SPREAD = "input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None"


@rule(
    *torch_names("std", "var"),
    params=_SPREAD,
    examples=(*_MANY, example(_X, 1, False), example(_X, False), example(_X, 0, correction=0)),
)
def spread(call: Call) -> Tensor:
    """The deviation or variance over axes."""
    array = call.tensor("input")
    require_inexact(call, array)
    call.arguments = {**call.arguments, "dim": _spread_dims(call)}
    return folded(call, promotion.real(array.dtype))


@rule(
    *("torch.std_mean", "torch.var_mean"),
    params=_SPREAD,
    examples=(*_MANY, example(_X, 1, False), example(_X, False)),
)
def spread_and_mean(call: Call) -> tuple[Tensor, Tensor]:
    """The deviation or variance, and the mean."""
    found = spread(call)
    return found, found.with_dtype(call.tensor("input").dtype)


rule(
    *torch_names("norm"),
    params="input, p='fro', dim=None, keepdim=False, out=None, dtype=None",
    examples=(
        *(example(_X), example(_X, 2), example(_X, dim=-1), example(_X, p=2, dim=1, keepdim=True)),
        *(example(_RUN, dim=-1), example(_X, 2, (0, 1))),
    ),
)(reduction(_real))

rule(
    *("torch.linalg.norm", "torch.linalg.vector_norm"),
    params="input, ord=None, dim=None, keepdim=False, *, dtype=None, out=None",
    examples=(
        *(example(_X), example(_X, dim=-1), example(_X, 2, 1, True), example(_RUN, dim=-1)),
        example(_X, dim=(0, 1), keepdim=True),
    ),
)(reduction(_real))
