# SPDX-License-Identifier: Apache-2.0
"""The script of buggy.py without a single annotation; the data have theirs in model.py."""

import keras
import tensorflow as tf
from model import build, load
from sklearn.metrics import r2_score


class RelativeError(keras.losses.Loss):
    """Squared errors; the more a patient's illness progresses, the less they count."""

    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.square(y_true - y_pred) / (1.0 + y_true))


keras.utils.set_random_seed(0)
x, x_test, y, y_test = load()
model = build()
model.compile(optimizer=keras.optimizers.Adam(0.005), loss=RelativeError())
model.fit(x, y, epochs=15, verbose=0)
print(f"R2 on held-out data: {r2_score(y_test, model.predict(x_test, verbose=0)):.2f}")
