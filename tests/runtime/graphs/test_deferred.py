# SPDX-License-Identifier: Apache-2.0
"""`deferred=True`: a graph compares at each step what was not known when it was made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tensorflow_arrays import load_tensorflow
from typedtensors import Float, TensorCheckError, typechecked

tf = load_tensorflow()


def deferred(*specs: str) -> Any:
    """Return a function of as many arrays, which hands out the last one."""
    names = [f"x{index}" for index in range(len(specs))]
    parameters: dict[str, Any] = {}
    exec(f"def use({', '.join(names)}): return {names[-1]}", parameters)  # noqa: S102
    use = parameters["use"]
    use.__annotations__ = {
        name: Float[tf.Tensor, spec] for name, spec in zip(names, specs, strict=True)
    }
    return typechecked(deferred=True)(use)


def step(function: Any, *shapes: Any) -> Any:
    """Make the graph of a function; AutoGraph has no text of what `exec` made."""
    return tf.function(function, autograph=False).get_concrete_function(*map(tf.TensorSpec, shapes))


FOUND: Any = [
    (("n", "n"), ([None], [None]), ([2], [2]), ([2], [3])),
    (("n", "n"), ([None], [4]), ([4], [4]), ([2], [4])),
    (("n d", "d"), ([None, None], [3]), ([7, 3], [3]), ([7, 4], [3])),
    (("4",), ([None],), ([4],), ([5],)),
    (("n", "n+1"), ([None], [None]), ([2], [3]), ([2], [2])),
    (("n+1", "n"), ([None], [None]), ([3], [2]), ([2], [2])),
    (("n", "m", "n+m"), ([None], [2], [None]), ([3], [2], [5]), ([3], [2], [6])),
    (("n", "n//2"), ([None], [None]), ([5], [2]), ([5], [3])),
    (("n", "m", "max(n,m)"), ([None],) * 3, ([2], [3], [3]), ([2], [3], [2])),
    (("#n", "n"), ([None], [None]), ([1], [3]), ([2], [3])),
    (("*s", "*s"), ([None, 2], [None, None]), ([3, 2], [3, 2]), ([3, 2], [4, 2])),
    (("*s d", "*s"), (None, None), ([3, 2, 5], [3, 2]), ([3, 2, 5], [3, 2, 5])),
    (("n d",), (None,), ([2, 3],), ([2],)),
    (("n ... d",), (None,), ([2, 3],), ([2],)),
    (("b ... d", "d b"), (None, [None, None]), ([2, 9, 3], [3, 2]), ([2, 9, 3], [2, 3])),
]


@pytest.mark.parametrize(("specs", "shapes", "good", "bad"), FOUND)
def test_what_was_not_known_is_compared_at_each_step(
    specs: Any, shapes: Any, good: Any, bad: Any
) -> None:
    graph = step(deferred(*specs), *shapes)
    graph(*map(tf.ones, good))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"typedtensors: use\(\):"):
        graph(*map(tf.ones, bad))


def test_the_message_says_which_axis_and_who_says_otherwise() -> None:
    graph = step(deferred("n", "n"), [None], [None])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        graph(tf.ones(2), tf.ones(3))
    assert "[axis 0 of `x1`:] [3] [`n` is] [2] [by axis 0 of `x0`]" in str(caught.value)


def test_a_graph_that_is_known_holds_no_assertion() -> None:
    function = deferred("n d", "d")
    plain = step(function.__wrapped__, [2, 3], [3]).graph.get_operations()
    assert len(step(function, [2, 3], [3]).graph.get_operations()) == len(plain)


def test_what_contradicts_already_is_an_error_when_the_graph_is_made() -> None:
    with pytest.raises(TensorCheckError):
        step(deferred("n", "n", "n"), [None], [4], [5])


def test_a_result_is_compared_too() -> None:
    @typechecked(deferred=True)
    def kept(x: Float[tf.Tensor, "n"]) -> Float[tf.Tensor, "n"]:
        return tf.boolean_mask(x, x > 0)

    graph = tf.function(kept)
    assert graph(tf.ones(3)).shape == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 0 of `return`"):
        graph(tf.constant([1.0, -1.0]))


def test_an_attribute_of_the_object_is_a_size() -> None:
    class Layer(tf.Module):
        d = 3

        @typechecked(deferred=True)
        def __call__(self, x: Float[tf.Tensor, "n {self.d}"]) -> Float[tf.Tensor, "n"]:
            return tf.reduce_sum(x, -1)

    graph = tf.function(Layer(), input_signature=[tf.TensorSpec([None, None])])
    assert graph(tf.ones((2, 3))).shape == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 1 of `x`"):
        graph(tf.ones((2, 4)))


def test_a_loss_stops_the_first_step_that_would_broadcast() -> None:
    import keras

    @typechecked(deferred=True)
    def loss(y: Float[tf.Tensor, "n"], p: Float[tf.Tensor, "n"]) -> Float[tf.Tensor, "n"]:
        return (y - p) ** 2

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1), keras.layers.Flatten()])
    x = np.ones((8, 3), np.float32)
    model.compile("sgd", lambda y, p: loss(y[:, 0], p[:, 0]))
    model.fit(x, np.ones(8, np.float32), batch_size=4, verbose=0)

    one = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    one.compile("sgd", lambda y, p: loss(y[:, 0], tf.boolean_mask(p[:, 0], [1, 0, 0, 0])))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"loss\(\):.*axis 0 of `p`"):
        one.fit(x, np.ones(8, np.float32), batch_size=4, verbose=0)


def test_a_body_that_is_mapped_over_a_dataset_is_compared() -> None:
    dataset = tf.data.Dataset.from_generator(
        lambda: iter([np.ones(3, np.float32), np.ones(4, np.float32)]),
        output_signature=tf.TensorSpec([None]),
    )
    mapped = iter(dataset.map(deferred("3")))
    next(mapped)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 0 of `x0`"):
        next(mapped)


def test_what_is_saved_compares_too(tmp_path: Any) -> None:
    module = tf.Module()
    module.use = tf.function(
        deferred("n", "n"), input_signature=[tf.TensorSpec([None])] * 2, autograph=False
    )
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"use\(\)"):
        loaded.use(tf.ones(2), tf.ones(3))


def test_xla_compiles_it_all_the_same() -> None:
    compiled = tf.function(deferred("n", "n"), jit_compile=True, autograph=False)
    assert compiled(tf.ones(2), tf.ones(2)).shape == 2


def test_eager_arrays_are_checked_as_ever() -> None:
    function = deferred("n", "n")
    function(tf.ones(2), tf.ones(2))
    with pytest.raises(TensorCheckError):
        function(tf.ones(2), tf.ones(3))
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.ones(2), tf.Variable(tf.ones(3), shape=[None]))
