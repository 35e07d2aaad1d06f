# SPDX-License-Identifier: Apache-2.0
"""Comparison, logic and bits, elementwise with broadcasting."""

from __future__ import annotations

from typedtensors.ops.names import methods, numpy_names, torch_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import over

_ARRAYS = (
    example(Array("b n"), Array("b n")),
    example(Array("b 1"), Array("1 n")),
    example(Array("*a n"), Array("n", "Int64")),
)
_NUMBERS = (*_ARRAYS, example(Array("b n"), 3), example(Array("b n", "Int64"), 0.5))
_MASKS = (
    example(Array("b n", "Bool"), Array("b n", "Bool")),
    example(Array("b 1", "Bool"), Array("1 n", "Bool")),
    example(Array("*a n", "Int64"), Array("n", "Int32")),
)

for _torch, _operator, _numpy in (
    (("eq",), "eq", "equal"),
    (("ne", "not_equal"), "ne", "not_equal"),
    (("lt", "less"), "lt", "less"),
    (("le", "less_equal"), "le", "less_equal"),
    (("gt", "greater"), "gt", "greater"),
    (("ge", "greater_equal"), "ge", "greater_equal"),
):
    rule(
        *torch_names(*_torch, in_place=True),
        *methods(f"__{_operator}__"),
        *numpy_names(_numpy),
        f"numpy.ndarray.__{_operator}__",
        params="input, other, *, out=None",
        examples=_NUMBERS,
    )(over("input", "other", dtype="bool"))

for _name in ("logical_and", "logical_or", "logical_xor"):
    rule(
        *torch_names(_name, in_place=True),
        *numpy_names(_name),
        params="input, other, *, out=None",
        examples=(*_ARRAYS, *_MASKS),
    )(over("input", "other", dtype="bool"))

for _name, _operator, _ufuncs, _examples in (
    ("bitwise_and", "and", (), _MASKS),
    ("bitwise_or", "or", (), _MASKS),
    ("bitwise_xor", "xor", (), _MASKS),
    ("bitwise_left_shift", "lshift", ("left_shift",), _MASKS[2:]),
    ("bitwise_right_shift", "rshift", ("right_shift",), _MASKS[2:]),
):
    rule(
        *torch_names(_name, operator=_operator, in_place=True),
        *numpy_names(_name, *_ufuncs, operator=_operator),
        params="input, other, *, out=None",
        examples=(*_examples, example(Array("b n", "Int64"), 3)),
    )(over("input", "other"))

rule(
    *torch_names("isclose"),
    params="input, other, rtol=1e-05, atol=1e-08, equal_nan=False",
    examples=_ARRAYS[:2],
)(over("input", "other", dtype="bool"))

rule(
    *numpy_names("isclose"),
    params="a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
    examples=_ARRAYS,
)(over("a", "b", dtype="bool"))
