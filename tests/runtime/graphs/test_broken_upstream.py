# SPDX-License-Identifier: Apache-2.0
"""What is right here and wrong with jaxtyping and beartype in TensorFlow: each test shows both.

Where a test fails because upstream has become right, it is to be deleted, and a line of the
documentation with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jaxtyping
import pytest
from beartype import beartype
from jaxtyping import jaxtyped

from tests.tensorflow_arrays import autograph_warnings, load_tensorflow
from typedtensors import Float, Int, Shaped, TensorCheckError, typechecked

tf = load_tensorflow()

theirs = jaxtyped(typechecker=beartype)
Decorator = Callable[[Any], Any]


@pytest.fixture
def warned() -> Iterator[list[str]]:
    """What AutoGraph says."""
    with autograph_warnings() as messages:
        yield messages


def outcome(decorate: Decorator, function: Any, *shapes: Any) -> str:
    """Trace a function without AutoGraph, which does more to theirs; name what is raised."""
    traced = tf.function(decorate(function), autograph=False)
    try:
        traced.get_concrete_function(*map(tf.TensorSpec, shapes))
    except Exception as error:  # noqa: BLE001  theirs raises many
        return type(error).__name__
    return "fits"


def pair(x: Float[tf.Tensor, "n"], y: Float[tf.Tensor, "n"]) -> Any:
    return x


def triple(x: Float[tf.Tensor, "n"], y: Float[tf.Tensor, "n"], z: Float[tf.Tensor, "n"]) -> Any:
    return x


def summed(x: Float[tf.Tensor, "n"], y: Float[tf.Tensor, "m"]) -> Float[tf.Tensor, "n+m"]:
    return tf.concat([x, y], 0)


def stretched(x: Float[tf.Tensor, "*#b"], y: Float[tf.Tensor, "*#b"]) -> Any:
    return x + y


def any_rank(x: Float[tf.Tensor, "..."]) -> Any:
    return x


def test_two_unknown_sizes_of_one_name_may_be_held_to_be_equal() -> None:
    assert outcome(typechecked, pair, [None], [None]) == "fits"
    for decorate, raised in ((typechecked(deferred=True), True), (theirs, False)):
        step = tf.function(decorate(pair), autograph=False, reduce_retracing=True)
        graph = step.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec([None]))
        if raised:
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"pair\(\)"):
                graph(tf.ones(2), tf.ones(3))
        else:
            graph(tf.ones(2), tf.ones(3))


def test_an_unknown_size_may_be_the_known_one() -> None:
    assert outcome(typechecked, pair, [None], [4]) == "fits"
    assert outcome(theirs, pair, [None], [4]) == "TypeCheckError"


def test_an_unknown_size_is_one_size_only() -> None:
    assert outcome(typechecked, triple, [None], [4], [4]) == "fits"
    assert outcome(typechecked, triple, [None], [4], [5]) == "TensorCheckError"
    assert outcome(theirs, triple, [None], [4], [4]) == "TypeCheckError"


def test_an_unknown_rank_fits() -> None:
    assert outcome(typechecked, any_rank, None) == "fits"
    assert outcome(theirs, any_rank, None) == "TypeCheckError"


def test_arithmetic_over_unknown_sizes_is_no_error() -> None:
    assert outcome(typechecked, summed, [None], [2]) == "fits"
    assert outcome(theirs, summed, [None], [2]) == "TypeCheckError"


def test_unknown_sizes_broadcast() -> None:
    assert outcome(typechecked, stretched, [None, 3], [1, 3]) == "fits"
    assert outcome(theirs, stretched, [None, 3], [1, 3]) == "TypeCheckError"


def test_a_variable_is_a_tensor() -> None:
    variable = tf.Variable(tf.ones(2))
    typechecked(any_rank)(variable)
    with pytest.raises(jaxtyping.TypeCheckError):
        theirs(any_rank)(variable)


@pytest.mark.parametrize("dtype", [tf.qint8, tf.variant, tf.resource], ids=lambda dtype: dtype.name)
def test_a_dtype_that_numpy_does_not_know_is_no_crash(dtype: Any) -> None:
    def take(x: Shaped[tf.Tensor, "n"]) -> None: ...

    def take_ints(x: Int[tf.Tensor, "n"]) -> None: ...

    def trace(decorate: Decorator, function: Any) -> None:
        traced = tf.function(decorate(function), autograph=False)
        traced.get_concrete_function(tf.TensorSpec([2], dtype))

    trace(typechecked, take)
    with pytest.raises(TensorCheckError, match=dtype.name):
        trace(typechecked, take_ints)
    with pytest.raises(jaxtyping.TypeCheckError):
        trace(theirs, take)


def test_the_error_in_a_graph_is_that_of_the_check() -> None:
    with pytest.raises(TensorCheckError):
        tf.function(typechecked(pair))(tf.ones(2), tf.ones(3))
    with pytest.raises(Exception, match="pair") as caught:
        tf.function(theirs(pair))(tf.ones(2), tf.ones(3))
    assert not isinstance(caught.value, jaxtyping.TypeCheckError)
    assert type(caught.value).__name__ == "StagingError"


def test_autograph_has_nothing_to_say(warned: list[str]) -> None:
    tf.function(typechecked(pair))(tf.ones(2), tf.ones(2))
    assert warned == []
    tf.function(theirs(pair))(tf.ones(2), tf.ones(2))
    assert any("could not transform" in message for message in warned)


def test_what_is_a_graph_already_is_checked() -> None:
    graph = tf.function(pair)
    with pytest.raises(TensorCheckError):
        typechecked(graph)(tf.ones(2), tf.ones(3))
    with pytest.raises(AttributeError):
        theirs(graph)
    beartype(graph)(tf.ones(2), 3)  # which is no tensor
