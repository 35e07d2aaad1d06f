# SPDX-License-Identifier: Apache-2.0
"""Keras's metrics that count hits and misses, or score columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.keras.layers import FLOATS
from typedtensors.ops.steps.keras.losses import PRED, TRUE, paired, squeezing
from typedtensors.ops.steps.keras.metrics import (
    COLUMNS,
    END,
    PAIRS,
    ROWS,
    metric,
    require_as_many,
)
from typedtensors.ops.steps.matmul import without_last
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

    Measure = Callable[[Call], Shape]

_LAST = Dim.of(-1)


def _counted(call: Call) -> Shape:
    """Elements that are counted; there have to be as many of both."""
    true, pred = call.tensor(TRUE).shape, call.tensor(PRED).shape
    if 0 in (true.rank, pred.rank):
        raise Undetermined("a number is no batch")
    return _of_one_count(call, true, pred)


def _of_one_count(call: Call, true: Shape, pred: Shape) -> Shape:
    if Dim.of(1) in (true.count, pred.count):
        raise Undetermined("a single element may stand for all")
    require_as_many(call, true, pred)
    return true


def _of_plain_thresholds(call: Call) -> Shape:
    if any(call.arguments.get(name) is not None for name in ("class_id", "top_k", "thresholds")):
        raise Undetermined("other classes or thresholds are counted")
    if call.arguments.get("multi_label", False) is not False:
        raise Undetermined("each class is counted")
    return squeezing(_counted)(call)


def _tables(call: Call) -> Shape:
    """Two arrays of rows and columns, of one shape."""
    for name in (TRUE, PRED):
        shape = call.tensor(name).shape
        if shape.rank not in (None, 2):
            where = wording.argument(name, call.name)
            raise Conflicting(wording.rank_differs(where, "n d", shape.text))
    found = paired(call)
    if found != call.tensor(PRED).shape:
        raise Undetermined("the predictions are stretched")
    return found


_COUNTED = tuple(each.on() for each in PAIRS)
for _cls in ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives"):
    metric(_cls, _of_plain_thresholds, _COUNTED, f"thresholds=None, {END}")
for _cls in ("Precision", "Recall"):
    _params = f"thresholds=None, top_k=None, class_id=None, {END}"
    metric(_cls, _of_plain_thresholds, _COUNTED, _params)
for _cls, _least in (
    *(("PrecisionAtRecall", "recall"), ("RecallAtPrecision", "precision")),
    *(("SensitivityAtSpecificity", "specificity"), ("SpecificityAtSensitivity", "sensitivity")),
):
    _params = f"{_least}, num_thresholds=200, class_id=None, {END}"
    metric(_cls, _of_plain_thresholds, tuple(each.on(0.5) for each in PAIRS), _params)
metric(
    "AUC",
    _of_plain_thresholds,
    _COUNTED,
    "num_thresholds=200, curve='ROC', summation_method='interpolation', name=None, dtype=None, "
    "thresholds=None, multi_label=False, num_labels=None, label_weights=None, from_logits=False",
)


def _score(name: str, measure: Measure, average: str, params: str) -> None:
    """Register a metric over rows and columns, with one number, or one for each column."""

    def apply(call: Call) -> Value:
        shape = measure(call)
        if call["sample_weight"] is not None:
            raise Undetermined("the weights are not followed")
        if call.op.endswith("update_state"):
            return None
        one = isinstance(call[average], str)
        return Tensor(
            Shape(() if one else shape.axes[1:]), FLOATS if call["dtype"] is None else ANY
        )

    layer(
        f"keras.metrics.{name}",
        params=params,
        inputs=f"{TRUE}, {PRED}, sample_weight=None",
        methods=("__call__", "update_state"),
        examples=(
            *(each.on(**{average: None}) for each in (*ROWS[:2], *COLUMNS[2:])),
            ROWS[0].on(**{average: "uniform_average" if name == "R2Score" else "micro"}),
        ),
    )(apply)


_score("F1Score", _tables, "average", f"average=None, threshold=None, {END}")
_score("FBetaScore", _tables, "average", f"average=None, beta=1.0, threshold=None, {END}")
_score(
    "R2Score",
    squeezing(_tables),
    "class_aggregation",
    f"class_aggregation='uniform_average', num_regressors=0, {END}",
)


def _confused(call: Call) -> Shape:
    """The classes of elements, or one-hot rows that say them; there are as many of both."""
    if call.arguments.get("axis", _LAST) != _LAST:
        raise Undetermined("the classes are on another axis")
    found = []
    for name in (TRUE, PRED):
        sparse = call.arguments.get(f"sparse_{name}", "OneHot" not in call.op)
        if not isinstance(sparse, bool):
            raise Undetermined("how classes are given is not known")
        shape = call.tensor(name).shape
        found.append(shape if sparse else without_last(shape))
    return _of_one_count(call, *found)


_SPARSE = "ignore_class=None, sparse_y_true=True, sparse_y_pred=True, axis=-1"
_ONE_HOT = "ignore_class=None, sparse_y_pred=False, axis=-1"
for _cls, _params, _given in (
    ("IoU", f"num_classes, target_class_ids, {END}, {_SPARSE}", (3, [0, 1])),
    ("MeanIoU", f"num_classes, {END}, {_SPARSE}", (3,)),
    ("BinaryIoU", f"target_class_ids=(0, 1), threshold=0.5, {END}", ()),
    ("OneHotIoU", f"num_classes, target_class_ids, {END}, {_ONE_HOT}", (3, [0, 1])),
    ("OneHotMeanIoU", f"num_classes, {END}, {_ONE_HOT}", (3,)),
):
    _pairs = ROWS[:2] if _cls.startswith("OneHot") else (*COLUMNS, *ROWS[:2])
    metric(_cls, _confused, tuple(each.on(*_given) for each in _pairs), _params)
