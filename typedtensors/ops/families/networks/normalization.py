# SPDX-License-Identifier: Apache-2.0
"""Normalization over the last axes, as functions and as layers: the shape stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_C, _D, _H = Dim.name("c"), Dim.name("d"), Dim.name("h")


def _sizes(normalized: Value) -> tuple[Value, ...]:
    """The sizes of the last axes, given as one integer or a sequence; none if it is not known."""
    if isinstance(normalized, Dim):
        return (normalized,)
    if isinstance(normalized, Shape) and normalized.dims is not None:
        return normalized.dims
    if isinstance(normalized, (tuple, list)):
        return tuple(normalized)
    return ()


def over_last(call: Call) -> Tensor:
    """The last axes must have the sizes that are normalized over."""
    array, sizes = call.tensor("input"), _sizes(call["normalized_shape"])
    require_inexact(call, array)
    if array.shape.rank is not None and array.shape.rank < len(sizes):
        where = wording.argument("input", call.name)
        wanted = " ".join(("...", *map(str, sizes)))
        raise Conflicting(wording.rank_differs(where, wanted, array.shape.text))
    for index, size in zip(range(-len(sizes), 0), sizes, strict=True):
        consume(call, array, index, size, "normalized_shape")
    return Tensor(array.shape, array.dtype)


_LAST = (
    example(Array("b t d")).on(_D),
    example(Array("*a d")).on((_D,)),
    example(Array("b h d")).on([_H, _D]),
    example(Array("b 8")).on(8),
)
layer(
    "torch.nn.LayerNorm",
    params="normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, "
    "dtype=None",
    examples=_LAST,
)(over_last)
layer(
    "torch.nn.RMSNorm",
    params="normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None",
    examples=_LAST,
)(over_last)

_FUNCTION = (
    example(Array("b t d"), (_D,)),
    example(Array("*a d"), (_D,), Array("d")),
    example(Array("b h d"), [_H, _D]),
)


def function_over_last(call: Call) -> Tensor:
    """As the layer; a weight has exactly the normalized shape."""
    result, sizes = over_last(call), _sizes(call["normalized_shape"])
    for name in ("weight", "bias"):
        weight = call.arguments.get(name)
        if isinstance(weight, Tensor) and sizes:
            _require_shape(call, name, weight, sizes)
    return result


def _require_shape(call: Call, name: str, weight: Tensor, sizes: tuple[Value, ...]) -> None:
    where = wording.argument(name, call.name)
    wanted = " ".join(map(str, sizes))
    if weight.shape.rank is not None and weight.shape.rank != len(sizes):
        raise Conflicting(wording.rank_differs(where, wanted, weight.shape.text))
    for axis, size in zip(weight.shape.fixed or (), sizes, strict=False):
        if axis.flexible or not isinstance(size, Dim):
            continue
        if call.same(axis.dim, size) is Verdict.DIFFERENT:
            raise Conflicting(wording.shape_differs(where, wanted, weight.shape.text))


rule(
    *("torch.layer_norm", "torch.nn.functional.layer_norm"),
    params="input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True",
    examples=_FUNCTION,
)(function_over_last)
rule(
    *("torch.rms_norm", "torch.nn.functional.rms_norm"),
    params="input, normalized_shape, weight=None, eps=None",
    examples=_FUNCTION,
)(function_over_last)
