# SPDX-License-Identifier: Apache-2.0
"""Random arrays of NumPy: the functions of `numpy.random`, and the methods of its generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.creation.sized import default_float, made, typed
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import parts
from typedtensors.ops.value import Object
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_B, _N = Dim.name("b"), Dim.name("n")
_INT32 = DType.exactly("int32")
_GENERATOR = "numpy.random.Generator"
_RNG = Object(_GENERATOR)


@rule(
    "numpy.random.randint",
    params="low, high=None, size=None, dtype=None",
    examples=(
        example(0, 10, (_B, _N)),
        example(0, 10, _N),
        example(10, size=(_B,), dtype=_INT32),
    ),
)
def randint_numpy(call: Call) -> Value:
    """Random integers."""
    return _drawn(call, typed(call, promotion.INT64), "low", "high")


@rule(
    "numpy.random.normal",
    "numpy.random.uniform",
    params="first=0.0, second=1.0, size=None",
    examples=(example(0.0, 1.0, (_B, _N)), example(size=_N), example(0.0, 1.0, _B)),
)
def drawn_numpy(call: Call) -> Value:
    """Random floats."""
    return _drawn(call, default_float(call), "first", "second")


@rule(
    "numpy.random.random",
    "numpy.random.random_sample",
    "numpy.random.standard_normal",
    params="size=None",
    examples=(example((_B, _N)), example(_N), example(size=(_B,))),
)
def standard_numpy(call: Call) -> Value:
    """Random floats of a standard distribution."""
    return _drawn(call, default_float(call))


def _drawn(call: Call, dtype: DType, *limits: str) -> Tensor:
    if call["size"] is None or any(isinstance(call[name], Tensor) for name in limits):
        raise Undetermined("the limits decide the shape")
    return made(call, parts(call["size"]), dtype)


@rule(
    "numpy.random.choice",
    params="a, size=None, replace=True, p=None",
    examples=(example(_N, 5), example(Array("n"), (_B, 3)), example(10, size=_B)),
)
@rule(
    f"{_GENERATOR}.choice",
    params="self, a, size=None, replace=True, p=None, axis=0, shuffle=True",
    examples=(example(_RNG, _N, 5), example(_RNG, 10, size=(_B, 3))),
)
def chosen(call: Call) -> Value:
    """Elements of a vector, or of the integers below a number, as many as are asked for."""
    given, size = call["a"], call["size"]
    if size is None or not (isinstance(given, Dim) or call.tensor("a").shape.rank == 1):
        raise Undetermined("what is chosen from decides the shape")
    dtype = promotion.INT64 if isinstance(given, Dim) else call.tensor("a").dtype
    return made(call, parts(size), dtype)


@rule(
    *(f"numpy.random.{name}" for name in ("exponential", "poisson", "rayleigh")),
    params="first=1.0, size=None",
    examples=(example(1.0, (_B, _N)), example(size=_N)),
)
@rule(
    *(f"{_GENERATOR}.{name}" for name in ("exponential", "poisson", "rayleigh")),
    params="self, first=1.0, size=None",
    examples=(example(_RNG, 1.0, (_B, _N)), example(_RNG, size=_N)),
)
def drawn_of_one(call: Call) -> Value:
    """Random numbers of a distribution of one parameter."""
    return _drawn(call, ANY, "first")


@rule(
    *(f"numpy.random.{name}" for name in ("beta", "binomial", "gamma", "laplace", "lognormal")),
    params="first, second=1.0, size=None",
    examples=(example(1.0, 1.0, (_B, _N)), example(1.0, 1.0, size=_N)),
)
@rule(
    *(f"{_GENERATOR}.{name}" for name in ("beta", "gamma", "laplace", "lognormal")),
    params="self, first, second=1.0, size=None",
    examples=(example(_RNG, 1.0, 1.0, (_B, _N)), example(_RNG, 1.0, 1.0, size=_N)),
)
def drawn_of_two(call: Call) -> Value:
    """Random numbers of a distribution of two parameters."""
    return _drawn(call, ANY, "first", "second")


@rule("numpy.random.default_rng", params="seed=None", examples=(example(),))
def default_rng(_call: Call) -> Value:
    """A generator, whose methods are ops."""
    return Object(_GENERATOR)


@rule(
    f"{_GENERATOR}.integers",
    params="self, low, high=None, size=None, dtype=None, endpoint=False",
    examples=(
        example(_RNG, 0, 10, (_B, _N)),
        example(_RNG, 10, size=_N),
        example(_RNG, 0, 10, size=(_B,), dtype=_INT32),
    ),
)
def integers(call: Call) -> Value:
    """Random integers."""
    return _drawn(call, typed(call, promotion.INT64), "low", "high")


@rule(
    *(f"{_GENERATOR}.{name}" for name in ("normal", "uniform")),
    params="self, first=0.0, second=1.0, size=None",
    examples=(example(_RNG, 0.0, 1.0, (_B, _N)), example(_RNG, size=_N)),
)
def drawn_by(call: Call) -> Value:
    """Random floats."""
    return _drawn(call, default_float(call), "first", "second")


@rule(
    *(f"{_GENERATOR}.{name}" for name in ("random", "standard_normal")),
    params="self, size=None, dtype=None",
    examples=(
        example(_RNG, (_B, _N)),
        example(_RNG, size=_N),
        example(_RNG, _N, DType.exactly("float32")),
    ),
)
def standard_by(call: Call) -> Value:
    """Random floats of a standard distribution."""
    return _drawn(call, typed(call, default_float(call)))


@rule(
    "numpy.random.permutation",
    params="x",
    examples=(example(_N), example(Array("b n"))),
)
@rule(
    f"{_GENERATOR}.permutation",
    params="self, x, axis=0",
    examples=(example(_RNG, _N), example(_RNG, Array("b n"))),
)
def permutation(call: Call) -> Value:
    """The integers below a number, or the array, in random order."""
    given, axis = call["x"], call.arguments.get("axis", Dim.of(0))
    if isinstance(given, Dim):
        return Tensor(Shape((Axis(given),)), promotion.INT64)
    array = call.tensor("x")
    if array.shape.least_rank < 1 or axis != Dim.of(0):
        raise Undetermined("the axis may not be there")
    return array
