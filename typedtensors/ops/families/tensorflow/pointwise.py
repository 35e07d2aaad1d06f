# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's arithmetic over operands that meet element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.elementwise.blending import where
from typedtensors.ops.families.layout.joining import tensors, together
from typedtensors.ops.names import math_names, tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import elementwise, meet, over
from typedtensors.ops.steps.renaming import renamed
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, DType, Tensor
from typedtensors.shapes.broadcast import broadcast

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_MINUS_ONE = Dim.of(-1)
_ARRAYS = (
    example(Array("b n"), Array("b n")),
    example(Array("b 1"), Array("1 n")),
    example(Array("*a n"), Array("n")),
)
_NUMBERS = (*_ARRAYS, example(Array("b n"), 3), example(Array("b n", "Int32"), 2))
_WHOLE = (
    example(Array("b n", "Int32"), Array("n", "Int32")),
    example(Array("b 1", "Int64"), Array("1 n", "Int64")),
)
_MASKS = (
    example(Array("b n", "Bool"), Array("b n", "Bool")),
    example(Array("b 1", "Bool"), Array("1 n", "Bool")),
)

for _names in (
    math_names("add", operator="add"),
    math_names("subtract", operator="sub"),
    math_names("multiply", operator="mul"),
    tensorflow_names("math.floordiv", operator="floordiv"),
    tensorflow_names("math.mod", "math.floormod", operator="mod"),
    math_names("maximum", "minimum"),
    tensorflow_names("math.squared_difference"),
):
    rule(*_names, params="x, y, name=None", examples=_NUMBERS)(over("x", "y"))


@rule(
    *math_names("pow", operator="pow"),
    params="x, y, name=None",
    examples=(*_NUMBERS, example(Array("b n", "Int32"), -2)),
)
def power(call: Call) -> Tensor:
    """Integers have no negative powers."""
    base, exponent = (call["y"], call["x"]) if "__r" in call.op else (call["x"], call["y"])
    kinds = promotion.kinds(base.dtype) if isinstance(base, Tensor) else None
    if kinds == frozenset({"int"}) and isinstance(exponent, Dim) and at_most(exponent, _MINUS_ONE):
        raise Conflicting(wording.misused(call.name, f"integers to the power {exponent}"))
    return elementwise(call, "x", "y")


for _names in (
    tensorflow_names("math.divide_no_nan", "math.multiply_no_nan"),
    tensorflow_names("math.xdivy", "math.xlogy", "math.xlog1py"),
    tensorflow_names("truncatemod"),
):
    rule(*_names, params="x, y, name=None", examples=_ARRAYS)(over("x", "y"))

for _first, _second, _names in (
    ("y", "x", math_names("atan2")[1:]),
    ("x1", "x2", math_names("nextafter")[1:]),
    ("a", "x", tensorflow_names("math.igamma", "math.igammac", "math.polygamma")),
    ("x", "q", tensorflow_names("math.zeta")),
):
    rule(*_names, params=f"{_first}, {_second}, name=None", examples=_ARRAYS)(over(_first, _second))

rule(
    *tensorflow_names("bitwise.bitwise_and", "bitwise.bitwise_or", "bitwise.bitwise_xor"),
    *tensorflow_names("bitwise.left_shift", "bitwise.right_shift", "truncatediv"),
    params="x, y, name=None",
    examples=_WHOLE,
)(over("x", "y"))

rule(
    *math_names("logical_and", "logical_or"),
    *tensorflow_names("math.logical_xor"),
    *(name for each in ("and", "or", "xor") for name in tensorflow_names(operator=each)),
    params="x, y, name=None",
    examples=_MASKS,
)(over("x", "y"))


