# SPDX-License-Identifier: Apache-2.0
"""Normalization and dropout as torch's own layers call them, with statistics for what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.networks.activations import drop_channels
from typedtensors.ops.families.networks.channel_normalization import batch_norm_function
from typedtensors.ops.families.networks.normalization import function_over_last
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import parts
from typedtensors.ops.steps.elementwise import alike
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_BATCH = "input, weight, bias, running_mean, running_var, training, momentum, eps"
_C = Array("c")
_WHOLE = (_C, _C, _C, _C)

rule(
    "torch.batch_norm",
    params=f"{_BATCH}, cudnn_enabled",
    examples=(
        example(Array("b c h w"), *_WHOLE, False, 0.1, 1e-5, False),
        example(Array("8 c 7"), None, None, None, None, True, 0.1, 1e-5, False),
    ),
)(batch_norm_function)

rule(
    *("torch.feature_alpha_dropout", "torch.feature_alpha_dropout_"),
    *("torch.feature_dropout", "torch.feature_dropout_"),
    params="input, p, train",
    examples=(example(Array("b c n"), 0.5, True),),
)(drop_channels)
rule(
    *("torch.alpha_dropout", "torch.alpha_dropout_", "torch.dropout_"),
    params="input, p, train",
    examples=(example(Array("b n"), 0.5, True),),
)(alike())


@rule(
    "torch.native_dropout",
    params="input, p, train",
    examples=(example(Array("b n"), 0.5, True), example(Array("*a"), 0.5, True)),
)
def native_dropout(call: Call) -> Value:
    """What is left, and where."""
    array = call.tensor("input")
    return array, array.with_dtype(promotion.BOOL)


@rule(
    "torch.native_layer_norm",
    params="input, normalized_shape, weight, bias, eps",
    examples=(
        example(Array("b t 8"), (8,), None, None, 1e-5),
        example(Array("b 4 8"), (4, 8), Array("4 8"), Array("4 8"), 1e-5),
        example(Array("b t 8"), (7,), None, None, 1e-5),
    ),
)
def native_layer_norm(call: Call) -> Value:
    """The array, and the mean and spread of what was normalized together."""
    found, count = function_over_last(call), len(parts(call["normalized_shape"]))
    axes = found.shape.fixed
    if axes is None or promotion.kinds(found.dtype) != frozenset({"float"}):
        raise Undetermined("the statistics are not known")
    ones = (Axis(Dim.of(1)),) * count
    # Those of halves are halves or not, as the weights are.
    dtype = found.dtype if found.dtype.exact in ("float32", "float64") else ANY
    statistics = Tensor(Shape((*axes[: len(axes) - count], *ones)), dtype)
    return found, statistics, statistics
