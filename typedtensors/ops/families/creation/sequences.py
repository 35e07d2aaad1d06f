# SPDX-License-Identifier: Apache-2.0
"""Numbers in a row: arange and linspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most, nonnegative
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.families.creation.sized import (
    OPTIONS,
    default_float,
    dtype_of,
    made,
    typed,
)
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import example
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N, _M = Dim.name("n"), Dim.name("m")
_ZERO, _ONE = Dim.of(0), Dim.of(1)


@rule(
    "torch.arange",
    "numpy.arange",
    params=f"*numbers, start=None, end=None, stop=None, step=None, {OPTIONS}, like=None",
    examples=(
        example(_N),
        example(0, _N),
        example(1, _N + 1),
        example(_N, _N + _M),
        example(0, _N, 2),
        example(0, _N, step=3),
        example(_N - 1, -1, -1),
        example(_N, 0, -2),
        example(7),
        example(2, 9, 3),
        example(0, 1, 0.25),
        example(0.0, _N),
        example(_N, dtype=DType.exactly("float32")),
    ),
)
def arange(call: Call) -> Value:
    """As many numbers as steps fit."""
    start, end, step = _bounds(call)
    numbers = (start, end, step)
    dtype = typed(call, _dtype(call, numbers))
    if not (isinstance(start, Dim) and isinstance(end, Dim) and isinstance(step, Dim)):
        return Tensor(Shape((Axis(Dim.fresh()),)), dtype)
    return Tensor(Shape((Axis(_steps(call, start, end, step)),)), dtype)


def _bounds(call: Call) -> tuple[Value, Value, Value]:
    numbers = call["numbers"]
    assert isinstance(numbers, tuple)  # noqa: S101 - that is what variadic parameters are
    if any(isinstance(number, DType) for number in numbers):
        raise Undetermined("a dtype among the numbers")
    stop = call["stop"] if call["end"] is None else call["end"]
    if len(numbers) == 1 and stop is None:
        numbers = (_ZERO, *numbers)
    given = dict(zip(("start", "end", "step"), numbers, strict=False))
    start, step = given.get("start", call["start"]), given.get("step", call["step"])
    end = given.get("end", stop)
    if end is None:
        raise Undetermined("the end is not given")
    return _ZERO if start is None else start, end, _ONE if step is None else step


def _dtype(call: Call, numbers: tuple[Value, ...]) -> DType:
    """Integers unless one of the numbers is a float."""
    kinds = [dtype_of(call, number) for number in numbers]
    if ANY in kinds:
        return promotion.LARGE if call.framework is Framework.TORCH else ANY
    return next((kind for kind in kinds if kind != promotion.INT64), promotion.INT64)


def _steps(call: Call, start: Dim, end: Dim, step: Dim) -> Dim:
    """The whole number of steps from `start` to before `end`, rounded up."""
    way, stride = (end - start, step) if nonnegative(step) else (start - end, -step)
    if at_most(stride, _ZERO):
        raise Conflicting(wording.misused(call.name, "a step of 0"))
    if not at_most(_ONE, stride):
        return Dim.fresh()
    if at_most(way, Dim.of(-1)):
        if call.framework is Framework.NUMPY:
            return _ZERO
        raise Conflicting(wording.misused(call.name, f"no way from {start} to {end} by {step}"))
    if call.framework is Framework.NUMPY and not nonnegative(way):
        return Dim.fresh()
    return (way + stride - 1) // stride


@rule(
    "torch.linspace",
    "torch.logspace",
    params=f"start, end, steps, base=10.0, *, {OPTIONS}",
    examples=(
        example(0.0, 1.0, _N),
        example(0, 1, steps=5),
        example(0, 1, -1),
        example(0.0, 1.0, _N, dtype=DType.exactly("float64")),
    ),
)
def linspace(call: Call) -> Value:
    """The given number of numbers."""
    return made(call, (Axis(call.dim("steps")),), typed(call, default_float(call)))


@rule(
    "numpy.linspace",
    params="start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
    examples=(example(0.0, 1.0, _N), example(0, 1), example(0, 1, num=7), example(0, 1, -1)),
)
def linspace_numpy(call: Call) -> Value:
    """The given number of numbers between two others."""
    ends = (call["start"], call["stop"])
    if call.flag("retstep") or not all(isinstance(end, (Dim, float)) for end in ends):
        raise Undetermined("the ends decide the shape")
    return made(call, (Axis(call.dim("num")),), typed(call, default_float(call)))
