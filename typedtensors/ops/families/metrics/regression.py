# SPDX-License-Identifier: Apache-2.0
"""Metrics of numbers: torchmetrics rejects predictions and targets of different shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import require_same_shape
from typedtensors.ops.steps.metric import metric, one_number, same_shape
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_PAIRS = (
    example(Array("n"), Array("n")),
    example(Array("n 1"), Array("n 1")),
    example(Array("n"), Array("n 1")),
)


def _per_output(call: Call) -> Tensor:
    """One number, or one for each output where there are several."""
    require_same_shape(call, "preds", "target")
    if call.arguments.get("num_outputs", Dim.of(1)) in (1, Dim.of(1)):
        return one_number()
    return Tensor(Shape.unknown(), ANY)


for _function, _made, _settings in (
    ("mean_squared_error", "MeanSquaredError", "squared=True, num_outputs=1"),
    ("mean_absolute_error", "MeanAbsoluteError", "num_outputs=1"),
):
    metric(_function, _made, settings=_settings, examples=_PAIRS, apply=_per_output)

for _function, _made in (
    ("mean_squared_log_error", "MeanSquaredLogError"),
    ("mean_absolute_percentage_error", "MeanAbsolutePercentageError"),
    ("symmetric_mean_absolute_percentage_error", "SymmetricMeanAbsolutePercentageError"),
    ("weighted_mean_absolute_percentage_error", "WeightedMeanAbsolutePercentageError"),
):
    metric(_function, _made, settings="", examples=_PAIRS, apply=same_shape)


def _compared(call: Call) -> Tensor:
    """The one metric that broadcasts without a word."""
    arrays = {name: call.tensor(name) for name in ("preds", "target")}
    meet(call, arrays, ("preds", "target"))
    if call["dim"] is None and call["reduction"] == "elementwise_mean":
        return one_number()
    return Tensor(Shape.unknown(), ANY)


_IMAGES = (
    example(Array("b c h w"), Array("b c h w"), data_range=1.0),
    example(Array("b c h w"), Array("b 1 h w"), data_range=1.0),
)
metric(
    "peak_signal_noise_ratio",
    "PeakSignalNoiseRatio",
    settings="data_range, base=10.0, reduction='elementwise_mean', dim=None",
    examples=_IMAGES,
    apply=_compared,
)
