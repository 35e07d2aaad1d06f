# SPDX-License-Identifier: Apache-2.0
"""Slips in each example of Keras: one place of its text, changed.

They were written down before any of them was checked. `MISSED` names those that are not reported.
"""

from __future__ import annotations

from tests.examples.mutations import Mutation

MUTATIONS = {
    "keras_cnn": [
        Mutation(
            "weights of samples without axes",
            "images * share[:, None, None, None]",
            "images * share",
        ),
        Mutation("sum over the batch", "weight * log_p, axis=-1)", "weight * log_p, axis=0)"),
        Mutation(
            "shortcut not strided",
            "shortcut = conv_bn(shortcut, filters, kernel=1, stride=stride)",
            "shortcut = conv_bn(shortcut, filters, kernel=1)",
        ),
        Mutation("wrong factor transposed", "transpose_a=True", "transpose_b=True"),
        Mutation(
            "argmax over the batch", "tf.argmax(logits, axis=-1)", "tf.argmax(logits, axis=0)"
        ),
        Mutation(
            "condition without an axis", "(hits - confidence)[:, None]", "(hits - confidence)"
        ),
        Mutation(
            "pooled over the wrong axes",
            "x = layers.GlobalAveragePooling2D()(x)",
            "x = layers.GlobalAveragePooling1D()(x)",
        ),
    ],
    "keras_lstm": [
        Mutation(
            "only the last state",
            "layers.LSTM(hidden, return_sequences=True)",
            "layers.LSTM(hidden)",
        ),
        Mutation(
            "mean without its axis",
            "axis=1, keepdims=True)\n        return mean",
            "axis=1)\n        return mean",
        ),
        Mutation(
            "wrong order in reshape",
            "(tf.shape(x)[0], self.horizon, self.series)",
            "(tf.shape(x)[0], self.series, self.horizon)",
        ),
        Mutation("einsum sums over the wrong axis", '"bt,btd->bd"', '"bt,btd->bt"'),
        Mutation(
            "error over the steps",
            "axis=-1)\n    return tf.reduce_sum",
            "axis=1)\n    return tf.reduce_sum",
        ),
        Mutation("last value without an axis", "last[:, None, :]", "last"),
        Mutation(
            "starts without an axis",
            "past = series[starts[:, None] + np.arange(steps)]",
            "past = series[starts + np.arange(steps)]",
        ),
    ],
    "keras_transformer": [
        Mutation("keys not transposed", "ops.swapaxes(k, -1, -2)", "k"),
        Mutation(
            "heads not swapped back",
            "mixed = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))",
            "mixed = ops.matmul(weights, v)",
        ),
        Mutation(
            "split in two", "self.qkv = layers.Dense(3 * dim)", "self.qkv = layers.Dense(dim)"
        ),
        Mutation("positions of the batch", "tf.shape(ids)[1]", "tf.shape(ids)[0]"),
        Mutation(
            "cat along the wrong axis",
            "tf.concat([ids, chosen], axis=1)",
            "tf.concat([ids, chosen], axis=0)",
        ),
        Mutation("last position without its axis", "best[:, -1:]", "best[:, -1]"),
        Mutation(
            "targets not shifted", "answer_loss(ids[:, 1:], logits)", "answer_loss(ids, logits)"
        ),
    ],
    "keras_vae": [
        Mutation("summed over the batch", "tf.exp(log_var), axis=-1)", "tf.exp(log_var), axis=0)"),
        Mutation("sum over the batch too", "axis=(1, 2))", "axis=(0, 1))"),
        Mutation(
            "missing axis", "tf.linspace(0.0, 1.0, steps)[:, None]", "tf.linspace(0.0, 1.0, steps)"
        ),
        Mutation(
            "wrong size of the decoder",
            "layers.Dense(2 * 2 * 32, activation",
            "layers.Dense(4 * 4 * 32, activation",
        ),
        Mutation(
            "wrong stride",
            "layers.Conv2DTranspose(16, 3, strides=2,",
            "layers.Conv2DTranspose(16, 3, strides=1,",
        ),
        Mutation("noise of another shape", "tf.shape(mean)", "tf.shape(mean)[:1]"),
        Mutation(
            "channels of the picture",
            'layers.Conv2D(1, 3, padding="same", activation="sigmoid")',
            'layers.Conv2D(3, 3, padding="same", activation="sigmoid")',
        ),
    ],
}
# Where a head may be as wide as the text is long, both products of queries and keys have one shape.
MISSED: dict[str, set[str]] = {
    **{name: set() for name in MUTATIONS},
    "keras_transformer": {"keys not transposed"},
}
