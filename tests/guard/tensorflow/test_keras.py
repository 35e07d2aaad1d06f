# SPDX-License-Identifier: Apache-2.0
"""The guard around what Keras does with models, losses and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.guard.tensorflow.frameworks import keras, tf
from typedtensors.guard import BroadcastError, guard

INPUTS = np.ones((10, 3), "float32")
TARGETS = np.ones(10, "float32")


class Squared(keras.losses.Loss):
    """A loss that forgets that a network predicts a column."""

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return keras.ops.mean(keras.ops.square(y_true - y_pred))


class Distance(keras.metrics.Metric):
    """A metric that forgets it too."""

    def __init__(self) -> None:
        super().__init__(name="distance")
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ARG002
        self.total.assign_add(tf.reduce_mean(tf.abs(y_true - y_pred)))

    def result(self) -> Any:
        return self.total


class Stepping(keras.Model):
    """A model with a step of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.head = keras.layers.Dense(1)

    def call(self, x: Any) -> Any:
        return self.head(x)

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}


def network(outputs: int = 1) -> Any:
    """Two layers."""
    layers = keras.layers
    return keras.Sequential([keras.Input((3,)), layers.Dense(4, "relu"), layers.Dense(outputs)])


def seen(work: Callable[[], object]) -> list[tuple[str, str, str | None]]:
    """What a guard reports of some work: operation, reason and expression."""
    with guard(action="record") as report:
        work()
    return [(event.op, event.reason, event.expression) for event in report.events]


def fitted(
    model: Any, targets: Any = TARGETS, **settings: Any
) -> list[tuple[str, str, str | None]]:
    """What a guard reports while a model is trained."""
    model.compile("sgd", **settings)
    return seen(lambda: model.fit(INPUTS, targets, batch_size=5, verbose=0))


@pytest.mark.parametrize("settings", [{}, {"run_eagerly": True}, {"jit_compile": True}])
def test_losses_and_metrics_of_the_program_are_its_own_code(settings: dict[str, bool]) -> None:
    assert fitted(network(), loss=Squared(), metrics=[Distance()], **settings) == [
        ("subtract", "rank", "y_true - y_pred"),
        ("subtract", "rank", "y_true - y_pred"),
    ]


@pytest.mark.parametrize("settings", [{}, {"run_eagerly": True}])
def test_error_of_a_loss_passes_through_keras_as_it_is(settings: dict[str, bool]) -> None:
    model = network()
    model.compile("sgd", Squared(), **settings)
    with guard(), pytest.raises(BroadcastError) as caught:
        model.fit(INPUTS, TARGETS, verbose=0)
    assert caught.value.event.function == f"{__name__}.Squared.call"
    assert caught.value.event.fix == "`y_true[..., None]` or `y_pred[..., 0]`"


def test_error_of_a_layer_passes_through_keras_as_it_is() -> None:
    class Table(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x - keras.ops.squeeze(x, -1)

    with guard(), pytest.raises(BroadcastError):
        Table()(tf.ones((4, 1)))
    with guard(), pytest.raises(BroadcastError):
        Table()(keras.Input((1,)))


def test_step_of_the_program_is_its_own_code() -> None:
    found = fitted(Stepping())
    assert found == [("subtract", "rank", "self(x, training=True) - y")]


@pytest.mark.parametrize("loss", ["mse", "mae", "huber", "log_cosh", "poisson", "mape", "msle"])
def test_built_in_losses_squeeze_a_column_and_stretch_a_table(loss: str) -> None:
    assert fitted(network(), loss=loss, metrics=["mse", "mae"]) == []
    assert fitted(network(), TARGETS[:, None], loss=loss) == []
    ((_, reason, _),) = fitted(network(), np.ones((10, 2)), loss=loss)
    assert reason == "loss"


def test_built_in_loss_is_told_at_the_program_s_line_with_what_it_was_given() -> None:
    with guard(action="record") as report:
        keras.losses.mean_squared_error(tf.ones((4, 2)), tf.ones((4, 1)))
        keras.losses.Huber()(tf.ones((4, 2)), tf.ones((4, 1)))
        keras.metrics.MeanAbsoluteError().update_state(tf.ones((4, 2)), tf.ones((4, 1)))
        keras.metrics.BinaryAccuracy().update_state(tf.ones((4, 2)), tf.ones((4, 1)))
    assert [(event.op, event.shapes) for event in report.events] == [
        ("mean_squared_error", ((4, 2), (4, 1))),
        ("huber", ((4, 2), (4, 1))),
        ("mean_absolute_error", ((4, 2), (4, 1))),
        ("binary_accuracy", ((4, 2), (4, 1))),
    ]
    assert {event.file for event in report.events} == {__file__}


def test_metric_that_compares_itself_is_told_too() -> None:
    with guard(action="record") as report:
        keras.metrics.RootMeanSquaredError().update_state(tf.ones((4, 2)), tf.ones((4, 1)))
        keras.metrics.RootMeanSquaredError().update_state(tf.ones(4), tf.ones((4, 1)))
    assert [event.op for event in report.events] == ["RootMeanSquaredError"]


@pytest.mark.parametrize(
    ("loss", "targets", "outputs"),
    [
        ("categorical_crossentropy", np.eye(10, dtype="float32"), 10),
        ("sparse_categorical_crossentropy", np.arange(10), 10),
        ("binary_crossentropy", TARGETS, 1),
        ("kl_divergence", np.ones((10, 4)), 4),
        ("cosine_similarity", np.ones((10, 4)), 4),
        ("hinge", TARGETS, 1),
        ("categorical_hinge", np.ones((10, 4)), 4),
        (keras.losses.Dice(), np.ones((10, 4)), 4),
        (keras.losses.Tversky(), np.ones((10, 4)), 4),
        (keras.losses.BinaryFocalCrossentropy(), TARGETS[:, None], 1),
        (lambda y, p: tf.reduce_mean((y - p) ** 2), TARGETS, 1),
    ],
    ids=str,
)
def test_correct_losses_are_silent(loss: Any, targets: Any, outputs: int) -> None:
    metrics = ["accuracy", keras.metrics.AUC(), keras.metrics.R2Score()] if outputs == 1 else []
    assert fitted(network(outputs), targets, loss=loss, metrics=metrics) == []


def test_weights_and_masks_are_silent() -> None:
    sequence = keras.Sequential(
        [
            keras.Input((6,)),
            keras.layers.Embedding(9, 4, mask_zero=True),
            keras.layers.LSTM(5, return_sequences=True),
            keras.layers.Dense(1),
        ]
    )
    sequence.compile("sgd", "mse")
    tokens, targets = np.ones((10, 6), int), np.ones((10, 6, 1))
    weights = np.ones((10, 6))
    assert seen(lambda: sequence.fit(tokens, targets, sample_weight=weights, verbose=0)) == []
