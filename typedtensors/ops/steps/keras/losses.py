# SPDX-License-Identifier: Apache-2.0
"""What Keras's losses and metrics share: labels meet predictions of one rank, which it sees to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.axes.reduction import fold
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import require_axis, require_same_shape
from typedtensors.ops.steps.matmul import without_last
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call

TRUE, PRED = "y_true", "y_pred"
_LAST, _ONE = Dim.of(-1), Axis(Dim.of(1))
_FLOATS = frozenset({"float32", "float64"})


def of_one_rank(call: Call, one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """The arrays as Keras compares them: a last axis of 1 that one of them lacks is no difference.

    A vector gets one; of an array with more axes it is dropped.
    Source: `squeeze_or_expand_to_same_rank` in https://github.com/keras-team/keras.
    """
    if one.shape == other.shape:
        return one, other
    if one.shape.rank is None or other.shape.rank is None:
        raise Undetermined("the ranks are not known")
    if one.shape.rank < other.shape.rank:
        right, left = of_one_rank(call, other, one)
        return left, right
    if one.shape.rank != other.shape.rank + 1 or not is_one(call, one.shape.axes[-1]):
        return one, other
    if other.shape.rank == 1:
        return one, other.with_shape(Shape((*other.shape.axes, _ONE)))
    return one.with_shape(Shape(one.shape.axes[:-1])), other


def is_one(call: Call, axis: object) -> bool:
    """Whether an axis is 1 for certain. Raises Undetermined if it may be."""
    dim = call.facts.resolve(axis.dim) if isinstance(axis, Axis) else Dim.fresh()
    if isinstance(axis, Axis) and axis.flexible:
        raise Undetermined("the last axis may be of size 1")
    if dim.value is None and not dim.declared:
        raise Undetermined("the last axis may be of size 1")
    return dim.value == 1


def squeezing(measure: Callable[[Call], Shape]) -> Callable[[Call], Shape]:
    """The measure over labels and predictions that were brought to one rank first."""

    def apply(call: Call) -> Shape:
        before = call.tensor(TRUE), call.tensor(PRED)
        after = of_one_rank(call, *before)
        call.arguments = {**call.arguments, **dict(zip((TRUE, PRED), after, strict=True))}
        found = measure(call)
        if after != before:
            call.broadcasts = [replace(each, indirect=True) for each in call.broadcasts]
        return found

    return apply


def paired(call: Call) -> Shape:
    """The shape in which labels meet predictions, element by element."""
    return meet(call, {name: call.tensor(name) for name in (TRUE, PRED)}, (TRUE, PRED))


def over_axis(call: Call, shape: Shape) -> Shape:
    """The shape once the axis is folded that the call names, the last one by default."""
    axis = call.arguments.get("axis", _LAST)
    if axis == _LAST:
        if shape.rank == 0:
            raise Undetermined("no axis to fold")
        return without_last(shape)
    if call.tensor(TRUE).shape.rank != call.tensor(PRED).shape.rank:
        raise Undetermined("the axis may be another one of each array")
    return fold(call, shape, axis, keep=False)


def paired_rows(call: Call) -> Shape:
    """A loss for each pair of rows: the last axis is averaged or summed."""
    return over_axis(call, paired(call))


def same_rows(call: Call) -> Shape:
    """As `paired_rows`, of labels and predictions of one shape only."""
    require_same_shape(call, PRED, TRUE)
    true, pred = call.tensor(TRUE), call.tensor(PRED)
    return over_axis(call, pred.shape if true.shape.rank is None else true.shape)


def of_classes(call: Call) -> Shape:
    """The labels are the predictions but for the classes; a last axis of 1 may stand for those."""
    pred, true = call.tensor(PRED), call.tensor(TRUE)
    if not pred.shape.rank or true.shape.rank is None:
        raise Undetermined("the ranks are not known")
    if call["axis"] != _LAST or call["ignore_class"] is not None:
        raise Undetermined("the classes may be on another axis, or left out")
    if true.shape.rank == pred.shape.rank and is_one(call, true.shape.axes[-1]):
        true = true.with_shape(Shape(true.shape.axes[:-1]))
    if true.shape.rank != pred.shape.rank - 1:
        where, wanted = wording.argument(TRUE, call.name), Shape(pred.shape.axes[:-1])
        raise Conflicting(wording.rank_differs(where, wanted.text, true.shape.text))
    call.arguments = {**call.arguments, TRUE: true}
    for at in range(true.shape.rank):
        require_axis(call, (PRED, at), (TRUE, at))
    return true.shape


def element(call: Call) -> DType:
    """The dtype of what Keras computes of predictions: theirs, if they are floats.

    Half ones become `float32` where a constant of that dtype takes part.
    """
    dtype = call.tensor(PRED).dtype
    return dtype if dtype.names and dtype.names <= _FLOATS else ANY
