# SPDX-License-Identifier: Apache-2.0
"""Layers, models, losses and metrics of Keras are checked where they are built, fit and called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tensorflow_arrays import load_tensorflow
from typedtensors import Float, Int, TensorCheckError, check, typechecked

tf = load_tensorflow()
import keras  # noqa: E402  it is TensorFlow's

pytestmark = pytest.mark.usefixtures("silent")


@typechecked
class Affine(keras.layers.Layer):
    """A layer of a user's own."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.units = units

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.w = self.add_weight(shape=(input_shape[-1], self.units))
        self.b = self.add_weight(shape=(self.units,))

    def call(self, x: Float[tf.Tensor, "*batch d_in"]) -> Float[tf.Tensor, "*batch {self.units}"]:
        return add(tf.matmul(x, self.w), self.b)


@typechecked
def add(x: Float[tf.Tensor, "*batch d"], b: Float[tf.Tensor, "d"]) -> Float[tf.Tensor, "*batch d"]:
    return x + b


@typechecked
class Regression(keras.Model):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.hidden, self.last = Affine(8), Affine(1)

    def call(
        self, x: Float[tf.Tensor, "batch d"], *, training: bool | None = None
    ) -> Float[tf.Tensor, "batch"]:
        hidden = check(tf.nn.relu(self.hidden(x)), Float[tf.Tensor, "batch 8"])
        return tf.squeeze(self.last(hidden), -1)


@typechecked
def squared(y: Float[tf.Tensor, "n"], p: Float[tf.Tensor, "n"]) -> Float[tf.Tensor, "n"]:
    return (y - p) ** 2


@typechecked
class Squared(keras.losses.Loss):
    def call(
        self, y_true: Float[tf.Tensor, "n"], y_pred: Float[tf.Tensor, "n"]
    ) -> Float[tf.Tensor, "n"]:
        return (y_true - y_pred) ** 2


@typechecked
class Error(keras.metrics.Metric):
    def __init__(self) -> None:
        super().__init__()
        self.total = self.add_variable((), "zeros")

    def update_state(
        self,
        y_true: Float[tf.Tensor, "n"],
        y_pred: Float[tf.Tensor, "n"],
        sample_weight: Any = None,
    ) -> None:
        self.total.assign_add(tf.reduce_sum(tf.abs(y_true - y_pred)))

    def result(self) -> Float[tf.Tensor, ""]:
        return self.total


X, Y = np.ones((10, 3), np.float32), np.ones(10, np.float32)


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}, {"jit_compile": True}])
@pytest.mark.parametrize("loss", [squared, Squared()], ids=["function", "class"])
def test_a_model_fits_evaluates_and_predicts(loss: Any, options: dict[str, Any]) -> None:
    model = Regression()
    model.compile("sgd", loss, metrics=[Error()], **options)
    model.fit(X, Y, batch_size=4, epochs=2, verbose=0)  # the last batch is a smaller one
    model.evaluate(X, Y, batch_size=4, verbose=0)
    assert model.predict(X, batch_size=4, verbose=0).shape == (10,)


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}])
@pytest.mark.parametrize("loss", [squared, Squared()], ids=["function", "class"])
def test_targets_in_a_column_are_stopped_at_the_first_batch(
    loss: Any, options: dict[str, Any]
) -> None:
    model = Regression()
    model.compile("sgd", loss, **options)
    with pytest.raises(TensorCheckError, match="expected 1 axis") as caught:
        model.fit(X, Y[:, None], verbose=0)
    assert caught.value.argument in ("y", "y_true")


def test_a_metric_of_ones_own_is_checked() -> None:
    model = Regression()
    model.compile("sgd", "mse", metrics=[Error()])
    with pytest.raises(TensorCheckError, match="`y_true`"):
        model.fit(X, Y[:, None], verbose=0)


def test_a_layer_is_checked_where_it_is_called() -> None:
    layer = Affine(2)
    assert layer(tf.ones((4, 3))).shape == (4, 2)
    assert tf.function(layer)(tf.ones((4, 5, 3))).shape == (4, 5, 2)
    with pytest.raises(TensorCheckError, match="int32"):
        layer.call(tf.ones((4, 3), tf.int32))


