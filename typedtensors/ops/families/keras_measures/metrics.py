# SPDX-License-Identifier: Apache-2.0
"""Keras's metrics that average losses, values, and hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.keras.losses import (
    of_classes,
    paired,
    paired_rows,
    same_rows,
    squeezing,
)
from typedtensors.ops.steps.keras.metrics import CLASSES, END, PAIRS, ROWS, metric, weighed
from typedtensors.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call

    Measure = Callable[[Call], Shape]

_LOGITS = f"{END}, from_logits=False"


for _cls in (
    *("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError"),
    *("MeanSquaredLogarithmicError", "LogCoshError"),
):
    metric(_cls, squeezing(paired_rows), weighed(PAIRS))
metric("CosineSimilarity", squeezing(paired_rows), weighed(PAIRS), f"{END}, axis=-1")
metric("RootMeanSquaredError", squeezing(paired), weighed(PAIRS))
for _cls in ("Hinge", "SquaredHinge", "CategoricalHinge", "Poisson", "KLDivergence"):
    metric(_cls, paired_rows, weighed(ROWS))
metric("BinaryCrossentropy", same_rows, weighed(PAIRS), f"{_LOGITS}, label_smoothing=0")
metric(
    "CategoricalCrossentropy",
    same_rows,
    weighed(ROWS),
    f"{_LOGITS}, label_smoothing=0, axis=-1",
)
metric(
    "SparseCategoricalCrossentropy",
    of_classes,
    weighed(CLASSES),
    f"{_LOGITS}, ignore_class=None, axis=-1",
)


def _values(call: Call) -> Shape:
    return call.tensor("values").shape


_B, _BN = Array("b"), Array("b n")
_MEANS = (*(example(each).on() for each in (_B, _BN, Array("*a n"))), example(_BN, _B).on())
for _cls in ("Mean", "Sum"):
    metric(_cls, _values, _MEANS, END, "values, sample_weight=None")
