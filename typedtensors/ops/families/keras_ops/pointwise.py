# SPDX-License-Identifier: Apache-2.0
"""Ops of Keras over operands that meet element by element, and functions of one array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.families.elementwise.blending import where
from typedtensors.ops.families.tensorflow.pointwise import clip_by_value
from typedtensors.ops.families.tensorflow.reductions import along
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import alike, over
from typedtensors.ops.steps.keras.ops import keras_op, require_no_bias
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ARRAYS = (
    *(example(Array("b n"), Array("b n")), example(Array("b 1"), Array("1 n"))),
    *(example(Array("*a n"), Array("n")), example(Array("b n"), Array("b m"))),
)
_NUMBERS = (*_ARRAYS, example(Array("b n"), 3))
_MASKS = (
    example(Array("b n", "Bool"), Array("b n", "Bool")),
    example(Array("b 1", "Bool"), Array("1 n", "Bool")),
)


def added(call: Call) -> Value:
    """A sum with broadcasting, unless Keras takes one operand for a bias."""
    first, second = call["x1"], call["x2"]
    if isinstance(first, Unknown) or isinstance(second, Unknown):
        raise Undetermined("Keras may take an operand for a bias")
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        require_no_bias(first.shape, second.shape)
    return over("x1", "x2")(call)


keras_op(
    "add",
    params="x1, x2",
    examples=_NUMBERS,
    like=added,
)
for _names in (
    ("subtract", "multiply", "divide", "true_divide", "floor_divide", "mod", "power"),
    ("maximum", "minimum", "arctan2", "divide_no_nan"),
):
    keras_op(*_names, params="x1, x2", examples=_NUMBERS, like=over("x1", "x2"))
keras_op(
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    params="x1, x2",
    examples=_NUMBERS,
    like=over("x1", "x2"),
    bools=True,
)
keras_op(
    *("logical_and", "logical_or", "logical_xor"),
    params="x1, x2",
    examples=_MASKS,
    like=over("x1", "x2"),
    bools=True,
)
keras_op(
    "isclose",
    params="x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False",
    examples=_ARRAYS,
    like=over("x1", "x2"),
    bools=True,
)
keras_op(
    "where",
    params="condition, x1=None, x2=None",
    examples=(
        *(example(Array("b n", "Bool"), Array("b n"), Array("b n")),),
        *(example(Array("b n", "Bool"), Array("b 1"), Array("n")),),
        *(example(Array("*a n", "Bool"), Array("n"), 0.0),),
    ),
    like=where,
    input="x1",
    other="x2",
)
keras_op(
    "clip",
    params="x, x_min, x_max",
    examples=(example(Array("b n"), 0.0, 1.0), example(Array("b n"), Array("n"), 1.0)),
    like=clip_by_value,
    t="x",
    clip_value_min="x_min",
    clip_value_max="x_max",
)

_FLOATS = (example(Array("b n")), example(Array("*a n", "Float64")))
keras_op(
    *("abs", "absolute", "negative", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt"),
    *("rsqrt", "square", "sign", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos"),
    *("arctan", "arcsinh", "arccosh", "arctanh", "floor", "ceil", "reciprocal", "erf", "erfinv"),
    *("relu", "relu6", "sigmoid", "softplus", "softsign", "silu", "swish", "selu", "hard_sigmoid"),
    *("hard_silu", "hard_swish", "log_sigmoid", "hard_tanh", "tanh_shrink", "copy", "conj"),
    params="x",
    examples=_FLOATS,
    like=alike(),
    input="x",
)
for _name, _more in (
    *(("round", "decimals=0"), ("gelu", "approximate=True"), ("elu", "alpha=1.0")),
    *(("leaky_relu", "negative_slope=0.2"), ("celu", "alpha=1.0")),
):
    keras_op(_name, params=f"x, {_more}", examples=_FLOATS, like=alike(), input="x")
keras_op("stop_gradient", params="variable", examples=_FLOATS, like=alike(), input="variable")
keras_op(
    *("isnan", "isinf", "isfinite"),
    params="x",
    examples=_FLOATS,
    like=alike(),
    bools=True,
    input="x",
)
keras_op(
    "logical_not",
    params="x",
    examples=(example(Array("b n", "Bool")), example(Array("*a n", "Bool"))),
    like=alike(),
    bools=True,
    input="x",
)

_ALONG = (
    *(example(Array("b n")), example(Array("b n d"), 1), example(Array("*a n"), axis=-1)),
    example(Array("b n"), 2),
)
keras_op("softmax", "log_softmax", params="x, axis=-1", examples=_ALONG, like=along("x"))
keras_op("sort", params="x, axis=-1", examples=_ALONG, like=along("x"))
keras_op(
    "argsort",
    params="x, axis=-1",
    examples=_ALONG,
    like=lambda call: along("x")(call).with_dtype(ANY),
)
keras_op(
    "normalize",
    params="x, axis=-1, order=2, epsilon=None",
    examples=_ALONG,
    like=along("x"),
)
