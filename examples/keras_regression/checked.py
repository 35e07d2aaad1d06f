# SPDX-License-Identifier: Apache-2.0
"""The same bug behind a loss that checks its arguments when Keras calls it."""

import keras
import tensorflow as tf
from jaxtyping import Float
from model import build, load

from typedtensors import typechecked


class RelativeError(keras.losses.Loss):
    """Squared errors; the more a patient's illness progresses, the less they count."""

    @typechecked
    def call(
        self, y_true: Float[tf.Tensor, "n"], y_pred: Float[tf.Tensor, "n"]
    ) -> Float[tf.Tensor, ""]:
        return tf.reduce_mean(tf.square(y_true - y_pred) / (1.0 + y_true))


keras.utils.set_random_seed(0)
x, x_test, y, y_test = load()
model = build()
model.compile(optimizer="adam", loss=RelativeError())
model.fit(x, y, verbose=0)
