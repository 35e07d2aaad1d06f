# SPDX-License-Identifier: Apache-2.0
"""What calls Python for each element, and what Python's own functions call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.names import methods
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet, overwritten
from typedtensors.shapes import Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *methods("apply_"),
    params="input, callable",
    examples=(example(Array("b n"), abs), example(Array("*a"), abs)),
)
def applied(call: Call) -> Value:
    """The same array, with what a function makes of each element."""
    return call.tensor("input")


@rule(
    *methods("map_"),
    params="input, tensor, callable",
    examples=(
        example(Array("b n"), Array("b n"), max),
        example(Array("b n"), Array("n"), max),
        example(Array("b n"), Array("b m"), max),
    ),
)
@rule(
    *methods("map2_"),
    params="input, x, y, callable",
    examples=(example(Array("b n"), Array("b 1"), Array("n"), max),),
)
def mapped(call: Call) -> Value:
    """The same array, with what a function makes of elements of it and of others."""
    array = call.tensor("input")
    names = ("tensor",) if call.name == "map_" else ("x", "y")
    shape = meet(call, {name: call.tensor(name) for name in ("input", *names)})
    return overwritten(call, array, Tensor(shape, array.dtype))


@rule(*methods("__reversed__"), params="input", examples=(example(Array("b n")),))
def backwards(call: Call) -> Value:
    """The elements from last to first."""
    return call.tensor("input")
