# SPDX-License-Identifier: Apache-2.0
"""Losses over classes: the input has a class axis, the target holds indices or probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices, on_layers
from typedtensors.ops.steps.loss import dtype_of, require_axis, require_same_shape, returned
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_SETTINGS = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"
_SMOOTHED = f"{_SETTINGS}, label_smoothing=0.0"
_INDICES = (
    example(Array("b c"), indices("b")),
    example(Array("b c"), indices("b"), weight=Array("c"), reduction="none"),
    example(Array("c"), indices("")),
    example(Array("b c t"), indices("b t"), reduction="none"),
    example(Array("b c h w"), indices("b h w")),
    example(Array("b t c"), indices("b t")),
    example(Array("b c"), indices("b 1")),
    example(Array("*a c"), indices("*a"), reduction="sum"),
)
_PROBABILITIES = (
    example(Array("b c"), Array("b c"), reduction="none"),
    example(Array("b c t"), Array("b c t"), label_smoothing=0.1),
    example(Array("b c"), Array("b")),
)


@rule(
    "torch.nn.functional.cross_entropy",
    params=f"input, target, {_SMOOTHED}",
    examples=(*_INDICES, *_PROBABILITIES),
)
@layer(
    "torch.nn.CrossEntropyLoss",
    params=_SMOOTHED,
    inputs="input, target",
    examples=on_layers((*_INDICES, *_PROBABILITIES)),
)
def cross_entropy(call: Call) -> Tensor:
    """Indices if the target holds integers, probabilities of the input's shape if floats."""
    array, target = call.tensor("input"), call.tensor("target")
    _require_class_axis(call, array)
    held = promotion.kinds(target.dtype)
    if held == frozenset({"float"}):
        require_same_shape(call, "input", "target")
        dtype = dtype_of((array.dtype, target.dtype))
        return returned(call, _without_class(array.shape), dtype)
    if held and held <= {"int", "bool"}:
        if array.shape == target.shape == Shape.of(1):
            raise Undetermined("of one class, indices are taken for probabilities")
        return _indexed(call, array, target)
    return returned(call, _without_class(array.shape), ANY)


@rule(
    "torch.nn.functional.nll_loss",
    params=f"input, target, {_SETTINGS}",
    examples=_INDICES,
)
@layer(
    "torch.nn.NLLLoss2d",
    params="weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
    inputs="input, target",
    examples=on_layers(_INDICES[:2]),
)
@layer(
    "torch.nn.NLLLoss",
    params=_SETTINGS,
    inputs="input, target",
    examples=on_layers(_INDICES),
)
def nll_loss(call: Call) -> Tensor:
    """The target holds indices."""
    array, target = call.tensor("input"), call.tensor("target")
    _require_class_axis(call, array)
    held = promotion.kinds(target.dtype)
    if held and held <= {"float", "complex"}:
        where = wording.argument("target", call.name)
        actual = promotion.text(target.dtype)
        raise Conflicting(wording.dtype_differs(where, "Int64", actual))
    return _indexed(call, array, target)


def _require_class_axis(call: Call, array: Tensor) -> None:
    """The input has classes, and a weight has one value for each of them."""
    if array.shape.rank == 0:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch classes", array.shape.text))
    at, weight = _class_at(array.shape), call["weight"]
    if at is None or not isinstance(weight, Tensor):
        return
    if weight.shape.rank is not None and weight.shape.rank != 1:
        raise Undetermined("torch takes some weights of other ranks than 1")
    require_axis(call, ("input", at), ("weight", 0))


def _class_at(shape: Shape) -> int | None:
    """Where the classes are: the only axis, or the second one."""
    if shape.rank is None and len(shape.prefix) < 2:
        return None
    return 0 if shape.rank == 1 else 1


def _without_class(shape: Shape) -> Shape:
    at = _class_at(shape)
    return Shape.unknown() if at is None else shape.replace(at)


def _indexed(call: Call, array: Tensor, target: Tensor) -> Tensor:
    """The target has the input's axes but for the classes."""
    wanted, given = _without_class(array.shape), target.shape
    if wanted.rank is None or given.rank is None:
        # One of them says how many axes there are; the result has the target's.
        return returned(call, given, array.dtype)
    if array.shape.rank == given.rank == 1:
        # One example without a batch axis may have its index in an array of one.
        return _single(call, array, given)
    if wanted.rank != given.rank:
        where = wording.argument("target", call.name)
        raise Conflicting(
            wording.rank_differs(where, wanted.text, given.text, hint=_hint(call, array, given))
        )
    for index in range(given.rank):
        place = index if index == 0 else index + 1
        require_axis(call, ("input", place), ("target", index))
    return returned(call, given, array.dtype)


def _single(call: Call, array: Tensor, given: Shape) -> Tensor:
    (axis,) = given.fixed or ()
    one = call.facts.compare(axis.dim, Dim.of(1))
    if not axis.flexible and one is Verdict.DIFFERENT:
        where = wording.argument("target", call.name)
        raise Conflicting(wording.rank_differs(where, "", given.text))
    return returned(call, Shape(()), array.dtype)


def _hint(call: Call, array: Tensor, given: Shape) -> str | None:
    """What to write for the two common slips: a trailing 1, and one-hot integers."""
    last = given.axis(-1)
    wanted = _without_class(array.shape)
    if last is None or given.rank != (wanted.rank or 0) + 1:
        return None
    if last.is_one:
        return "drop the last axis with `target.squeeze(-1)`"
    classes = array.shape.axis(_class_at(array.shape) or 0)
    same = classes is not None and call.facts.compare(classes.dim, last.dim) is Verdict.EQUAL
    return "give class indices, `target.argmax(-1)`, or floats" if same else None