def test_a_layer_that_returns_what_it_did_not_declare_is_reported() -> None:
    @typechecked
    class Flat(keras.layers.Layer):
        def call(self, x: Float[tf.Tensor, "b d"]) -> Float[tf.Tensor, "b"]:
            return tf.reduce_sum(x, axis=0)

    with pytest.raises(TensorCheckError, match="dim `b` disagrees"):
        Flat()(tf.ones((4, 3)))
    with pytest.raises(TensorCheckError, match="dim `b` disagrees"):
        Flat()(keras.Input((3,), 4))


def test_functional_models_are_checked_while_they_are_built() -> None:
    x = keras.Input((5, 3))
    model = keras.Model(x, Affine(2)(Affine(4)(x)))
    assert model(tf.ones((7, 5, 3))).shape == (7, 5, 2)
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 5, 3)), np.ones((4, 5, 2)), verbose=0)

    @typechecked
    class Pooled(keras.layers.Layer):
        def call(self, x: Float[tf.Tensor, "b d"]) -> Float[tf.Tensor, "b d"]:
            return x

    with pytest.raises(TensorCheckError, match=r"3 axes \(\?, 5, 3\)"):
        Pooled()(x)


def test_functions_of_symbolic_inputs_are_checked() -> None:
    @typechecked
    def residual(x: Float[tf.Tensor, "b t d"], units: int) -> Float[tf.Tensor, "b t d"]:
        return x + keras.layers.Dense(units)(x)

    assert residual(keras.Input((5, 3)), 3).shape == (None, 5, 3)
    with pytest.raises(TensorCheckError, match=r"keras.ops.expand_dims\(x, 1\)"):
        typechecked(same_batch)(keras.Input((3,), 2), keras.Input((5, 3), 2))


def same_batch(x: Float[tf.Tensor, "b 1 d"], y: Float[tf.Tensor, "b t d"]) -> Any:
    return x + y


def test_a_train_step_of_ones_own_is_checked() -> None:
    class Trained(Regression):
        @typechecked
        def train_step(
            self, data: tuple[Float[tf.Tensor, "batch d"], Float[tf.Tensor, "batch"]]
        ) -> dict[str, Float[tf.Tensor, ""]]:
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(squared(y, self(x, training=True)))
            grads = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(grads, self.trainable_variables)
            return {"loss": loss}

    model = Trained()
    model.compile("sgd")
    model.fit(X, Y, batch_size=4, verbose=0)
    model = Trained()
    model.compile("sgd")
    with pytest.raises(TensorCheckError, match="`data"):
        model.fit(X, Y[:, None], verbose=0)


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")
def test_a_model_is_saved_and_loaded(tmp_path: Any) -> None:
    keras.saving.register_keras_serializable()(Regression)
    model = Regression()
    model.compile("sgd", "mse")
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    model.export(tmp_path / "exported", verbose=False)
    assert tf.saved_model.load(tmp_path / "exported").serve(X[:2]).shape == (2,)


def test_embeddings_take_ids() -> None:
    @typechecked
    class Encoder(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.embed = keras.layers.Embedding(10, 4)
            self.rnn = keras.layers.LSTM(6)

        def call(self, ids: Int[tf.Tensor, "batch seq"]) -> Float[tf.Tensor, "batch 6"]:
            return self.rnn(self.embed(ids))

    encoder = Encoder()
    assert encoder.predict(np.ones((3, 5), np.int32), verbose=0).shape == (3, 6)
    assert encoder(keras.Input((None,), dtype="int32")).shape == (None, 6)


def test_methods_of_a_module_are_checked() -> None:
    @typechecked
    class Scale(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(tf.ones(3))

        @tf.function
        def __call__(self, x: Float[tf.Tensor, "n d"]) -> Float[tf.Tensor, "n d"]:
            return self.scale(x, self.w)

        @tf.Module.with_name_scope
        def scale(
            self, x: Float[tf.Tensor, "n d"], w: Float[tf.Tensor, "d"]
        ) -> Float[tf.Tensor, "n d"]:
            return x * w

    module = Scale()
    assert module(tf.ones((2, 3))).shape == (2, 3)
    with pytest.raises(TensorCheckError, match="scale"):
        module(tf.ones((2, 4)))
    with pytest.raises(TensorCheckError, match="__call__"):
        module(tf.ones(3))
