# SPDX-License-Identifier: Apache-2.0
"""Complex numbers: their parts, and arrays made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import elementwise
from typedtensors.ops.steps.matrices import complexed
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_COMPLEX = Array("b n", "Complex64")
_REAL = Array("b n")


def _require(call: Call, array: Tensor, kind: str, wanted: str) -> None:
    """Require one kind of number. Raises Conflicting for certain others."""
    held = promotion.kinds(array.dtype)
    if held is None:
        raise Undetermined("the dtype is not known")
    if kind not in held:
        where = f"`{call.name}`"
        raise Conflicting(wording.dtype_differs(where, wanted, promotion.text(array.dtype)))


@rule(
    *torch_names("real"),
    params="input",
    examples=(example(_COMPLEX), example(_REAL), example(Array("*a n", "Complex64"))),
)
def real(call: Call) -> Value:
    """The real part."""
    array = call.tensor("input")
    return array.with_dtype(promotion.real(array.dtype))


@rule(
    *torch_names("imag"),
    params="input",
    examples=(example(_COMPLEX), example(_REAL)),
)
def imaginary(call: Call) -> Value:
    """The imaginary part, of complex numbers only."""
    array = call.tensor("input")
    _require(call, array, "complex", "Complex")
    return array.with_dtype(promotion.real(array.dtype))


@rule(
    *torch_names("angle"),
    params="input, *, out=None",
    examples=(example(_COMPLEX), example(_REAL), example(Array("*a n"))),
)
def angle(call: Call) -> Value:
    """The angle of each number."""
    array = call.tensor("input")
    return array.with_dtype(promotion.real(promotion.floating(Framework.TORCH, array.dtype)))


@rule(
    *("torch.view_as_real", "torch.view_as_real_copy"),
    params="input",
    examples=(example(_COMPLEX), example(_REAL), example(Array("*a n", "Complex64"))),
)
def view_as_real(call: Call) -> Value:
    """One more axis of two, for both parts."""
    array = call.tensor("input")
    _require(call, array, "complex", "Complex")
    shape = Shape((*array.shape.axes, Axis(Dim.of(2))))
    return Tensor(shape, promotion.real(array.dtype))


@rule(
    *("torch.view_as_complex", "torch.view_as_complex_copy"),
    params="input",
    examples=(
        example(Array("b 2")),
        example(Array("*a 2")),
        example(Array("b 3")),
        example(_COMPLEX),
    ),
)
def view_as_complex(call: Call) -> Value:
    """The last axis, of two, holds both parts."""
    array = call.tensor("input")
    _require(call, array, "float", "Float")
    if array.shape.rank == 0:
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "... 2", ""))
    last = array.shape.axis(-1)
    if last is None or last.flexible:
        raise Undetermined("the last axis is not known")
    if call.requires(last.dim, Dim.of(2)) is Verdict.DIFFERENT:
        raise Conflicting(wording.axis_differs(f"`{call.name}`", -1, "2", str(last)))
    return Tensor(Shape(array.shape.axes[:-1]), complexed(array.dtype))


@rule(
    "torch.complex",
    params="real, imag, *, out=None",
    examples=(example(_REAL, _REAL), example(_REAL, Array("n")), example(_REAL, Array("b"))),
)
@rule(
    "torch.polar",
    params="abs, angle, *, out=None",
    examples=(example(_REAL, _REAL), example(Array("*a n"), Array("n"))),
)
def of_parts(call: Call) -> Value:
    """Complex numbers of two arrays, which broadcast."""
    names = ("real", "imag") if call.name == "complex" else ("abs", "angle")
    dtype = complexed(call.tensor(names[0]).dtype)
    return elementwise(call, *names, dtype=dtype)


_DOUBLE = DType.exactly("float64")


@rule(
    "torch.Tensor.float_power_",
    params="input, exponent",
    examples=(example(Array("b n", "Float64"), 2), example(Array("b n", "Float64"), Array("n"))),
)
def float_power_in_place(call: Call) -> Value:
    """A power of an array that has double precision already."""
    if call.tensor("input").dtype != _DOUBLE:
        raise Undetermined("torch wants double precision")
    return float_power(call)


@rule(
    *torch_names("float_power"),
    params="input, exponent, *, out=None",
    examples=(
        example(_REAL, 2),
        example(_REAL, Array("n")),
        example(Array("b 1", "Int64"), Array("n")),
    ),
)
def float_power(call: Call) -> Value:
    """A power in double precision."""
    plain = promotion.promoted(call.framework, (call["input"], call["exponent"]))
    held = promotion.kinds(plain)
    if held is None or ("complex" in held and len(held) > 1):
        raise Undetermined("the dtype is not known")
    dtype = DType.exactly("complex128") if "complex" in held else _DOUBLE
    return elementwise(call, "input", "exponent", dtype=dtype)
