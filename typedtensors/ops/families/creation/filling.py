# SPDX-License-Identifier: Apache-2.0
"""Arrays whose elements are replaced: by a value, by draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import elementwise

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    "torch.zero_",
    params="input",
    examples=(example(Array("b n")), example(Array("*batch n"))),
)
@rule(
    *methods("zero_", "normal_", "uniform_"),
    params="input, *args, mean=0, std=1, generator=None",
    examples=(example(Array("b n")), example(Array("*batch n"))),
)
def refill(call: Call) -> Value:
    """The same array, with other elements."""
    return call.tensor("input")


@rule(
    *("torch.Tensor.fill_", "torch.fill", "torch.fill_"),
    params="input, value",
    examples=(example(Array("b n"), 0), example(Array("*batch n"), 1.5)),
)
def fill(call: Call) -> Value:
    """The same array, with one value."""
    return call.tensor("input")


@rule(
    *methods("geometric_"),
    params="input, p, *, generator=None",
    examples=(example(Array("b n"), 0.5), example(Array("*batch n"), 0.5)),
)
@rule(
    *methods("exponential_", "cauchy_", "log_normal_", "random_", "bernoulli_"),
    params="input, *args, **settings",
    examples=(example(Array("b n")), example(Array("*batch n"), generator=None)),
)
def draw(call: Call) -> Value:
    """The same array, with elements of a distribution."""
    return call.tensor("input")


@rule(
    *torch_names("bernoulli"),
    params="input, p=None, *, generator=None, out=None",
    examples=(example(Array("b n")), example(Array("*batch n"))),
)
@rule(
    "torch.poisson",
    params="input, generator=None",
    examples=(example(Array("b n")), example(Array("*batch n"))),
)
def drawn(call: Call) -> Value:
    """A draw for each element, which is its parameter."""
    return call.tensor("input")


@rule(
    "torch.binomial",
    params="count, prob, generator=None",
    examples=(example(Array("b n"), Array("b n")), example(Array("b n"), Array("b m"))),
)
def binomial(call: Call) -> Value:
    """A draw for each pair of a count and a probability."""
    if call.tensor("count").dtype != call.tensor("prob").dtype:
        raise Undetermined("torch takes arrays of one dtype")
    return elementwise(call, "count", "prob")


@rule(
    *methods("fill_diagonal_"),
    params="input, fill_value, wrap=False",
    examples=(example(Array("n n"), 0), example(Array("n m"), 1.0, True)),
)
def fill_diagonal(call: Call) -> Value:
    """The same matrix, with one value on its diagonal."""
    array = call.tensor("input")
    if array.shape.rank != 2:
        raise Undetermined("the array is not known to be a matrix")
    return array
