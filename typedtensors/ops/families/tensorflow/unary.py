# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's functions of one array, elementwise or along one axis: the shape stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.layout.joining import together
from typedtensors.ops.names import math_names, tensorflow_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import alike
from typedtensors.ops.steps.renaming import renamed
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_FLOATS = (example(Array("b n")), example(Array("*a n", "Float64")))
_NUMBERS = (*_FLOATS, example(Array("b n", "Int32")))
_MASKS = (example(Array("b n", "Bool")), example(Array("*a n", "Bool")))


_NAMES = frozenset(
    (
        *("float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8"),
        *("uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
    )
)

for _names in (
    math_names("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "floor"),
    math_names("sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"),
    tensorflow_names(
        *("math.ceil", "math.digamma", "math.erf", "math.erfc", "math.erfinv", "math.erfcinv"),
        *("math.expm1", "math.lgamma", "math.log", "math.log1p", "math.log_sigmoid", "math.ndtri"),
        *("math.reciprocal", "math.reciprocal_no_nan", "math.rint", "math.rsqrt"),
        *("math.bessel_i0", "math.bessel_i0e", "math.bessel_i1", "math.bessel_i1e"),
        *("math.special.dawsn", "math.special.expint", "math.special.fresnel_cos"),
        *("math.special.fresnel_sin", "math.special.spence", "nn.sigmoid", "nn.tanh"),
    ),
):
    rule(*_names, params="x, name=None", examples=_FLOATS)(renamed(alike(), input="x"))

rule(
    *math_names("negative", "sign", "square", "round"),
    "tensorflow.Tensor.__neg__",
    params="x, name=None",
    examples=_NUMBERS,
)(renamed(alike(), input="x"))

rule(
    *math_names("abs"),
    "tensorflow.Tensor.__abs__",
    params="x, name=None",
    examples=_NUMBERS,
)(renamed(alike("real"), input="x"))

rule(
    *tensorflow_names("math.is_finite", "math.is_inf", "math.is_nan"),
    params="x, name=None",
    examples=_FLOATS,
)(renamed(alike("bool"), input="x"))

rule(
    *math_names("logical_not"),
    "tensorflow.Tensor.__invert__",
    params="x, name=None",
    examples=_MASKS,
)(renamed(alike(), input="x"))

rule(
    *tensorflow_names("nn.relu", "nn.relu6", "nn.elu", "nn.selu", "nn.softsign", "math.softsign"),
    *tensorflow_names("nn.softplus", "math.softplus"),
    params="features, name=None",
    examples=_FLOATS,
)(renamed(alike(), input="features"))

rule(
    *tensorflow_names("nn.silu", "nn.swish"),
    params="features, beta=1.0",
    examples=_FLOATS,
)(renamed(alike(), input="features"))

rule(
    *tensorflow_names("nn.gelu"),
    params="features, approximate=False, name=None",
    examples=(*_FLOATS, example(Array("b n"), approximate=True)),
)(renamed(alike(), input="features"))

rule(
    *tensorflow_names("nn.leaky_relu"),
    params="features, alpha=0.2, name=None",
    examples=(*_FLOATS, example(Array("b n"), alpha=0.5)),
)(lambda call: _floats_stay(call.tensor("features")))


def _floats_stay(array: Tensor) -> Tensor:
    """The array; what becomes of another dtype than a float is not said."""
    floats = promotion.kinds(array.dtype) == frozenset({"float"})
    return array if floats else array.with_dtype(ANY)


rule(
    *tensorflow_names("identity", "stop_gradient"),
    params="input, name=None",
    examples=_NUMBERS,
)(alike())

_FLOAT64 = DType.exactly("float64")


@rule(
    *tensorflow_names("cast"),
    params="x, dtype, name=None",
    examples=(
        *(example(Array("b n"), _FLOAT64), example(Array("*a", "Int32"), "float32")),
        *(example(3, _FLOAT64), example(0.5, dtype=_FLOAT64)),
    ),
)
@rule(
    *tensorflow_names("saturate_cast"),
    params="value, dtype, name=None",
    examples=(example(Array("b n"), _FLOAT64),),
)
def cast(call: Call) -> Tensor:
    """The same elements as another dtype; a number becomes an array without axes."""
    value = call.arguments.get("x", call.arguments.get("value"))
    return array_of(call, value).with_dtype(dtype_of(call["dtype"]))


def array_of(call: Call, value: Value) -> Tensor:
    """What TensorFlow makes of a value where it wants an array."""
    if isinstance(value, (Dim, float, bool)):
        return Tensor(Shape(()), ANY)
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (tuple, list)):
        return _of_list(call, value)
    raise Undetermined(value.reason if isinstance(value, Unknown) else "no array")


def _of_list(call: Call, values: Sequence[Value]) -> Tensor:
    """A list of what has one shape has one more axis."""
    items = [array_of(call, value) for value in values]
    if not items:
        return Tensor(Shape.of(0), ANY)
    shape = together(call, [item.shape for item in items])
    return Tensor(Shape((Axis(Dim.of(len(items))), *shape.axes)), ANY)


def dtype_of(given: Value) -> DType:
    """The dtype that an argument names; None names none."""
    if isinstance(given, str):
        return DType.exactly(given) if given in _NAMES else ANY
    return given if isinstance(given, DType) else ANY


@rule(
    *tensorflow_names("constant", "convert_to_tensor"),
    params="value, dtype=None, shape=None, dtype_hint=None, name=None",
    examples=(
        *(example(3), example(0.5, "float32"), example([1, 2, 3], _FLOAT64)),
        *(example([[1, 2], [3, 4]]), example([[1, 2], [3]])),
    ),
)
@rule(
    *tensorflow_names("Variable"),
    params="value, trainable=None, validate_shape=True, caching_device=None, name=None, "
    "variable_def=None, dtype=None, import_scope=None, constraint=None, shape=None",
    examples=(example(Array("b n")), example([1.5, 2.5, 3.5], name="scale")),
)
def converted(call: Call) -> Tensor:
    """The shape of nested lists, or of what is an array already."""
    array = array_of(call, call["value"])
    if call["shape"] is not None:
        raise Undetermined("the shape is asked for")
    if call["dtype"] is None:
        return array
    return array.with_dtype(dtype_of(call["dtype"]))
