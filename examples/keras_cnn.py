# SPDX-License-Identifier: Apache-2.0
"""A small residual network that reads handwritten digits, with a focal loss and mixup."""

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float, Int
from keras import layers
from sklearn.datasets import load_digits

CLASSES = 10


def load() -> tuple[
    Float[np.ndarray, "n 8 8 1"],
    Int[np.ndarray, "n"],
    Float[np.ndarray, "m 8 8 1"],
    Int[np.ndarray, "m"],
]:
    digits = load_digits()
    images = (digits.images[..., None] / 16.0).astype("float32")
    labels = digits.target.astype("int32")
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:1400], order[1400:]
    return images[train], labels[train], images[test], labels[test]


def conv_bn(x, filters, kernel=3, stride=1):
    x = layers.Conv2D(filters, kernel, strides=stride, padding="same", use_bias=False)(x)
    return layers.BatchNormalization()(x)


def residual_block(x, filters, stride=1):
    shortcut = x
    x = layers.ReLU()(conv_bn(x, filters, stride=stride))
    x = conv_bn(x, filters)
    if stride != 1:
        shortcut = conv_bn(shortcut, filters, kernel=1, stride=stride)
    return layers.ReLU()(layers.Add()([x, shortcut]))


def build_model(size=8, channels=1):
    inputs = keras.Input(shape=(size, size, channels))
    x = layers.ReLU()(conv_bn(inputs, 16))
    x = residual_block(x, 16)
    x = residual_block(x, 32, stride=2)
    x = residual_block(x, 64, stride=2)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    logits = layers.Dense(CLASSES)(x)
    return keras.Model(inputs, logits, name="digits")


class FocalLoss(keras.losses.Loss):
    """Cross-entropy that counts easy samples less. The labels are distributions."""

    def __init__(self, gamma: float = 2.0) -> None:
        super().__init__(name="focal")
        self.gamma = gamma

    def call(
        self, y_true: Float[tf.Tensor, "b k"], y_pred: Float[tf.Tensor, "b k"]
    ) -> Float[tf.Tensor, "b"]:
        log_p = tf.nn.log_softmax(y_pred, axis=-1)
        weight = tf.pow(1.0 - tf.exp(log_p), self.gamma)
        return -tf.reduce_sum(y_true * weight * log_p, axis=-1)


def mixup(
    images: Float[tf.Tensor, "b h w c"], targets: Float[tf.Tensor, "b k"], alpha: float
) -> tuple[Float[tf.Tensor, "b h w c"], Float[tf.Tensor, "b k"]]:
    """Each sample with a part of another one."""
    batch = tf.shape(images)[0]
    share = tf.random.uniform([batch], 1.0 - alpha, 1.0)
    other = tf.random.shuffle(tf.range(batch))
    mixed = images * share[:, None, None, None]
    mixed += tf.gather(images, other) * (1.0 - share)[:, None, None, None]
    labels = targets * share[:, None] + tf.gather(targets, other) * (1.0 - share)[:, None]
    return mixed, labels


def confusion(
    labels: Int[tf.Tensor, "n"], logits: Float[tf.Tensor, "n k"]
) -> Float[tf.Tensor, "k k"]:
    """How often each class (row) was taken for each other one (column)."""
    classes = tf.shape(logits)[-1]
    predicted = tf.one_hot(tf.argmax(logits, axis=-1), classes)
    return tf.matmul(tf.one_hot(labels, classes), predicted, transpose_a=True)


def recall(table: Float[tf.Tensor, "k k"]) -> Float[tf.Tensor, "k"]:
    return tf.linalg.diag_part(table) / tf.reduce_sum(table, axis=1)


def calibration_error(
    probs: Float[np.ndarray, "n k"], labels: Int[np.ndarray, "n"], bins: int = 5
) -> float:
    """How far confidence and accuracy are apart, on average over bins of confidence."""
    confidence = probs.max(axis=-1)
    hits = (probs.argmax(axis=-1) == labels).astype("float32")
    edges = np.linspace(0, 1, bins + 1)
    inside = (confidence[:, None] > edges[:-1]) & (confidence[:, None] <= edges[1:])
    count = np.maximum(inside.sum(axis=0), 1)
    gap = np.abs((inside * (hits - confidence)[:, None]).sum(axis=0)) / count
    return float((gap * inside.mean(axis=0)).sum())


def main() -> None:
    keras.utils.set_random_seed(0)
    x_train, y_train, x_test, y_test = load()
    data = tf.data.Dataset.from_tensor_slices((x_train, np.eye(CLASSES, dtype="float32")[y_train]))
    data = data.shuffle(2000).batch(64).map(lambda x, y: mixup(x, y, alpha=0.3))

    model = build_model()
    model.compile(optimizer=keras.optimizers.Adam(2e-3), loss=FocalLoss(), metrics=["accuracy"])
    model.fit(data, epochs=8, verbose=0)

    logits = model(x_test, training=False)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    table = confusion(tf.constant(y_test), logits)
    print(f"cross-entropy {float(loss(y_test, logits)):.2f}")
    print(f"recall of the worst digit {float(tf.reduce_min(recall(table))):.2f}")
    probs = keras.ops.softmax(logits)
    print(f"calibration error {calibration_error(probs.numpy(), y_test):.2f}")


if __name__ == "__main__":
    main()
