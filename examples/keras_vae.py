# SPDX-License-Identifier: Apache-2.0
"""A convolutional variational autoencoder for digits, with a training step of its own."""

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Float
from keras import layers
from sklearn.datasets import load_digits

LATENT = 4


def images() -> Float[np.ndarray, "n 8 8 1"]:
    return (load_digits().images[..., None] / 16.0).astype("float32")


class Sampling(layers.Layer):
    def call(
        self, inputs: tuple[Float[tf.Tensor, "b z"], Float[tf.Tensor, "b z"]]
    ) -> Float[tf.Tensor, "b z"]:
        mean, log_var = inputs
        noise = tf.random.normal(tf.shape(mean))
        return mean + tf.exp(0.5 * log_var) * noise


def build_encoder(latent=LATENT):
    inputs = keras.Input(shape=(8, 8, 1))
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")(inputs)
    x = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Flatten()(x)
    x = layers.Dense(32, activation="relu")(x)
    mean = layers.Dense(latent, name="mean")(x)
    log_var = layers.Dense(latent, name="log_var")(x)
    return keras.Model(inputs, [mean, log_var], name="encoder")


def build_decoder(latent=LATENT):
    model = keras.Sequential(name="decoder")
    model.add(keras.Input(shape=(latent,)))
    model.add(layers.Dense(2 * 2 * 32, activation="relu"))
    model.add(layers.Reshape((2, 2, 32)))
    model.add(layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"))
    model.add(layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu"))
    model.add(layers.Conv2D(1, 3, padding="same", activation="sigmoid"))
    return model


def divergence(
    mean: Float[tf.Tensor, "b z"], log_var: Float[tf.Tensor, "b z"]
) -> Float[tf.Tensor, "b"]:
    """From the standard normal distribution, of each sample."""
    return -0.5 * tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=-1)


def reconstruction(
    x: Float[tf.Tensor, "b h w c"], decoded: Float[tf.Tensor, "b h w c"]
) -> Float[tf.Tensor, "b"]:
    """The cross-entropy of each sample, summed over its pixels."""
    by_pixel = keras.losses.binary_crossentropy(x, decoded)
    return tf.reduce_sum(by_pixel, axis=(1, 2))


class VAE(keras.Model):
    def __init__(self, beta: float = 1.0) -> None:
        super().__init__()
        self.beta = beta
        self.encoder = build_encoder()
        self.decoder = build_decoder()
        self.sampling = Sampling()
        self.loss_tracker = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.loss_tracker]

    def call(
        self, x: Float[tf.Tensor, "b 8 8 1"]
    ) -> tuple[Float[tf.Tensor, "b 8 8 1"], Float[tf.Tensor, "b z"], Float[tf.Tensor, "b z"]]:
        mean, log_var = self.encoder(x)
        return self.decoder(self.sampling((mean, log_var))), mean, log_var

    def losses_of(self, x: Float[tf.Tensor, "b 8 8 1"]) -> Float[tf.Tensor, "b"]:
        decoded, mean, log_var = self(x, training=True)
        return reconstruction(x, decoded) + self.beta * divergence(mean, log_var)

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.losses_of(data))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply(gradients, self.trainable_weights)
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}

    def test_step(self, data):
        self.loss_tracker.update_state(tf.reduce_mean(self.losses_of(data)))
        return {"loss": self.loss_tracker.result()}

    def sample(self, count: int) -> Float[tf.Tensor, "count 8 8 1"]:
        return self.decoder(tf.random.normal((count, LATENT)))

    def interpolate(
        self, a: Float[tf.Tensor, "8 8 1"], b: Float[tf.Tensor, "8 8 1"], steps: int
    ) -> Float[tf.Tensor, "steps 8 8 1"]:
        mean, _ = self.encoder(tf.stack([a, b]))
        weights = tf.linspace(0.0, 1.0, steps)[:, None]
        return self.decoder((1 - weights) * mean[0] + weights * mean[1])


def grid(pictures: Float[tf.Tensor, "n 8 8 1"], columns: int) -> Float[tf.Tensor, "h w"]:
    """Pictures side by side, so many in a row."""
    rows = tf.reshape(pictures, (-1, columns, 8, 8))
    lines = tf.transpose(rows, (0, 2, 1, 3))
    return tf.reshape(lines, (-1, columns * 8))


def main() -> None:
    keras.utils.set_random_seed(0)
    data = images()
    model = VAE(beta=0.5)
    model.compile(optimizer=keras.optimizers.Adam(2e-3))
    model.fit(data[:1500], epochs=3, batch_size=64, verbose=0)
    print("loss on held-out digits", round(model.evaluate(data[1500:], verbose=0), 1))
    first, second = tf.constant(data[0]), tf.constant(data[1])
    print("interpolated", model.interpolate(first, second, steps=7).shape)
    decoded, _, _ = model.predict(data[1500:], verbose=0)
    error = np.mean((data[1500:] - decoded) ** 2)
    print(f"squared error {error:.3f}, grid {grid(model.sample(12), 4).shape}")


if __name__ == "__main__":
    main()
