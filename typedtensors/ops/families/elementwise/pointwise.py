# SPDX-License-Identifier: Apache-2.0
"""Arithmetic over two operands, elementwise with broadcasting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops import promotion
from typedtensors.ops.merging import kind
from typedtensors.ops.names import numpy_names, torch_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import elementwise, over
from typedtensors.shapes import DType

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.shapes import Tensor

_ARRAYS = (
    example(Array("b n"), Array("b n")),
    example(Array("b 1"), Array("1 n")),
    example(Array("*a n"), Array("n", "Float64")),
)
_NUMBERS = (
    *_ARRAYS,
    example(Array("b n"), Array("", "Int64")),
    example(Array("b n"), 3),
    example(Array("b n", "Int64"), 2.5),
)
_INTEGERS = (
    example(Array("b n", "Int64"), Array("n", "Int64")),
    example(Array("b 1", "Int32"), Array("1 n", "UInt8")),
)

# Functions and methods of torch, the operator, functions of NumPy.
for _torch, _operator, _numpy in (
    (("mul", "multiply"), "mul", ("multiply",)),
    (("floor_divide",), "floordiv", ("floor_divide",)),
    (("remainder",), "mod", ("remainder", "mod")),
    (("fmod",), "", ("fmod",)),
):
    rule(
        *torch_names(*_torch, operator=_operator, in_place=True),
        *numpy_names(*_numpy, operator=_operator),
        params="input, other, *, out=None",
        examples=_NUMBERS,
    )(over("input", "other"))

for _torch, _operator, _numpy in (
    (("add",), "add", ("add",)),
    (("sub", "subtract"), "sub", ("subtract",)),
):
    rule(
        *torch_names(*_torch, operator=_operator, in_place=True),
        *numpy_names(*_numpy, operator=_operator),
        params="input, other, *, alpha=1, out=None",
        examples=(*_NUMBERS, example(Array("b n"), Array("n"), alpha=2)),
    )(over("input", "other"))

rule("torch.rsub", params="input, other, *, alpha=1", examples=_NUMBERS)(over("input", "other"))

rule(
    *torch_names("pow", operator="pow", in_place=True),
    *numpy_names("power", "pow", operator="pow"),
    params="input, exponent, *, out=None",
    examples=_NUMBERS,
)(over("input", "exponent"))


@rule(
    *torch_names("div", "divide", operator="truediv", in_place=True),
    params="input, other, *, rounding_mode=None, out=None",
    examples=(*_NUMBERS, example(Array("b n"), Array("b 1"), rounding_mode="floor")),
)
def divide(call: Call) -> Tensor:
    """A quotient is a float, unless it is rounded."""
    operands = (call["input"], call["other"])
    dtype = promotion.promoted(call.framework, operands)
    if call["rounding_mode"] is None:
        dtype = promotion.floating(call.framework, dtype)
    return elementwise(call, "input", "other", dtype=dtype)


rule(
    *torch_names("true_divide", in_place=True),
    params="input, other, *, out=None",
    examples=_NUMBERS,
)(over("input", "other", dtype="floating"))


@rule(
    *numpy_names("divide", "true_divide", operator="truediv"),
    params="input, other, *, out=None",
    examples=_NUMBERS,
)
def numpy_divide(call: Call) -> Tensor:
    """A quotient of integers is a float64, however narrow they are."""
    dtype = promotion.promoted(call.framework, (call["input"], call["other"]))
    if dtype.names is not None:
        wide = (kind(name) in ("int", "bool") for name in dtype.names)
        names = ("float64" if each else name for each, name in zip(wide, dtype.names, strict=True))
        dtype = DType(frozenset(names))
    return elementwise(call, "input", "other", dtype=dtype)


for _name, _in_place, _same, _dtype in (
    ("maximum", False, ("maximum",), "promoted"),
    ("minimum", False, ("minimum",), "promoted"),
    ("fmax", False, ("fmax",), "promoted"),
    ("fmin", False, ("fmin",), "promoted"),
    ("atan2", True, ("atan2", "arctan2"), "floating"),
    ("arctan2", True, (), "floating"),
    ("hypot", True, ("hypot",), "floating"),
    ("logaddexp", False, ("logaddexp",), "floating"),
    ("logaddexp2", False, ("logaddexp2",), "floating"),
    ("copysign", True, ("copysign",), "floating"),
    ("nextafter", True, ("nextafter",), "floating"),
):
    rule(
        *torch_names(_name, in_place=_in_place),
        *numpy_names(*_same),
        params="input, other, *, out=None",
        examples=_ARRAYS,
    )(over("input", "other", dtype=_dtype))

rule(
    *torch_names("xlogy", in_place=True),
    "torch.special.xlogy",
    params="input, other, *, out=None",
    examples=_NUMBERS,
)(over("input", "other", dtype="floating"))

for _name in ("igamma", "igammac", "heaviside"):
    rule(
        *torch_names(_name, in_place=True),
        params="input, other, *, out=None",
        examples=_ARRAYS[:2],
    )(over("input", "other"))

rule(
    *torch_names("ldexp", in_place=True),
    params="input, other, *, out=None",
    examples=(example(Array("b n"), Array("n")), example(Array("b 1"), Array("n", "Int64"))),
)(over("input", "other", dtype="floating"))

for _name in ("gcd", "lcm"):
    rule(
        *torch_names(_name, in_place=True),
        *numpy_names(_name),
        params="input, other, *, out=None",
        examples=_INTEGERS,
    )(over("input", "other"))
