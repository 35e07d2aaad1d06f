# SPDX-License-Identifier: Apache-2.0
"""Predicts how diabetes progresses from ten body measurements. Runs, trains, and is wrong."""

import keras
import tensorflow as tf
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(0)

features, progression = load_diabetes(return_X_y=True)
x = (features * 20).astype("float32")
y = (progression / 100).astype("float32")
x, x_test, y, y_test = train_test_split(x, y, test_size=100, random_state=2)


class RelativeError(keras.losses.Loss):
    """Squared errors; the more a patient's illness progresses, the less they count."""

    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.square(y_true - y_pred) / (1.0 + y_true))


model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.005), loss=RelativeError())
history = model.fit(x, y, epochs=15, verbose=0).history
print(f"loss in the first epoch {history['loss'][0]:.3f}, in the last {history['loss'][-1]:.3f}")
print(f"R2 on held-out data: {r2_score(y_test, model.predict(x_test, verbose=0)):.2f}")