@rule(
    *math_names("divide"),
    *tensorflow_names("truediv", "math.truediv", operator="truediv"),
    params="x, y, name=None",
    examples=(*_NUMBERS, *_WHOLE),
)
def divide(call: Call) -> Tensor:
    """A quotient of integers is a float."""
    dtype = promotion.promoted(call.framework, (call["x"], call["y"]))
    floats = promotion.kinds(dtype) == frozenset({"float"})
    return elementwise(call, "x", "y", dtype=dtype if floats else ANY)


for _name, _operator in (
    ("greater", "gt"),
    ("greater_equal", "ge"),
    ("less", "lt"),
    ("less_equal", "le"),
):
    rule(
        *math_names(_name),
        f"tensorflow.Tensor.__{_operator}__",
        params="x, y, name=None",
        examples=_NUMBERS,
    )(over("x", "y", dtype="bool"))

rule(
    *math_names("equal", "not_equal"),
    params="x, y, name=None",
    examples=_NUMBERS,
)(over("x", "y", dtype="bool"))


@rule(
    *("tensorflow.Tensor.__eq__", "tensorflow.Tensor.__ne__"),
    params="x, y",
    examples=(*_ARRAYS[:2], example(Array("*a n"), Array("*a n")), example(Array("b n"), 3)),
)
def equality(call: Call) -> Tensor:
    """Whether elements are equal; shapes that do not fit are not, and no error."""
    operands = (call["x"], call["y"])
    if any(isinstance(value, Unknown) for value in operands):
        raise Undetermined("it is not known whether the shapes fit")
    shapes = [each.shape for each in operands if isinstance(each, Tensor)]
    if not shapes:
        raise Undetermined("none of the two is an array")
    met = broadcast(shapes, call.facts)
    known = len({*shapes}) == 1 or all(each.fixed is not None for each in shapes)
    if met.shape is None or not met.decided or not known:
        raise Undetermined("of shapes that do not fit the answer is one bool")
    return elementwise(call, "x", "y", dtype=promotion.BOOL)


rule(
    *tensorflow_names("where"),
    params="condition, x=None, y=None, name=None",
    examples=(
        example(Array("b n", "Bool"), Array("b n"), Array("b n")),
        example(Array("b n", "Bool"), Array("b 1"), Array("n")),
        example(Array("*a n", "Bool"), Array("n"), 0.0),
    ),
)(renamed(where, input="x", other="y"))


@rule(
    *tensorflow_names("clip_by_value"),
    params="t, clip_value_min, clip_value_max, name=None",
    examples=(
        example(Array("b n"), 0.0, 1.0),
        example(Array("b n", "Int32"), 0, 5),
        example(Array("b n"), Array("n"), 1.0),
    ),
)
def clip_by_value(call: Call) -> Tensor:
    """The limits broadcast to the array, which they may not widen."""
    array = call.tensor("t")
    limits = ("t", "clip_value_min", "clip_value_max")
    if meet(call, {name: call[name] for name in limits}) != array.shape:
        raise Undetermined("the limits may be wider than the array")
    return array


@rule(
    *tensorflow_names("add_n", "math.add_n"),
    params="inputs, name=None",
    examples=(
        example([Array("b n"), Array("b n")]),
        example([Array("b n"), Array("b n"), Array("n b")]),
        example([Array("*a n"), Array("*a n")]),
    ),
)
def add_n(call: Call) -> Tensor:
    """The sum of arrays of one shape."""
    arrays = tensors(call, "inputs")
    shape = together(call, [array.shape for array in arrays])
    return Tensor(shape, promotion.promoted(call.framework, arrays))


rule(
    *tensorflow_names("complex"),
    params="real, imag, name=None",
    examples=_ARRAYS[:2],
)(lambda call: elementwise(call, "real", "imag", dtype=_complex(call)))


def _complex(call: Call) -> DType:
    parts = promotion.promoted(call.framework, (call["real"], call["imag"]))
    made = {"float32": "complex64", "float64": "complex128"}
    names = parts.names
    return ANY if names is None or not names <= {*made} else DType(frozenset(map(made.get, names)))  # type: ignore[arg-type]
