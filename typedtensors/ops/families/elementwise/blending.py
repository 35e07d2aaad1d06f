# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops of more than two operands: choosing, limiting, mixing, masking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.families.indexing.picking import places
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import elementwise, over
from typedtensors.shapes import Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_MASK = Array("b n", "Bool")
_CHOICES = (
    example(_MASK, Array("b n"), Array("b n")),
    example(_MASK, Array("b 1"), Array("n")),
    example(Array("*a n", "Bool"), Array("n"), 0.0),
    example(_MASK, 1, Array("", "Float64")),
)


@rule(
    *("torch.where", "numpy.where"),
    params="condition, input=None, other=None, *, out=None",
    examples=(*_CHOICES, example(_MASK), example(Array("*a n", "Bool"))),
)
def where(call: Call) -> Value:
    """A choice between two operands; the condition's dtype has no part in the result's.

    Without them, the places where the condition holds.
    """
    counted = call.framework in {Framework.TORCH, Framework.NUMPY}
    if counted and call["input"] is None and call["other"] is None:
        return places(call.tensor("condition").shape)
    if call["input"] is None or call["other"] is None:
        raise Undetermined("the number of elements that `where` finds depends on the data")
    dtype = promotion.promoted(call.framework, (call["input"], call["other"]))
    return elementwise(call, "condition", "input", "other", dtype=dtype)


@rule(
    *methods("where"),
    params="input, condition, other",
    examples=(
        example(Array("b n"), _MASK, Array("b 1")),
        example(Array("n"), _MASK, 0.0),
    ),
)
def where_method(call: Call) -> Tensor:
    """As `torch.where`, from the first choice's point of view."""
    dtype = promotion.promoted(call.framework, (call["input"], call["other"]))
    return elementwise(call, "input", "condition", "other", dtype=dtype)


_LIMITS = (
    example(Array("b n"), 0.0, 1.0),
    example(Array("b n"), Array("b 1"), Array("n")),
    example(Array("*a n"), Array("n"), None),
    example(Array("b n", "Int64"), 0, 5),
)
rule(
    *torch_names("clamp", "clip", in_place=True),
    params="input, min=None, max=None, *, out=None",
    examples=(*_LIMITS, example(Array("b n"), min=0)),
)(over("input", "min", "max"))

rule(
    *("numpy.clip", "numpy.ndarray.clip"),
    params="a, a_min=None, a_max=None, out=None",
    examples=_LIMITS,
)(over("a", "a_min", "a_max"))

rule(
    *torch_names("clamp_min", in_place=True),
    params="input, min, *, out=None",
    examples=(example(Array("b n"), 0.5), example(Array("b n"), Array("n"))),
)(over("input", "min"))

rule(
    *torch_names("clamp_max", in_place=True),
    params="input, max, *, out=None",
    examples=(example(Array("b n"), 0.5), example(Array("b n"), Array("n"))),
)(over("input", "max"))

rule(
    *torch_names("lerp", in_place=True),
    params="input, end, weight, *, out=None",
    examples=(
        example(Array("b n"), Array("b n"), 0.5),
        example(Array("b 1"), Array("1 n"), Array("b n")),
    ),
)(over("input", "end", "weight"))

_THREE = (
    example(Array("b n"), Array("b n"), Array("b n")),
    example(Array("b n"), Array("b 1"), Array("n"), value=0.5),
)
for _name, _dtype in (("addcmul", "promoted"), ("addcdiv", "floating")):
    rule(
        *torch_names(_name, in_place=True),
        params="input, tensor1, tensor2, *, value=1, out=None",
        examples=_THREE,
    )(over("input", "tensor1", "tensor2", dtype=_dtype))


@rule(
    *torch_names("masked_fill"),
    *methods("masked_fill_"),
    params="input, mask, value",
    examples=(
        example(Array("b n"), _MASK, 0.0),
        example(Array("b n"), Array("n", "Bool"), Array("")),
        example(Array("*a n"), Array("n", "Bool"), -1),
    ),
)
def masked_fill(call: Call) -> Tensor:
    """The input keeps its dtype; the value is a number or has rank 0."""
    value = call["value"]
    if isinstance(value, Tensor) and value.shape.least_rank:
        where = wording.argument("value", call.name)
        raise Conflicting(wording.rank_differs(where, "", value.shape.text))
    return elementwise(call, "input", "mask", dtype=call.tensor("input").dtype)


rule(
    *methods("copy_"),
    params="input, src, non_blocking=False",
    examples=(example(Array("b n"), Array("b n")), example(Array("b n"), Array("n", "Int64"))),
)(lambda call: elementwise(call, "input", "src", dtype=call.tensor("input").dtype))
