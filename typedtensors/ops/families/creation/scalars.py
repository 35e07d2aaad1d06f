# SPDX-License-Identifier: Apache-2.0
"""Functions that make the numbers arrays are scaled by, those of the standard library first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, product
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import example
from typedtensors.ops.value import SOME_FLOAT
from typedtensors.shapes import Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def some_float(_call: Call) -> float:
    """A float, whatever the arguments are."""
    return SOME_FLOAT


rule(
    *("math.sqrt", "math.exp", "math.log2", "math.log10", "math.log1p", "math.expm1"),
    *("math.sin", "math.cos", "math.tan", "math.tanh", "math.sinh", "math.cosh"),
    *("math.atan", "math.asinh", "math.erf", "math.gamma", "math.lgamma", "math.fabs"),
    *("math.radians", "math.degrees"),
    params="x",
    examples=(example(3), example(0.5)),
)(some_float)
rule(
    *("math.pow", "math.atan2", "math.hypot", "math.copysign", "math.fmod"),
    params="x, y",
    examples=(example(3, 2), example(0.5, 2.0)),
)(some_float)
rule("math.log", params="x, base=None", examples=(example(3), example(8, 2)))(some_float)
rule("keras.backend.epsilon", "keras.config.epsilon", params="", examples=(example(),))(some_float)


@rule(
    *("math.floor", "math.ceil", "math.trunc"),
    params="x",
    examples=(example(2.5), example(Dim.name("n"))),
)
def rounded(call: Call) -> Dim:
    """An integer is itself; that of a float is not known."""
    given = call["x"]
    return given if isinstance(given, Dim) else Dim.fresh(call.name)


@rule(
    "math.prod",
    params="iterable, *, start=1",
    examples=(example((Dim.name("h"), Dim.name("w"))), example([2, Dim.name("n")], start=3)),
)
def prod(call: Call) -> Value:
    """The product of sizes."""
    given = call["iterable"]
    sizes = given.dims if isinstance(given, Shape) else given
    if not isinstance(sizes, (tuple, list)):
        raise Undetermined("the numbers are not known")
    dims = [size for size in sizes if isinstance(size, Dim)]
    if len(dims) < len(sizes):
        raise Undetermined("not every number is an integer")
    return product([call.dim("start"), *dims])
