# SPDX-License-Identifier: Apache-2.0
"""Folds and distributions of `torch.masked`, which leave out what a mask says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.reduction import asked, folded
from typedtensors.ops.steps.elementwise import elementwise, meet
from typedtensors.shapes import ANY, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_HOME = "torch.masked."
_MASK = Array("b n", "Bool")
_FLOAT = frozenset({"float"})
_OF_INTEGERS = frozenset({"amax", "amin", "argmax", "argmin"})


def require_mask(call: Call, name: str = "mask") -> None:
    """A mask broadcasts to the input, and does not widen it."""
    mask, array = call[name], call.tensor("input")
    if mask is None:
        return
    shape = call.tensor(name).shape
    if array.shape.rank is None or shape.rank is None:
        raise Undetermined("the rank is not known")
    if shape.rank > array.shape.rank:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, array.shape.text, shape.text))
    if meet(call, {"input": array, name: call.tensor(name)}) != array.shape:
        raise Undetermined("the mask may widen the input")


def _floats(call: Call, array: Tensor) -> Tensor:
    """The array, of which the dtype is known if it holds floats; positions are floats then too."""
    held = promotion.kinds(array.dtype)
    kept = held == _FLOAT or (call.name in _OF_INTEGERS and held == frozenset({"int"}))
    dtype = array.dtype if kept else ANY
    return array.with_dtype(asked(call, dtype))


def fold(call: Call) -> Value:
    """The axes are folded, or all of them."""
    require_mask(call)
    if call.tensor("input").shape.rank == 0 and call["dim"] is not None:
        raise Undetermined("torch lets a scalar pass")
    array = _floats(call, call.tensor("input"))
    return folded(call, array.dtype)


def along(call: Call) -> Value:
    """The shape stays; there has to be the axis."""
    require_mask(call)
    array = call.tensor("input")
    if array.shape.rank == 0:
        raise Undetermined("torch lets a scalar pass")
    position(call, array.shape, call["dim"])
    return _floats(call, array)


_FOLDED = (
    example(Array("b n")),
    example(Array("b n"), 1, mask=_MASK),
    example(Array("b n d"), (0, 1), keepdim=True),
    example(Array("b n"), 2),
)
_SETTINGS = "*, keepdim=False, dtype=None, mask=None"

rule(
    *(f"{_HOME}{name}" for name in ("sum", "prod", "amax", "amin", "mean", "logsumexp")),
    params=f"input, dim=None, {_SETTINGS}",
    examples=_FOLDED,
)(fold)
rule(
    *(f"{_HOME}var", f"{_HOME}std"),
    params="input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, "
    "mask=None",
    examples=_FOLDED,
)(fold)
rule(
    f"{_HOME}norm",
    params=f"input, ord=2.0, dim=None, {_SETTINGS}",
    examples=(example(Array("b n")), example(Array("b n"), 1.0, 1, mask=_MASK)),
)(fold)
rule(
    f"{_HOME}median",
    params=f"input, dim=-1, {_SETTINGS}",
    examples=(example(Array("b n")), example(Array("b n"), 0, mask=_MASK)),
)(fold)
rule(
    *(f"{_HOME}argmax", f"{_HOME}argmin"),
    params=f"input, dim=None, {_SETTINGS}",
    examples=(example(Array("b n")), example(Array("b n"), 0, mask=_MASK, keepdim=True)),
)(fold)
rule(
    *(f"{_HOME}{name}" for name in ("softmax", "log_softmax", "softmin", "cumsum", "cumprod")),
    params="input, dim, *, dtype=None, mask=None",
    examples=(
        example(Array("b n"), 1, mask=_MASK),
        example(Array("*a n"), -1),
        example(Array("b n"), 2),
    ),
)(along)
rule(
    f"{_HOME}normalize",
    params="input, ord, dim, *, eps=1e-12, dtype=None, mask=None",
    examples=(example(Array("b n"), 2.0, 1, mask=_MASK), example(Array("b n"), 1.0, 2)),
)(along)


@rule(
    f"{_HOME}logaddexp",
    params="input, other, *, dtype=None, input_mask=None, other_mask=None",
    examples=(example(Array("b n"), Array("b n")), example(Array("b n"), Array("b m"))),
)
def logaddexp(call: Call) -> Value:
    """The logarithm of a sum, elementwise."""
    require_mask(call, "input_mask")
    one, other = call.tensor("input"), call.tensor("other")
    if call["other_mask"] is not None and other.shape != one.shape:
        raise Undetermined("the masks may not fit")
    known = call["dtype"] is None and one.dtype == other.dtype
    return elementwise(call, "input", "other", dtype=_floats(call, one).dtype if known else ANY)
