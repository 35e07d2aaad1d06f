# SPDX-License-Identifier: Apache-2.0
"""A character-level transformer that learns to add, trained and sampled with Keras."""

import keras
import numpy as np
import tensorflow as tf
from jaxtyping import Bool, Float, Int
from keras import layers, ops

SYMBOLS = "0123456789+= "
LENGTH = 12


def problems(count: int, seed: int) -> Int[np.ndarray, "count 12"]:
    """Texts such as `17+25=42    `, as positions of their characters."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, 100, size=(count, 2))
    texts = [f"{a}+{b}={a + b}".ljust(LENGTH) for a, b in pairs]
    return np.array([[SYMBOLS.index(each) for each in text] for text in texts], dtype="int32")


def causal_mask(length: int) -> Bool[tf.Tensor, "length length"]:
    position = tf.range(length)
    return position[:, None] >= position[None, :]


class Embedding(layers.Layer):
    def __init__(self, vocab: int, length: int, dim: int) -> None:
        super().__init__()
        self.token = layers.Embedding(vocab, dim)
        self.position = layers.Embedding(length, dim)

    def call(self, ids: Int[tf.Tensor, "b t"]) -> Float[tf.Tensor, "b t d"]:
        places = tf.range(tf.shape(ids)[1])
        return self.token(ids) + self.position(places)[None]


class CausalSelfAttention(layers.Layer):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.qkv = layers.Dense(3 * dim)
        self.out = layers.Dense(dim)

    def split(self, x: Float[tf.Tensor, "b t d"]) -> Float[tf.Tensor, "b h t e"]:
        x = ops.reshape(x, (ops.shape(x)[0], -1, self.heads, self.head_dim))
        return ops.transpose(x, (0, 2, 1, 3))

    def call(self, x: Float[tf.Tensor, "b t d"]) -> Float[tf.Tensor, "b t d"]:
        q, k, v = map(self.split, ops.split(self.qkv(x), 3, axis=-1))
        scores = ops.matmul(q, ops.swapaxes(k, -1, -2)) / self.head_dim**0.5
        mask = causal_mask(tf.shape(x)[1])
        weights = ops.softmax(ops.where(mask, scores, -1e9), axis=-1)
        mixed = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
        return self.out(ops.reshape(mixed, ops.shape(x)))


class Block(layers.Layer):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norm1 = layers.LayerNormalization()
        self.norm2 = layers.LayerNormalization()
        self.attention = CausalSelfAttention(dim, heads)
        self.dropout = layers.Dropout(dropout)
        self.mlp = keras.Sequential([layers.Dense(4 * dim, activation="gelu"), layers.Dense(dim)])

    def call(self, x: Float[tf.Tensor, "b t d"], training=False) -> Float[tf.Tensor, "b t d"]:
        x = x + self.dropout(self.attention(self.norm1(x)), training=training)
        return x + self.dropout(self.mlp(self.norm2(x)), training=training)


class LanguageModel(keras.Model):
    def __init__(self, vocab: int, dim: int = 32, heads: int = 4, depth: int = 2) -> None:
        super().__init__()
        self.embed = Embedding(vocab, LENGTH, dim)
        self.blocks = [Block(dim, heads, dropout=0.1) for _ in range(depth)]
        self.norm = layers.LayerNormalization()
        self.out = layers.Dense(vocab)

    def call(self, ids: Int[tf.Tensor, "b t"], training=False) -> Float[tf.Tensor, "b t vocab"]:
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, training=training)
        return self.out(self.norm(x))


def answer_loss(
    targets: Int[tf.Tensor, "b t"], logits: Float[tf.Tensor, "b t vocab"]
) -> Float[tf.Tensor, ""]:
    """Cross-entropy of what stands behind the `=`."""
    equals = tf.cast(targets == SYMBOLS.index("="), tf.int32)
    behind = tf.cumsum(equals, axis=1, exclusive=True)
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    counted = tf.cast(behind, tf.float32)
    return tf.reduce_sum(losses * counted) / tf.reduce_sum(counted)


def sample(
    model: LanguageModel, prompt: Int[tf.Tensor, "b t"], steps: int, temperature: float = 0.1
) -> Int[tf.Tensor, "b t+{steps}"]:
    ids = prompt
    for _ in range(steps):
        last = model(ids)[:, -1] / temperature
        best, _ = tf.math.top_k(last, k=3)
        last = tf.where(last < best[:, -1:], -1e9, last)
        chosen = tf.random.categorical(last, 1, dtype=tf.int32)
        ids = tf.concat([ids, chosen], axis=1)
    return ids


def main() -> None:
    keras.utils.set_random_seed(0)
    model = LanguageModel(len(SYMBOLS))
    optimizer = keras.optimizers.Adam(3e-3)
    data = tf.data.Dataset.from_tensor_slices(problems(2000, seed=0)).batch(100)

    @tf.function
    def step(ids: Int[tf.Tensor, "b t"]) -> Float[tf.Tensor, ""]:
        with tf.GradientTape() as tape:
            logits = model(ids[:, :-1], training=True)
            loss = answer_loss(ids[:, 1:], logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    for epoch in range(2):
        mean = keras.metrics.Mean()
        for batch in data:
            mean.update_state(step(batch))
        print(f"epoch {epoch}: loss {float(mean.result()):.2f}")

    asked = tf.constant(problems(3, seed=1))[:, :6]
    for text in sample(model, asked, steps=4).numpy():
        print("".join(SYMBOLS[each] for each in text))


if __name__ == "__main__":
    main()
