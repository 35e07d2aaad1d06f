# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's sums over segments, and its counts of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.tensorflow.unary import array_of
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import literal
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_SEGMENTS = (
    *(example(Array("n d"), indices("n"), 3), example(Array("n"), indices("n"), Dim.name("k"))),
    *(example(Array("n d"), indices("m"), 3), example(Array("n m d"), indices("n m"), 3)),
)


def _by_segment(call: Call, count: Axis) -> Tensor:
    """A row for each segment, of the axes behind those of the ids, which have to agree."""
    data, ids = call.tensor("data"), call.tensor("segment_ids")
    own, given = data.shape.fixed, ids.shape.fixed
    if own is None or given is None or not given or len(given) > len(own):
        raise Undetermined("the ranks are not known to agree")
    for at, (axis, other) in enumerate(zip(own, given, strict=False)):
        if axis.flexible or other.flexible:
            raise Undetermined("an axis may be of size 1")
        if call.same(axis.dim, other.dim) is Verdict.DIFFERENT:
            where = wording.argument("segment_ids", call.name)
            raise Conflicting(wording.axis_differs(where, at, str(axis), str(other)))
    # Means of integers are floats.
    floats = promotion.kinds(data.dtype) == frozenset({"float"})
    return Tensor(Shape((count, *own[len(given) :])), data.dtype if floats else ANY)


_KINDS = ("sum", "max", "min", "prod", "mean")


@rule(
    *tensorflow_names(*(f"math.unsorted_segment_{kind}" for kind in (*_KINDS, "sqrt_n"))),
    params="data, segment_ids, num_segments, name=None",
    examples=_SEGMENTS,
)
def unsorted_segments(call: Call) -> Value:
    """So many segments, in any order."""
    count = call["num_segments"]
    if isinstance(count, Dim) and at_most(count, Dim.of(0)):
        raise Undetermined("no segments")
    return _by_segment(call, Axis(count if isinstance(count, Dim) else Dim.fresh("segments")))


@rule(
    *tensorflow_names(*(f"math.segment_{kind}" for kind in _KINDS)),
    params="data, segment_ids, name=None",
    examples=(
        *(example(Array("n d"), indices("n")), example(Array("n"), indices("n"))),
        example(Array("n d"), indices("m")),
    ),
)
def segments(call: Call) -> Value:
    """As many segments as the last id says."""
    if call.tensor("segment_ids").shape.rank != 1:
        raise Undetermined("the ids are no vector")
    return _by_segment(call, Axis(Dim.fresh("segments")))


@rule(
    *tensorflow_names("math.bincount"),
    params="arr, weights=None, minlength=None, maxlength=None, dtype=None, name=None, axis=None, "
    "binary_output=False",
    examples=(example(indices("n")), example(indices("n"), minlength=4)),
)
def counted(call: Call) -> Value:
    """A number for each value there is."""
    array_of(call, call["arr"])
    if call["axis"] is not None:
        raise Undetermined("rows are counted one by one")
    return Tensor(Shape((Axis(Dim.fresh("values")),)))


@rule(
    *tensorflow_names("math.confusion_matrix"),
    params="labels, predictions, num_classes=None, weights=None, dtype=None, name=None",
    examples=(
        *(example(indices("n"), indices("n"), 3), example(indices("n"), indices("m"), 3)),
        example(indices("n"), indices("n"), num_classes=Dim.name("k")),
    ),
)
def confusion_matrix(call: Call) -> Value:
    """How often each class (row) was taken for each other one (column)."""
    one, other = call.tensor("labels").shape, call.tensor("predictions").shape
    if one.rank != 1 or other.rank != 1 or call["weights"] is not None:
        raise Undetermined("the labels are no vectors")
    rows, columns = one.prefix[0], other.prefix[0]
    if rows.flexible or columns.flexible:
        raise Undetermined("an axis may be of size 1")
    if call.same(rows.dim, columns.dim) is Verdict.DIFFERENT:
        where = wording.argument("predictions", call.name)
        raise Conflicting(wording.axis_differs(where, 0, str(rows), str(columns)))
    count = call["num_classes"]
    if isinstance(count, Dim) and count.value is not None and literal(count) < 1:
        raise Undetermined("no classes")
    side = Axis(count if isinstance(count, Dim) else Dim.fresh("classes"))
    return Tensor(Shape((side, side)))
