# SPDX-License-Identifier: Apache-2.0
"""Keras's accuracies, which compare classes, and its correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.keras.losses import PRED, TRUE, is_one, paired, paired_rows, squeezing
from typedtensors.ops.steps.keras.metrics import (
    CLASSES,
    END,
    PAIRS,
    ROWS,
    metric,
    require_as_many,
    weighed,
)
from typedtensors.ops.steps.matmul import without_last
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

    Measure = Callable[[Call], Shape]


def rows_of_classes(call: Call) -> Shape:
    """Whether the largest of each row is at one place in labels and predictions."""
    true, pred = call.tensor(TRUE).shape, call.tensor(PRED).shape
    if not true.rank or not pred.rank or true.rank == pred.rank + 1:
        raise Undetermined("the ranks are not known")
    places = {name: Tensor(without_last(shape)) for name, shape in ((TRUE, true), (PRED, pred))}
    return meet(call, places, (TRUE, PRED))


def labelled_rows(call: Call) -> Shape:
    """Whether the largest of each row is at the place that the label says."""
    true, pred = call.tensor(TRUE), call.tensor(PRED)
    if true.shape.rank is None or not pred.shape.rank:
        raise Undetermined("the ranks are not known")
    labels = true.shape
    if labels.rank == pred.shape.rank and is_one(call, labels.axes[-1]):
        labels = Shape(labels.axes[:-1])
    places = without_last(pred.shape)
    found = meet(call, {TRUE: Tensor(labels), PRED: Tensor(places)}, (TRUE, PRED))
    if labels != places or (found.rank and is_one(call, found.axes[-1])):
        raise Undetermined("what is stretched may be reshaped")
    return found


def best_rows(call: Call) -> Shape:
    """Whether the class of each row is among its largest, where the class is that of a label."""
    return _among_the_best(call, without_last(call.tensor(TRUE).shape))


def best_labelled_rows(call: Call) -> Shape:
    """Whether the class of each row is among its largest, where the class is the label."""
    return _among_the_best(call, call.tensor(TRUE).shape)


def _among_the_best(call: Call, labels: Shape) -> Shape:
    rows = without_last(call.tensor(PRED).shape)
    if not call.tensor(PRED).shape.rank:
        raise Undetermined("the rows are not known")
    require_as_many(call, labels, rows)
    return labels


def _correlated(call: Call) -> Shape:
    """One number for each pair of rows."""
    if 0 in (call.tensor(TRUE).shape.rank, call.tensor(PRED).shape.rank):
        raise Undetermined("a number does not vary")
    return paired_rows(call)


def _function(name: str, measure: Measure, examples: tuple[Example, ...], params: str = "") -> None:
    def apply(call: Call) -> Value:
        return Tensor(measure(call), ANY)

    given = f"{TRUE}, {PRED}, {params}" if params else f"{TRUE}, {PRED}"
    rule(f"keras.metrics.{name}", params=given, examples=examples)(apply)


_function("binary_accuracy", squeezing(paired), PAIRS, "threshold=0.5")
metric("BinaryAccuracy", squeezing(paired), weighed(PAIRS), f"{END}, threshold=0.5")
metric("Accuracy", squeezing(paired), weighed(PAIRS))
_function("categorical_accuracy", rows_of_classes, ROWS)
metric("CategoricalAccuracy", rows_of_classes, weighed(ROWS))
_function("sparse_categorical_accuracy", labelled_rows, CLASSES)
metric("SparseCategoricalAccuracy", labelled_rows, weighed(CLASSES))
_function("top_k_categorical_accuracy", best_rows, ROWS, "k=5")
metric("TopKCategoricalAccuracy", best_rows, weighed(ROWS), f"k=5, {END}")
_SORTED = "from_sorted_ids=False"
_function("sparse_top_k_categorical_accuracy", best_labelled_rows, CLASSES, f"k=5, {_SORTED}")
metric(
    "SparseTopKCategoricalAccuracy",
    best_labelled_rows,
    weighed(CLASSES),
    f"k=5, {END}, {_SORTED}",
)
for _name, _cls in (
    ("pearson_correlation", "PearsonCorrelation"),
    ("concordance_correlation", "ConcordanceCorrelation"),
):
    _function(_name, squeezing(_correlated), PAIRS, "axis=-1")
    metric(_cls, squeezing(_correlated), weighed(PAIRS), f"{END}, axis=-1")
