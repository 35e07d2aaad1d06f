# SPDX-License-Identifier: Apache-2.0
"""The helpers on arrays of TensorFlow and Keras: at once, in graphs, and of unknown sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.tensorflow_arrays import autograph_warnings, load_tensorflow
from typedtensors import AxisError, Float, check, expand, expand_as, matches, sizes
from typedtensors.broadcast import align

tf = load_tensorflow()
import keras  # noqa: E402  it is TensorFlow's

X = np.arange(6, dtype=np.float32).reshape(2, 3)
OTHER = np.zeros((2, 5, 3), np.float32)


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """AutoGraph has nothing to say in any of these tests."""
    with autograph_warnings() as messages:
        yield
    assert messages == []


HELPED: Any = [
    pytest.param(lambda x, _: align(x, "b d", to="b s d"), id="align"),
    pytest.param(lambda x, _: align(x, "b d", to="d s b"), id="permuted"),
    pytest.param(lambda x, _: align(x, "... d", to="d ..."), id="variadic"),
    pytest.param(lambda x, other: expand_as(x, "b d", other, "b s d"), id="expand_as"),
    pytest.param(lambda x, _: expand(x, "b d -> s b d", s=4), id="expand"),
    pytest.param(lambda x, _: expand(x, "b d -> b d", d=3), id="verified"),
    pytest.param(lambda x, _: check(x, Float[tf.Tensor, "b d"]), id="check"),
]


def outcome(helper: Any) -> Any:
    """What a helper gives for arrays of NumPy's."""
    return X if helper is HELPED[-1].values[0] else helper(X, OTHER)


KINDS = [tf.constant, tf.Variable, keras.Variable]


@pytest.mark.parametrize("helper", HELPED)
@pytest.mark.parametrize("kind", KINDS)
def test_a_helper_does_at_once_what_it_does_for_numpy(helper: Any, kind: Any) -> None:
    np.testing.assert_array_equal(helper(kind(X), kind(OTHER)), outcome(helper))


@pytest.mark.parametrize("helper", HELPED)
@pytest.mark.parametrize("known", [(2, 3), (None, 3), (2, None), (None, None)], ids=str)
def test_a_helper_does_the_same_in_a_graph(helper: Any, known: Any) -> None:
    signature = [tf.TensorSpec(known), tf.TensorSpec((known[0], None, known[1]))]
    step = tf.function(helper, input_signature=signature)
    np.testing.assert_array_equal(step(X, OTHER), outcome(helper))


@pytest.mark.parametrize("helper", [each for each in HELPED if each.id != "variadic"])
def test_a_rank_that_is_not_known_is_what_the_names_say(helper: Any) -> None:
    step = tf.function(helper, input_signature=[tf.TensorSpec(None)] * 2)
    np.testing.assert_array_equal(step(X, OTHER), outcome(helper))


@pytest.mark.parametrize("helper", HELPED)
@pytest.mark.parametrize("batch", [2, None])
def test_a_helper_makes_a_part_of_a_model(helper: Any, batch: int | None) -> None:
    x, other = keras.Input((3,), batch), keras.Input((5, 3), batch)
    model = keras.Model([x, other], helper(x, other))
    np.testing.assert_array_equal(model([X, OTHER]), outcome(helper))


def test_what_is_known_of_sizes_stays_known() -> None:
    seen: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 5, 3])])
    def step(x: Any, other: Any) -> Any:
        seen.append(align(x, "b d", to="d s b").shape.as_list())
        seen.append(expand_as(x, "b d", other, "b s d").shape.as_list())
        seen.append(expand(x, "b d -> s b d", s=4).shape.as_list())
        return x

    step(X, OTHER)
    assert seen == [[3, 1, None], [None, 5, 3], [4, None, 3]]


def test_an_alignment_computes_no_sizes_in_a_graph() -> None:
    step = tf.function(lambda x: align(x, "b d", to="d s b"))
    graph = step.get_concrete_function(tf.TensorSpec([None, 3])).graph
    assert {op.type for op in graph.get_operations()} <= {
        *("Placeholder", "Const", "Transpose", "ExpandDims", "Identity", "NoOp")
    }


@pytest.mark.parametrize("rows", [1, 4])
def test_a_shared_axis_is_never_stretched_where_its_size_shows_later(rows: int) -> None:
    signature = [tf.TensorSpec([None, 3]), tf.TensorSpec([None, 5, 3])]
    step = tf.function(lambda x, y: expand_as(x, "b d", y, "b s d"), input_signature=signature)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axes of `b` have the sizes"):
        step(np.ones((rows, 3), np.float32), OTHER)


@pytest.mark.parametrize("known", [(None, 4), (2, 4)])
def test_sizes_that_are_known_to_differ_are_an_error(known: Any) -> None:
    signature = [tf.TensorSpec(known), tf.TensorSpec([None, 5, 3])]
    with pytest.raises(AxisError, match="axis 1 is 4, expected 3 from `other`"):
        tf.function(lambda x, y: expand_as(x, "b d", y, "b s d")).get_concrete_function(*signature)


def test_a_rank_that_is_not_what_the_names_say_is_an_error() -> None:
    with pytest.raises(AxisError, match=r"2 axes \(\?, 3\), expected 1"):
        align(keras.Input((3,)), "d", to="b d")
    step = tf.function(lambda x: align(x, "d", to="b d"), input_signature=[tf.TensorSpec(None)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        step(X)
    with pytest.raises(AxisError, match="`x` is not known here"):
        tf.function(lambda x: align(x, "... d", to="d ...")).get_concrete_function(
            tf.TensorSpec(None)
        )


def test_sizes_are_numbers_or_tensors_of_the_graph() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def rows(x: Any) -> Any:
        found = sizes(x, "b d")
        assert found["d"] == 3
        return tf.zeros([found["b"], 7])

    assert rows(X).shape == (2, 7)
    assert sizes(tf.constant(X), "b d") == {"b": 2, "d": 3}
    assert sizes(keras.Input((3,)), "b d") == {"b": None, "d": 3}
    with pytest.raises(AxisError, match="axis 1 is 3, expected 4"):
        tf.function(lambda x: sizes(x, "b 4")).get_concrete_function(tf.TensorSpec([None, 3]))


def test_a_size_may_be_a_tensor_of_the_graph() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None])])
    def rows(x: Any, y: Any) -> Any:
        return expand(y, "n -> b n", **{key: sizes(x, "b d")[key] for key in ["b"]})

    assert rows(X, np.ones(4, np.float32)).shape == (2, 4)


def test_matches_chooses_a_branch_of_the_graph() -> None:
    @tf.function
    def rank(x: Any) -> Any:
        return 1 if matches(x, Float[tf.Tensor, "n"]) else 2

    assert (rank(X[0]), rank(X)) == (1, 2)


def test_autograph_calls_the_helpers_as_they_are() -> None:
    @tf.function
    def step(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            x = expand(align(x, "b d", to="d b"), "d b -> d b s", s=2)
        else:
            x = tf.zeros([3, 2, 2])
        return x

    assert step(X).shape == (3, 2, 2)
