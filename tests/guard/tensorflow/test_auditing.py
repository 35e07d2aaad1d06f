# SPDX-License-Identifier: Apache-2.0
"""What is told of graphs: before anything runs, and of functions that were traced before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.guard.tensorflow.frameworks import keras, tf
from typedtensors import Bool, Float, Int, Int64, Key, Shaped, align
from typedtensors.guard import BroadcastError, allow_broadcast, audit, guard

COLUMN, ROW = tf.ones((4, 1)), tf.ones(4)
ANY_COLUMN, ANY_ROW = tf.TensorSpec((None, 1)), tf.TensorSpec((None,))


def loss_of(pred: Any, y: Any) -> Any:
    """A loss that makes a table."""
    return tf.reduce_mean((pred - y) ** 2)


class Squared(keras.losses.Loss):
    """A loss that forgets that a network predicts a column."""

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return keras.ops.mean(keras.ops.square(y_true - y_pred))


def network() -> Any:
    """One layer."""
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])


def expressions(*target: Any, **settings: Any) -> list[str | None]:
    """What an audit tells."""
    return [event.expression for event in audit(*target, **settings).events]


def test_function_is_traced_and_not_run() -> None:
    ran = []

    def spied(pred: Any, y: Any) -> Any:
        tf.py_function(lambda: ran.append(1), [], [])
        return loss_of(pred, y)

    (event,) = audit(spied, ANY_COLUMN, ANY_ROW).events
    assert (event.expression, event.reason, event.file) == ("pred - y", "rank", __file__)
    assert event.function == f"{__name__}.loss_of"
    assert ran == []


@pytest.mark.parametrize(
    "specs",
    [
        (COLUMN, ROW),
        (COLUMN.numpy(), ROW.numpy()),
        (keras.Input((1,)), keras.Input(batch_shape=(4,))),
    ],
    ids=["tensors", "arrays", "inputs"],
)
def test_arrays_describe_what_they_are_like(specs: Any) -> None:
    assert expressions(loss_of, *specs) == ["pred - y"]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (Float[tf.Tensor, "batch 3"], ([None, 3], tf.float32)),
        (Float[tf.Variable, "b=4 _ n+1 2*3 {k} #d"], ([4, None, None, 6, None, None], tf.float32)),
        (Float[Float[tf.Tensor, "c 2"], "b"], ([None, None, 2], tf.float32)),
        (Shaped[tf.Tensor, "*batch 3"], (None, tf.float32)),
        (Int[np.ndarray, ""], ([], tf.int32)),
        (Int64[Any, "n"], ([None], tf.int64)),
        (Bool[keras.KerasTensor, "n"], ([None], tf.bool)),
        (Float[tf.Tensor | tf.Variable, "n"], ([None], tf.float32)),
        (Float[tf.Tensor, "n"] | None, ([None], tf.float32)),
    ],
    ids=repr,
)
def test_annotation_describes_what_it_says(annotation: Any, expected: Any) -> None:
    seen = []
    audit(lambda x: seen.append((x.shape, x.dtype)), annotation)
    ((shape, dtype),) = seen
    assert (shape.as_list() if shape.rank is not None else None, dtype) == expected


def test_annotations_describe_the_data_of_a_model() -> None:
    model = network()
    assert expressions(model, Float[tf.Tensor, "batch 3"]) == []
    model.compile("adam", Squared())
    data = Float[tf.Tensor, "batch 3"], Float[tf.Tensor, "batch"]
    assert expressions(model, *data) == ["y_true - y_pred"]
    assert expressions(lambda pair: loss_of(*pair), [COLUMN, Float[tf.Tensor, "n"]]) == ["pred - y"]


@pytest.mark.parametrize(
    "annotation",
    [
        tf.Tensor,
        list[Float[tf.Tensor, "n"]],
        Float[tf.Tensor, "n"] | Float[tf.Tensor, "n 1"],
        Key[tf.Tensor, "n"],
        Float[tf.RaggedTensor, "n"],
    ],
    ids=repr,
)
def test_annotation_that_describes_no_tensor_alone_is_refused(annotation: Any) -> None:
    with pytest.raises(TypeError, match=r"describe each argument by a `Float\[tf.Tensor, "):
        audit(tf.abs, annotation)


def test_traced_function_is_looked_at_again() -> None:
    inner = tf.function(loss_of)

    @tf.function
    def outer(pred: Any, y: Any) -> Any:
        total = tf.zeros(())
        for _ in tf.range(3):
            total += inner(pred, y)
        return total

    outer(COLUMN, ROW)
    assert expressions(outer, COLUMN, ROW) == ["pred - y"]
    assert expressions(outer.get_concrete_function(COLUMN, ROW)) == ["pred - y"]


def test_level_and_exceptions_are_those_of_a_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    def biased(x: Any) -> Any:
        return x + tf.ones(3)

    assert expressions(biased, tf.TensorSpec((None, 3))) == []
    assert len(expressions(biased, tf.TensorSpec((None, 3)), level="explicit")) == 1
    assert expressions(loss_of, COLUMN, ROW, level="allow") == []
    assert expressions(loss_of, COLUMN, ROW, allows=lambda event: event.op == "subtract") == []
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "off")
    assert expressions(loss_of, COLUMN, ROW) == []


def test_model_is_audited_by_its_own_inputs() -> None:
    class Table(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x - keras.ops.squeeze(x, -1)

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1), Table()])
    assert expressions(model) == ["x - keras.ops.squeeze(x, -1)"]
    assert expressions(Table(), ANY_COLUMN) == ["x - keras.ops.squeeze(x, -1)"]
    one, two = keras.Input((3,)), keras.Input((3,))
    assert expressions(keras.Model([one, two], one + two)) == []
    with pytest.raises(TypeError, match=r"describe the inputs of `table"):
        audit(Table())


@pytest.mark.parametrize(
    ("targets", "loss", "expected"),
    [
        (tf.TensorSpec((None,)), Squared(), ["y_true - y_pred"]),
        (tf.TensorSpec((None, 1)), Squared(), []),
        (tf.TensorSpec((None,)), "mse", []),
    ],
)
def test_compiled_model_is_audited_as_it_is_trained(targets: Any, loss: Any, expected: Any) -> None:
    model = network()
    model.compile("adam", loss, metrics=["mae"])
    before = [weight.numpy() for weight in model.weights]
    assert expressions(model, tf.TensorSpec((None, 3)), targets) == expected
    for weight, value in zip(model.weights, before, strict=True):
        np.testing.assert_array_equal(weight.numpy(), value)
    model.fit(np.ones((4, 3)), np.ones((4, *targets.shape[1:])), verbose=0)


def test_what_is_not_of_tensorflow_is_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"not Linear: for torch, compile with `backend=audited"):
        audit(torch.nn.Linear(2, 3), COLUMN)


class TestTracedBefore:
    """A guard looks at functions that were traced before it was there, when they are called."""

    def test_call_is_told_once_and_again_under_another_guard(self) -> None:
        traced = tf.function(loss_of)
        traced(COLUMN, ROW)
        for _ in range(2):
            with guard(action="record") as report:
                traced(COLUMN, ROW)
                traced(COLUMN, ROW)
            (event,) = report.events
            assert report.times(event) == 1
        with guard(), pytest.raises(BroadcastError, match="pred - y"):
            traced(COLUMN, ROW)

    def test_second_fit_is_told_as_the_first_one(self) -> None:
        model = network()
        model.compile("sgd", Squared())
        model.fit(np.ones((8, 3)), np.ones(8), verbose=0)
        with guard(action="record") as report:
            model.fit(np.ones((8, 3)), np.ones(8), verbose=0)
        assert [event.function for event in report.events] == [f"{__name__}.Squared.call"]

    def test_built_in_loss_that_stretches_is_told_at_the_program_s_line(self) -> None:
        model = network()
        model.compile("sgd", "mse")
        with guard("allow"):
            model.fit(np.ones((8, 3)), np.ones((8, 2)), verbose=0)
        with guard(action="record") as report:
            model.fit(np.ones((8, 3)), np.ones((8, 2)), verbose=0)
        (event,) = report.events
        assert (event.op, event.reason, event.file) == ("mean_squared_error", "loss", __file__)

    def test_what_the_source_says_is_read_there(self) -> None:
        bias = tf.Variable(ROW)

        @tf.function
        def step(column: Any, row: Any) -> Any:
            with allow_broadcast():
                table = column - row
            table = table + (column * row)  # broadcast: ok
            return table + bias, row[:, None] - row, tf.expand_dims(row, 1) * tf.ones(3)

        @tf.function
        @allow_broadcast()
        def other(column: Any, row: Any) -> Any:
            return column - row

        step(COLUMN, ROW)
        other(COLUMN, ROW)
        with guard(action="record") as report:
            step(COLUMN, ROW)
            other(COLUMN, ROW)
        assert report.events == []

    def test_helpers_are_known_by_their_code(self) -> None:
        @tf.function
        def step(table: Any, row: Any) -> Any:
            return table + align(row, "b", to="b d")

        step(tf.ones((4, 4)), ROW)
        with guard("explicit", "record") as report:
            step(tf.ones((4, 4)), ROW)
        assert report.events == []

    def test_gradients_are_left_alone(self) -> None:
        traced = tf.function(loss_of)

        def slope() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(COLUMN)
                loss = traced(COLUMN, ROW)
            return tape.gradient(loss, COLUMN)

        slope()
        with guard(action="record") as report:
            slope()
        assert [event.expression for event in report.events] == ["pred - y"]


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(
            lambda f: lambda x, y: tf.cond(tf.size(y) > 2, lambda: f(x, y), lambda: 0.0), id="if"
        ),
        pytest.param(lambda f: lambda x, y: tf.map_fn(lambda _: f(x, y), tf.zeros(2)), id="map"),
        pytest.param(lambda f: tf.function(f, jit_compile=True), id="compiled"),
        pytest.param(tf.recompute_grad, id="recomputed"),
    ],
)
def test_graphs_inside_of_graphs_are_looked_at(wrap: Callable[..., Any]) -> None:
    traced = tf.function(wrap(loss_of))
    traced(COLUMN, ROW)
    with guard(action="record") as report:
        traced(COLUMN, ROW)
    assert {event.expression for event in report.events} == {"pred - y"}
