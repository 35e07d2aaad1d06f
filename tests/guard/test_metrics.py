# SPDX-License-Identifier: Apache-2.0
"""Metrics of torchmetrics under a guard: the call of the metric is what is reported."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from typedtensors.guard import BroadcastError, allow_broadcast, guard

metrics = pytest.importorskip("torchmetrics")
functional = pytest.importorskip("torchmetrics.functional")

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
IMAGES, GRAY = torch.rand(2, 3, 8, 8), torch.rand(2, 1, 8, 8)
SCORES, CLASSES = torch.rand(6, 5), torch.randint(0, 5, (6,))


def noise(one: Tensor, other: Tensor) -> Tensor:
    result: Tensor = functional.image.peak_signal_noise_ratio(one, other, 1.0)
    return result


def noise_of_object(one: Tensor, other: Tensor) -> Tensor:
    result: Tensor = metrics.image.PeakSignalNoiseRatio(1.0)(one, other)
    return result


def noise_updated(one: Tensor, other: Tensor) -> Any:
    return metrics.image.PeakSignalNoiseRatio(1.0).update(one, other)


def accuracy(scores: Tensor, classes: Tensor) -> Tensor:
    result: Tensor = functional.accuracy(scores, classes, task="multiclass", num_classes=5)
    return result


def f1_score(scores: Tensor, classes: Tensor) -> Tensor:
    result: Tensor = metrics.F1Score(task="multiclass", num_classes=5)(scores, classes)
    return result


@pytest.mark.parametrize(
    ("measure", "preds", "target", "fixed"),
    [
        (noise, IMAGES, GRAY, GRAY.expand_as(IMAGES)),
        (noise_of_object, IMAGES, GRAY, GRAY.expand_as(IMAGES)),
        (noise_updated, IMAGES, GRAY, GRAY.expand_as(IMAGES)),
        (accuracy, SCORES, CLASSES[:1], CLASSES),
        (f1_score, SCORES, CLASSES[:1], CLASSES),
    ],
)
def test_metric_of_shapes_that_differ_is_a_loss_at_the_line_of_its_caller(
    measure: Callable[[Tensor, Tensor], Any], preds: Tensor, target: Tensor, fixed: Tensor
) -> None:
    with guard():
        measure(preds, fixed)
        with pytest.raises(BroadcastError) as caught:
            measure(preds, target)
    event = caught.value.event
    assert (event.reason, event.file, event.library) == ("loss", __file__, False)
    assert event.line == measure.__code__.co_firstlineno + 1
    with guard(), allow_broadcast():
        measure(preds, target)


def test_the_same_shapes_elsewhere_are_judged_by_what_they_are_there() -> None:
    with guard(action="record") as report:
        for _ in range(2):
            IMAGES - GRAY
            noise(IMAGES, GRAY)
    (event,) = report.events
    assert event.op == "peak_signal_noise_ratio"
    assert report.times(event) == 2


def test_metrics_that_work_are_silent() -> None:
    row = torch.rand(6)
    with guard("suspicious"):
        for made in (metrics.MeanSquaredError, metrics.R2Score, metrics.PearsonCorrCoef):
            made()(row, row.flip(0))
        metrics.ExplainedVariance(multioutput="raw_values")(SCORES, SCORES.flip(0))
        metrics.ConfusionMatrix(task="multiclass", num_classes=5)(SCORES, CLASSES)
        metrics.MeanMetric()(row, row)
    assert "torchmetrics" in sys.modules
