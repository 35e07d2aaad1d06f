# SPDX-License-Identifier: Apache-2.0
"""Arrays whose elements are all replaced, in place: zero_, normal_, fill_."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.names import methods
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *methods("zero_", "normal_", "uniform_"),
    params="input, *args, mean=0, std=1, generator=None",
    examples=(example(Array("b n")), example(Array("*batch n"))),
)
def refill(call: Call) -> Value:
    """The same array, with other elements."""
    return call.tensor("input")


@rule(
    "torch.Tensor.fill_",
    params="input, value",
    examples=(example(Array("b n"), 0), example(Array("*batch n"), 1.5)),
)
def fill(call: Call) -> Value:
    """The same array, with one value."""
    return call.tensor("input")
