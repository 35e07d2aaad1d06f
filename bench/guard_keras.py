# SPDX-License-Identifier: Apache-2.0
"""False alarms of the guard on models of Keras: each is built, trained, evaluated and asked.

Any site that is printed is one to judge. Names as arguments choose models. Sizes that meet differ:
where a batch has as many rows as a table that is added has, a guard asks which is meant.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

from typedtensors.guard import Report, guard

layers, ops = keras.layers, keras.ops
Data = tuple[object, object]
RANDOM = np.random.default_rng(0)

IMAGES = {
    "DenseNet121": 32,
    "EfficientNetB0": 32,
    "EfficientNetV2B0": 32,
    "MobileNet": 32,
    "MobileNetV2": 32,
    "MobileNetV3Small": 32,
    "ConvNeXtTiny": 32,
    "ResNet50": 32,
    "ResNet50V2": 32,
    "InceptionV3": 75,
    "InceptionResNetV2": 75,
    "Xception": 71,
    "NASNetMobile": 32,
    "VGG16": 32,
}
"""Architectures of `keras.applications`, and an image size that they take."""


def application(name: str, size: int) -> tuple[keras.Model, Data]:
    """An architecture without weights, for five classes."""
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=5)
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, (RANDOM.random((4, size, size, 3), "float32"), np.arange(4))


def lstm() -> tuple[keras.Model, Data]:
    """Texts of unequal lengths, in two directions."""
    model = keras.Sequential(
        [
            keras.Input((None,)),
            layers.Embedding(50, 16, mask_zero=True),
            layers.Bidirectional(layers.LSTM(8, return_sequences=True)),
            layers.GRU(8),
            layers.Dense(1, "sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy", keras.metrics.AUC()])
    return model, (RANDOM.integers(0, 50, (12, 9)), RANDOM.integers(0, 2, 12))


class Encoding(layers.Layer):
    """Adds sines of the positions."""

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """Of (batch, time, width)."""
        steps, width = x.shape[1], x.shape[2]
        position = ops.expand_dims(ops.arange(steps, dtype="float32"), 1)
        rate = ops.exp(ops.arange(0, width, 2, dtype="float32") * (-np.log(1e4) / width))
        angle = position * rate
        table = ops.reshape(ops.stack([ops.sin(angle), ops.cos(angle)], -1), (steps, width))
        return x + table


class Attention(layers.Layer):
    """Attention written out, with a causal mask."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def build(self, shape: tuple[int, ...]) -> None:
        """One projection for queries, keys and values."""
        self.project, self.out = layers.Dense(3 * shape[-1]), layers.Dense(shape[-1])

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """Of (batch, time, width)."""
        batch, steps, width = tf.shape(x)[0], x.shape[1], x.shape[2]
        parts = tf.reshape(self.project(x), (batch, steps, 3, self.heads, width // self.heads))
        query, key, value = tf.unstack(tf.transpose(parts, (2, 0, 3, 1, 4)))
        score = tf.matmul(query, key, transpose_b=True) / (width // self.heads) ** 0.5
        mask = tf.linalg.band_part(tf.ones((steps, steps)), -1, 0)
        score = tf.where(mask > 0, score, -1e9)
        mixed = tf.matmul(tf.nn.softmax(score - tf.reduce_max(score, -1, keepdims=True)), value)
        return self.out(tf.reshape(tf.transpose(mixed, (0, 2, 1, 3)), (batch, steps, width)))


def transformer() -> tuple[keras.Model, Data]:
    """Predicts the next token."""
    tokens = keras.Input((12,), dtype="int32")
    x = Encoding()(layers.Embedding(50, 16)(tokens))
    for _ in range(2):
        x = layers.LayerNormalization()(layers.Add()([x, Attention(4)(x)]))
        x = layers.LayerNormalization()(x + layers.Dense(16)(layers.Dense(32, "gelu")(x)))
    model = keras.Model(tokens, layers.Dense(50)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model, (RANDOM.integers(0, 50, (10, 12)), RANDOM.integers(0, 50, (10, 12)))


class Autoencoder(keras.Model):
    """Variational, with a step of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(8)])
        self.decoder = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(12, "sigmoid")])
        self.tracker = keras.metrics.Mean(name="loss")
        self.seeds = keras.random.SeedGenerator(1)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """What is decoded of the middle."""
        return self.decoder(tf.split(self.encoder(x), 2, axis=-1)[0])

    def loss_of(self, x: tf.Tensor) -> tf.Tensor:
        """Reconstruction and divergence."""
        mean, log_variance = tf.split(self.encoder(x), 2, axis=-1)
        noise = keras.random.normal(ops.shape(mean), seed=self.seeds)
        decoded = self.decoder(mean + tf.exp(0.5 * log_variance) * noise)
        error = tf.reduce_sum(keras.losses.binary_crossentropy(x[..., None], decoded[..., None]), 1)
        divergence = 1 + log_variance - tf.square(mean) - tf.exp(log_variance)
        return tf.reduce_mean(error - 0.5 * tf.reduce_sum(divergence, axis=1))

    def train_step(self, data: Data) -> dict[str, tf.Tensor]:
        """One step."""
        with tf.GradientTape() as tape:
            loss = self.loss_of(data[0])
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}

    def test_step(self, data: Data) -> dict[str, tf.Tensor]:
        """The same without a step."""
        self.tracker.update_state(self.loss_of(data[0]))
        return {"loss": self.tracker.result()}


def autoencoder() -> tuple[keras.Model, Data]:
    """On rows of numbers."""
    model = Autoencoder()
    model.compile("adam")
    x = RANDOM.random((16, 12), "float32")
    return model, (x, x)


class Contrastive(keras.losses.Loss):
    """Compares each row with each other one, on purpose."""

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        """Labels (batch,) and embeddings (batch, width)."""
        labels = tf.reshape(y_true, (-1, 1))
        same = tf.cast(tf.equal(labels, tf.transpose(labels)), y_pred.dtype)
        unit = tf.math.l2_normalize(y_pred, axis=-1)
        square = tf.reduce_sum(unit**2, -1)
        distance = square[:, None] - 2 * tf.matmul(unit, unit, transpose_b=True) + square[None, :]
        count = tf.maximum(tf.reduce_sum(same, -1), 1.0)
        return tf.reduce_sum(same * distance, -1) / count


class Explained(keras.metrics.Metric):
    """A metric that keeps sums for each output."""

    def __init__(self) -> None:
        super().__init__(name="explained")
        self.total = self.add_weight(shape=(5,), initializer="zeros")

    def update_state(
        self, y_true: tf.Tensor, y_pred: tf.Tensor, sample_weight: tf.Tensor | None = None
    ) -> None:
        """Add a batch."""
        del y_true, sample_weight
        centered = y_pred - tf.reduce_mean(y_pred, axis=0)
        self.total.assign_add(tf.reduce_sum(centered**2, axis=0))

    def result(self) -> tf.Tensor:
        """The mean."""
        return tf.reduce_mean(self.total)


def contrastive() -> tuple[keras.Model, Data]:
    """Rows of numbers, and the kind of each."""
    model = keras.Sequential([keras.Input((6,)), layers.Dense(16, "relu"), layers.Dense(5)])
    model.compile("rmsprop", Contrastive(), metrics=[Explained()])
    return model, (RANDOM.random((10, 6), "float32"), RANDOM.integers(0, 3, 10))


def several() -> tuple[keras.Model, Data]:
    """Two inputs and two outputs with weights for each sample, and regularizers."""
    one, two = keras.Input((8,), name="one"), keras.Input((8,), name="two")
    x = layers.Concatenate()([one, two, layers.Multiply()([one, two])])
    x = layers.BatchNormalization()(layers.Dense(8, kernel_regularizer="l2")(x))
    x = layers.Dropout(0.3)(layers.PReLU()(x))
    value, kind = layers.Dense(1, name="value")(x), layers.Dense(8, "softmax", name="kind")(x)
    model = keras.Model([one, two], [value, kind])
    model.compile(
        "nadam", ["huber", "categorical_crossentropy"], weighted_metrics=["mae", "accuracy"]
    )
    rows = [RANDOM.random((8, 8), "float32") for _ in range(2)]
    return model, (rows, [RANDOM.random(8), np.eye(8, dtype="float32")])


def convolutions() -> tuple[keras.Model, Data]:
    """Layers that normalize, resize, augment and recur over images."""
    model = keras.Sequential(
        [
            keras.Input((4, 8, 8, 3)),
            layers.TimeDistributed(layers.Rescaling(1 / 255)),
            layers.TimeDistributed(layers.RandomFlip()),
            layers.TimeDistributed(layers.SeparableConv2D(8, 3, padding="same")),
            layers.TimeDistributed(layers.GroupNormalization(4)),
            layers.ConvLSTM2D(8, 3, padding="same"),
            layers.UnitNormalization(),
            layers.Conv2DTranspose(4, 2, strides=2),
            layers.UpSampling2D(2, interpolation="bilinear"),
            layers.SpatialDropout2D(0.2),
            layers.GlobalAveragePooling2D(),
            layers.Dense(8),
        ]
    )
    model.compile(
        "adamw", keras.losses.CosineSimilarity(), metrics=["mse", keras.metrics.R2Score()]
    )
    return model, (RANDOM.random((8, 4, 8, 8, 3), "float32"), RANDOM.random((8, 8), "float32"))


def attentive() -> tuple[keras.Model, Data]:
    """Keras's own attention, with masks."""
    tokens = keras.Input((8,), dtype="int32")
    x = layers.Embedding(20, 8, mask_zero=True)(tokens)
    x = layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    x = layers.GroupQueryAttention(4, 4, 2)(x, x)
    x = layers.AdditiveAttention()([x, x])
    model = keras.Model(tokens, layers.Dense(8, "softmax")(layers.Attention()([x, x])))
    model.compile("lion", keras.losses.CategoricalFocalCrossentropy(), metrics=["kl_divergence"])
    labels = np.eye(8, dtype="float32")[RANDOM.integers(0, 8, (8, 8))]
    return model, (RANDOM.integers(0, 20, (8, 8)), labels)


PROGRAMS: dict[str, Callable[[], tuple[keras.Model, Data]]] = {
    program.__name__: program
    for program in (
        *(lstm, transformer, autoencoder, contrastive, several, convolutions, attentive),
    )
} | {name: lambda name=name, size=size: application(name, size) for name, size in IMAGES.items()}


def run(make: Callable[[], tuple[keras.Model, Data]], *, eagerly: bool) -> Report:
    """What a guard sees from the first layer to the last prediction."""
    with guard(action="record") as report:
        model, (x, y) = make()
        model.run_eagerly = eagerly
        model.fit(x, y, batch_size=8, verbose=0)
        model.evaluate(x, y, batch_size=8, verbose=0)
        model.predict(x, verbose=0)
    return report


def main() -> None:
    """Print each model, how long it took and what was reported."""
    sites = 0
    for name in sys.argv[1:] or PROGRAMS:
        # Architectures of hundreds of layers are traced only: eagerly they do the same.
        for eagerly in (False,) if name in IMAGES else (False, True):
            start = time.perf_counter()
            report = run(PROGRAMS[name], eagerly=eagerly)
            places = {(event.file, event.line, event.op) for event in report.events}
            sites += len(places)
            how = "eager" if eagerly else "traced"
            print(f"{name:20} {how:7} {time.perf_counter() - start:6.1f} s  {len(places)} sites")
            for event in report.events:
                print(f"    {event}")
            keras.backend.clear_session()
    print(f"{sites} sites")


if __name__ == "__main__":
    main()
