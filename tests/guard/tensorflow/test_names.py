# SPDX-License-Identifier: Apache-2.0
"""Within checked functions a guard knows the axes of TensorFlow's tensors by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.guard.tensorflow.frameworks import keras, tf
from typedtensors import Float, align, typechecked
from typedtensors.guard import BroadcastError, Report, audit, guard

N = 4
Way = Callable[[Callable[..., Any]], Callable[..., Any]]


@pytest.fixture(autouse=True)
def _our_bugs_are_fatal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS_DEBUG", "1")


@pytest.fixture(
    params=[
        pytest.param(lambda f: f, id="eager"),
        pytest.param(tf.function, id="traced"),
        pytest.param(lambda f: tf.function(f, autograph=False), id="unconverted"),
        pytest.param(
            lambda f: (
                lambda *args: tf.function(f).get_concrete_function(
                    *(tf.TensorSpec([None] * len(x.shape), x.dtype) for x in args)
                )
            ),
            id="unknown sizes",
        ),
    ]
)
def way(request: pytest.FixtureRequest) -> Way:
    """How a function runs."""
    found: Way = request.param
    return found


def square() -> Any:
    return tf.random.uniform((N, N))


@typechecked
def loss(pred: Float[tf.Tensor, "n"], target: Float[tf.Tensor, "m"]) -> Any:
    return tf.reduce_mean((pred - target) ** 2)


def found(function: Callable[..., object], *args: object) -> list[tuple[str, str | None]]:
    """The reason and the expression of each event of a call."""
    with guard(action="record") as report:
        function(*args)
    return [(event.reason, event.expression) for event in report.events]


def test_two_names_on_one_axis_are_told_though_sizes_agree(way: Way) -> None:
    with guard(), pytest.raises(BroadcastError) as caught:
        way(loss)(tf.ones(N), tf.ones(N))
    event = caught.value.event
    assert (event.reason, event.names) == ("names", ("n", "m"))
    assert event.file == __file__
    assert "`pred - target` broadcasts (n,) and (m,) to " in str(event)


def test_batch_of_one_hides_nothing() -> None:
    assert found(loss, tf.ones(1), tf.ones(N)) == [("names", "pred - target")]


def test_sizes_that_differ_are_tensorflow_s_own_error() -> None:
    with guard(), pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        loss(tf.ones(N), tf.ones(N + 1))


def test_without_a_guard_or_a_check_nothing_is_known_of_names() -> None:
    loss(tf.ones(N), tf.ones(N))
    assert found(lambda: tf.ones(N) - tf.ones(N)) == []


def test_names_go_where_operations_take_them(way: Way) -> None:
    @typechecked
    def body(x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "c d"]) -> None:
        tf.reduce_mean(tf.nn.relu(x), -1) - tf.reduce_sum(2 * y, 1)
        tf.transpose(x) + tf.transpose(y)
        tf.reduce_max(x, axis=1) / y[:, 0]
        tf.squeeze(tf.expand_dims(x, 1), 1) + tf.concat([y, y], 1)[:, :N]
        tf.nn.softmax(x) @ tf.transpose(y) - tf.matmul(y, x, transpose_b=True)
        tf.einsum("bd,cd->bc", x, y) * tf.stack([y, y], 1)[:, 1]
        keras.ops.mean(x, axis=1) - keras.ops.sum(y, axis=1)
        tf.gather(x, [0, 1], axis=1) * tf.split(y, 2, axis=1)[0]
        tf.cast(tf.argmax(x, 1), tf.float32) * tf.unstack(y, N, axis=1)[0]
        tf.reduce_mean(x, 0) + tf.reduce_mean(y, 0)
        x[..., tf.newaxis, 0] - y[:, :1]

    assert found(way(body), square(), square()) == [
        ("names", "tf.reduce_mean(tf.nn.relu(x), -1) - tf.reduce_sum(2 * y, 1)"),
        ("names", "tf.transpose(x) + tf.transpose(y)"),
        ("names", "tf.reduce_max(x, axis=1) / y[:, 0]"),
        ("names", "tf.squeeze(tf.expand_dims(x, 1), 1) + tf.concat([y, y], 1)[:, :N]"),
        ("names", "tf.nn.softmax(x) @ tf.transpose(y) - tf.matmul(y, x, transpose_b=True)"),
        ("names", 'tf.einsum("bd,cd->bc", x, y) * tf.stack([y, y], 1)[:, 1]'),
        ("names", "keras.ops.mean(x, axis=1) - keras.ops.sum(y, axis=1)"),
        ("names", "tf.gather(x, [0, 1], axis=1) * tf.split(y, 2, axis=1)[0]"),
        ("names", "tf.cast(tf.argmax(x, 1), tf.float32) * tf.unstack(y, N, axis=1)[0]"),
        ("names", "x[..., tf.newaxis, 0] - y[:, :1]"),
    ]


def test_names_settle_what_equal_sizes_leave_open() -> None:
    @typechecked
    def body(
        x: Float[tf.Tensor, "b d"], row: Float[tf.Tensor, "d"], column: Float[tf.Tensor, "b"]
    ) -> None:
        x / row
        x / tf.reduce_sum(x, 0)
        x / column
        tf.transpose(x) / row

    assert found(body, square(), tf.ones(N), tf.ones(N)) == [
        ("names", "x / column"),
        ("names", "tf.transpose(x) / row"),
    ]


def test_what_has_no_name_goes_with_any(way: Way) -> None:
    layer = keras.layers.Dense(N)
    layer.build((None, N))

    @typechecked
    def body(
        x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "b _"], z: Float[tf.Tensor, "..."]
    ) -> None:
        x + y
        x + tf.ensure_shape(z, [None, N])
        layer(tf.ensure_shape(x, [None, N])) + y
        x + tf.ones((1, N))
        x + tf.reshape(y, (-1, N))

    assert found(way(body), square(), square(), square()) == []


def test_caller_knows_what_a_checked_function_returned() -> None:
    @typechecked
    def inner(a: Float[tf.Tensor, "rows columns"]) -> Float[tf.Tensor, "rows columns"]:
        return tf.nn.relu(a) + 1

    @typechecked
    def outer(x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "c d"]) -> Any:
        return inner(inner(x)) + y

    assert found(outer, square(), square()) == [("names", "inner(inner(x)) + y")]


def test_built_in_loss_is_told_by_its_name() -> None:
    @typechecked
    def body(pred: Float[tf.Tensor, "b d"], target: Float[tf.Tensor, "c d"]) -> Any:
        return keras.losses.mean_squared_error(target, pred)

    with guard(action="record") as report:
        body(square(), square())
    (event,) = report.events
    assert (event.op, event.reason, event.names) == ("mean_squared_error", "names", ("c d", "b d"))


def test_layers_are_told_while_they_are_trained() -> None:
    class Gate(keras.layers.Layer):
        @typechecked
        def call(self, x: Float[tf.Tensor, "batch t d"]) -> Float[tf.Tensor, "batch t d"]:
            return x * tf.reduce_mean(x, 1)[..., None]

    model = keras.Sequential([keras.Input((N, N)), keras.layers.Dense(N), Gate()])
    model.compile("sgd", "mse")
    with guard(action="record") as report:
        model.fit(np.ones((8, N, N)), np.ones((8, N, N)), verbose=0)
    assert {(event.reason, event.names) for event in report.events} == {
        ("names", ("batch t d", "batch d 1"))
    }


def test_audit_knows_names_too() -> None:
    spec = Float[tf.Tensor, "n"]
    assert [event.reason for event in audit(loss, spec, spec).events] == ["names"]


def test_broadcast_by_name_or_with_a_comment_is_accepted(way: Way) -> None:
    @typechecked
    def body(x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "c d"]) -> None:
        x + y  # broadcast: ok
        align(x, "b d", to="b c d") + align(y, "c d", to="b c d")

    assert found(way(body), square(), square()) == []


def test_sizes_that_the_function_compares_may_be_equal(way: Way) -> None:
    @typechecked
    def asserted(x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "c d"]) -> Any:
        assert x.shape.rank == y.shape.rank
        return x + y

    @typechecked
    def debugged(x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "c d"]) -> Any:
        tf.debugging.assert_equal(tf.shape(x), tf.shape(y))
        return x + y

    @typechecked
    def late(x: Float[tf.Tensor, "b d"], y: Float[tf.Tensor, "c d"]) -> Any:
        z = x + y
        tf.debugging.assert_equal(tf.shape(z), tf.shape(y))
        return z

    assert [found(way(f), square(), square()) for f in (asserted, debugged)] == [[], []]
    assert found(way(late), square(), square()) == [("names", "x + y")]


def test_gradients_of_what_has_names_are_left_alone() -> None:
    @typechecked
    def step(x: Float[tf.Tensor, "b d"], w: Float[tf.Tensor, "d k"]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            value = tf.reduce_sum(tf.nn.softmax(x @ w) ** 2)
        return tape.gradient(value, w)

    assert found(step, square(), square()) == []


class TestSummary:
    """What a run cannot tell apart, it says."""

    def report(self, *sizes: tuple[int, int]) -> Report:
        @typechecked
        def f(x: Float[tf.Tensor, "batch width"]) -> Any:
            return tf.reduce_sum(x)

        with guard(action="record") as report:
            for size in sizes:
                f(tf.ones(size))
        return report

    def test_dims_of_equal_sizes_in_every_call_are_named(self) -> None:
        (equal,) = self.report((3, 3), (4, 4)).equal_sizes
        assert (equal.names, equal.size) == (("batch", "width"), 4)

    def test_one_call_that_tells_them_apart_is_enough(self) -> None:
        assert self.report((3, 3), (4, 5)).equal_sizes == ()
