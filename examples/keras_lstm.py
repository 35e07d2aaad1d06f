# SPDX-License-Identifier: Apache-2.0
"""A recurrent network with attention that forecasts several noisy waves at once."""

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float
from keras import layers

STEPS, HORIZON, SERIES = 48, 6, 3


def waves(length: int) -> Float[np.ndarray, "length 3"]:
    rng = np.random.default_rng(0)
    time = np.arange(length, dtype="float32")
    periods = np.array([12.0, 17.0, 29.0], dtype="float32")
    clean = np.sin(2 * np.pi * time[:, None] / periods)
    return (clean + 0.1 * rng.normal(size=(length, SERIES))).astype("float32")


def windows(
    series: Float[np.ndarray, "t s"], steps: int, horizon: int
) -> tuple[Float[np.ndarray, "n steps s"], Float[np.ndarray, "n horizon s"]]:
    count = len(series) - steps - horizon + 1
    starts = np.arange(count)
    past = series[starts[:, None] + np.arange(steps)]
    future = series[starts[:, None] + steps + np.arange(horizon)]
    return past, future


class Standardize(layers.Layer):
    """Each window with mean 0 and deviation 1, and the way back."""

    def call(self, x: Float[tf.Tensor, "b t s"]) -> Float[tf.Tensor, "b t s"]:
        mean, deviation = self.statistics(x)
        return (x - mean) / deviation

    def statistics(
        self, x: Float[tf.Tensor, "b t s"]
    ) -> tuple[Float[tf.Tensor, "b 1 s"], Float[tf.Tensor, "b 1 s"]]:
        mean = tf.reduce_mean(x, axis=1, keepdims=True)
        return mean, tf.math.reduce_std(x, axis=1, keepdims=True) + 1e-3


class AttentionPooling(layers.Layer):
    """A weighted mean over time; the weights come from a learned query."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = layers.Dense(width, activation="tanh")

    def build(self, input_shape):
        self.score.build(input_shape)
        self.query = self.add_weight(shape=(self.score.units,), name="query")

    def call(self, h: Float[tf.Tensor, "b t d"]) -> Float[tf.Tensor, "b d"]:
        scores = tf.linalg.matvec(self.score(h), self.query)
        weights = tf.nn.softmax(scores, axis=-1)
        return tf.einsum("bt,btd->bd", weights, h)


class Forecaster(keras.Model):
    def __init__(self, series: int, horizon: int, hidden: int = 24) -> None:
        super().__init__()
        self.series = series
        self.horizon = horizon
        self.standardize = Standardize()
        self.encoder = layers.Bidirectional(layers.LSTM(hidden, return_sequences=True))
        self.pool = AttentionPooling(hidden)
        self.head = keras.Sequential(
            [layers.Dense(2 * hidden, activation="relu"), layers.Dense(horizon * series)]
        )

    def call(self, x: Float[tf.Tensor, "b t s"], training=False) -> Float[tf.Tensor, "b h s"]:
        mean, deviation = self.standardize.statistics(x)
        states = self.encoder(self.standardize(x), training=training)
        context = self.pool(states)
        steps = tf.reshape(self.head(context), (tf.shape(x)[0], self.horizon, self.series))
        return steps * deviation + mean


class Skill(keras.metrics.Metric):
    """How much better the forecast is than the last value, repeated."""

    def __init__(self) -> None:
        super().__init__(name="skill")
        self.errors = self.add_weight(shape=(2,), initializer="zeros", name="errors")

    def update_state(
        self, y_true: Float[tf.Tensor, "b h s"], y_pred: Float[tf.Tensor, "b h s"], last
    ) -> None:
        own = tf.reduce_sum(tf.square(y_true - y_pred))
        naive = tf.reduce_sum(tf.square(y_true - last[:, None, :]))
        self.errors.assign_add(tf.stack([own, naive]))

    def result(self):
        return 1.0 - self.errors[0] / self.errors[1]


def weighted_error(
    y_true: Float[tf.Tensor, "b h s"], y_pred: Float[tf.Tensor, "b h s"]
) -> Float[tf.Tensor, "b"]:
    """The near future counts more than the far one."""
    decay = tf.pow(0.9, tf.range(tf.shape(y_true)[1], dtype=tf.float32))
    by_step = tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)
    return tf.reduce_sum(by_step * decay, axis=-1) / tf.reduce_sum(decay)


def main() -> None:
    keras.utils.set_random_seed(0)
    past, future = windows(waves(900), STEPS, HORIZON)
    model = Forecaster(SERIES, HORIZON)
    model.compile(optimizer=keras.optimizers.Adam(5e-3), loss=weighted_error)
    model.fit(past[:600], future[:600], epochs=2, batch_size=64, verbose=0)

    x, y = tf.constant(past[700:]), tf.constant(future[700:])
    forecast = model(x)
    skill = Skill()
    skill.update_state(y, forecast, x[:, -1])
    error = keras.losses.mean_absolute_error(y, forecast)
    print(f"skill {float(skill.result()):.2f}")
    print("error by step", tf.reduce_mean(error, axis=0).numpy().round(2))
    residual = future[700:] - model.predict(past[700:], verbose=0)
    print("bias by series", residual.mean(axis=(0, 1)).round(2))


if __name__ == "__main__":
    main()
