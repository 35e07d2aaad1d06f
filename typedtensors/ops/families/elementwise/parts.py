# SPDX-License-Identifier: Apache-2.0
"""Floats as their parts, and floats as an integer would hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.shapes import DType

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ARRAYS = (example(Array("b n")), example(Array("*a n")))
_FLOAT32 = DType.exactly("float32")


@rule(*torch_names("frexp"), params="input, *, out=None", examples=_ARRAYS)
def frexp(call: Call) -> Value:
    """A fraction and a power of two for each element."""
    array = call.tensor("input")
    require_inexact(call, array)
    return Fields.of(mantissa=array, exponent=array.with_dtype(DType.exactly("int32")))


@rule(*torch_names("dequantize"), params="input", examples=_ARRAYS)
def dequantize(call: Call) -> Value:
    """Floats again, of single precision."""
    return call.tensor("input").with_dtype(_FLOAT32)


@rule(
    "torch.fake_quantize_per_tensor_affine",
    params="input, scale, zero_point, quant_min, quant_max",
    examples=(example(Array("b n"), 0.1, 0, 0, 255), example(Array("*a"), 0.1, 0, 0, 255)),
)
def fake_quantize(call: Call) -> Value:
    """Floats rounded as integers would be, between two of them."""
    array = call.tensor("input")
    require_inexact(call, array)
    least, zero, most = map(call.integer, ("quant_min", "zero_point", "quant_max"))
    if not least <= zero <= most:
        problem = f"the zero {zero} is not between {least} and {most}"
        raise Conflicting(wording.misused(call.name, problem))
    return array


@rule(
    *methods("to_sparse", "to_dense", "to_sparse_coo"),
    params="input, *args, **settings",
    examples=_ARRAYS,
)
def same(call: Call) -> Value:
    """The same elements, laid out otherwise."""
    return call.tensor("input")
