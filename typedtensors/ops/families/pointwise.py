# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparison and logic, elementwise with broadcasting."""

from __future__ import annotations

from typedtensors.ops.elementwise import over
from typedtensors.ops.names import numpy_names, torch_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example

_FAMILY = "pointwise"
_TWO = (
    example(Array("b n"), Array("b n")),
    example(Array("b n"), Array("b 1")),
    example(Array("*a n"), Array("n")),
    example(Array("b n"), 3),
)
_INTEGERS = (
    example(Array("b n", "Int64"), Array("n", "Int64")),
    example(Array("b 1", "Int64"), Array("1 n", "Int64")),
)

# Names, the operator's name, and NumPy's names, of arithmetic that keeps the promoted dtype.
_ARITHMETIC = (
    (("mul", "multiply"), "mul", ("multiply",)),
    (("remainder",), "mod", ("remainder", "mod")),
    (("floor_divide",), "floordiv", ("floor_divide",)),
    (("pow",), "pow", ("power", "pow")),
    (("fmod",), "", ("fmod",)),
)
for _names, _operator, _numpy in _ARITHMETIC:
    rule(
        *torch_names(*_names, operator=_operator, in_place=True),
        *numpy_names(*_numpy, operator=_operator),
        params="input, other, *, out=None",
        family=_FAMILY,
        examples=_TWO,
    )(over("input", "other"))

for _names, _operator in ((("add",), "add"), (("sub", "subtract"), "sub")):
    rule(
        *torch_names(*_names, operator=_operator, in_place=True),
        *numpy_names(_names[-1], operator=_operator),
        params="input, other, *, alpha=1, out=None",
        family=_FAMILY,
        examples=(*_TWO, example(Array("b n"), Array("n"), alpha=2)),
    )(over("input", "other"))
