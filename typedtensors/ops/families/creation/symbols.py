# SPDX-License-Identifier: Apache-2.0
"""Functions of torch on sizes that may be symbols of a graph: plain numbers elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, larger, smaller
from typedtensors.ops.families.creation.scalars import some_float
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import example
from typedtensors.shapes import Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N = Dim.name("n")

rule(*("torch.sym_float", "torch.sym_sqrt"), params="a", examples=(example(4), example(_N)))(
    some_float
)


@rule(*("torch.sym_max", "torch.sym_min"), params="a, b", examples=(example(3, 4), example(_N, 2)))
def extreme(call: Call) -> Value:
    """The larger or the smaller one of two sizes."""
    return (larger if call.name == "sym_max" else smaller)(call.dim("a"), call.dim("b"))


@rule("torch.sym_sum", params="args", examples=(example([3, _N]), example((2,))))
def total(call: Call) -> Value:
    """The sum of sizes."""
    given = call["args"]
    sizes = given.dims if isinstance(given, Shape) else given
    if not isinstance(sizes, (tuple, list)) or not all(isinstance(each, Dim) for each in sizes):
        raise Undetermined("the sizes are not known")
    return sum((each for each in sizes if isinstance(each, Dim)), Dim.of(0))


@rule("torch.sym_not", params="a", examples=(example(True), example(False)))
def negated(call: Call) -> Value:
    """The other bool."""
    return not call.flag("a")


@rule("torch.sym_ite", params="b, t, f", examples=(example(True, _N, 2), example(False, _N, 2)))
def chosen(call: Call) -> Value:
    """One of two values."""
    return call["t"] if call.flag("b") else call["f"]
