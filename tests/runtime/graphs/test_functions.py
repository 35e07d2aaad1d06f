# SPDX-License-Identifier: Apache-2.0
"""Functions of TensorFlow's tensors are checked at each call, and in a graph when it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.tensorflow_arrays import autograph_warnings, load_tensorflow
from typedtensors import Float, Int, Shaped, TensorCheckError, bindings, sizes, typechecked

tf = load_tensorflow()


def project(x: Float[tf.Tensor, "b d"], w: Float[tf.Tensor, "d k"]) -> Float[tf.Tensor, "b k"]:
    if tf.reduce_sum(x) > 0:  # which AutoGraph makes a part of the graph
        x = x * 2
    for _ in tf.range(3):
        x = x + 1
    return x @ w


CHECKED = {
    "eager": typechecked(project),
    "inside": tf.function(typechecked(project)),
    "outside": typechecked(tf.function(project)),
    "compiled": tf.function(typechecked(project), jit_compile=True),
}


@pytest.fixture(params=list(CHECKED))
def checked(request: pytest.FixtureRequest) -> Any:
    """The function, checked in each way."""
    return CHECKED[request.param]


@pytest.fixture
def warned() -> Iterator[list[str]]:
    """What AutoGraph says."""
    with autograph_warnings() as messages:
        yield messages


def ones(*sizes: int) -> Any:
    return tf.ones(sizes)


def trace(function: Any, *shapes: Any) -> Any:
    """Make the graph of a function for tensors of these shapes."""
    specs = [tf.TensorSpec(shape) for shape in shapes]
    return tf.function(function).get_concrete_function(*specs)


def fits(function: Any, *shapes: Any) -> bool:
    try:
        trace(function, *shapes)
    except TensorCheckError:
        return False
    return True


def ops(graph: Any) -> list[str]:
    return [op.type for op in graph.graph.get_operations()]


def test_a_call_that_fits_gives_what_the_function_gives(checked: Any, warned: list[str]) -> None:
    expected = project(ones(2, 3), ones(3, 4))
    np.testing.assert_array_equal(checked(ones(2, 3), ones(3, 4)), expected)
    assert warned == []


def test_the_error_is_ours_wherever_it_is_raised(checked: Any, warned: list[str]) -> None:
    with pytest.raises(TensorCheckError, match="dim `d` disagrees") as caught:
        checked(ones(2, 3), ones(5, 4))
    assert (caught.value.argument, caught.value.axis) == ("w", 0)
    assert (caught.value.expected, caught.value.actual) == (3, 5)
    assert "test_functions.py" in str(caught.value)
    assert warned == []


def test_what_autograph_is_told_to_leave_is_left() -> None:
    @typechecked
    def halve(x: Float[tf.Tensor, "n"]) -> Float[tf.Tensor, "n"]:
        return x / 2 if tf.reduce_sum(x) > 0 else x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(halve, autograph=False)(ones(2))
    assert tf.function(halve)(ones(2)).numpy().tolist() == [0.5, 0.5]


def test_a_graph_holds_nothing_of_the_checks() -> None:
    for shapes in ([(2, 3), (3, 4)], [(None, 3), (3, None)], [None, None]):
        assert ops(trace(typechecked(project), *shapes)) == ops(trace(project, *shapes))


def test_a_result_is_checked_in_a_graph() -> None:
    @typechecked
    def total(x: Float[tf.Tensor, "n d"]) -> Float[tf.Tensor, "n"]:
        return tf.reduce_sum(x, 0)

    assert not fits(total, [2, 3])
    assert fits(total, [None, 3])  # where it may be 3, too


UNIFIED: Any = [
    ("n", "n", "n", (None, 4, 4), True),
    ("n", "n", "n", (None, 4, 5), False),
    ("n", "n", "n", (4, None, 5), False),
    ("n", "n", "n", (4, 5, None), False),
    ("n", "n", "n", (None, None, 5), True),
    ("n", "n+1", "n", (None, 4, 3), True),
    ("n", "n+1", "n", (None, 4, 4), False),
    ("n", "m", "n+m", (None, 2, 5), True),
    ("n+1", "n", "n", (None, 2, 2), True),
    ("n+1", "n", "n", (4, None, 2), False),
    ("n", "2*n", "n", (None, 6, 4), False),
    ("#n", "#n", "n", (None, 4, 4), True),
    ("#n", "#n", "n", (None, 4, 5), False),
    ("#n", "#n", "n", (1, 4, None), True),
    ("#n", "#n", "#n", (3, 4, None), False),
    ("4", "n", "n", (None, 4, None), True),
    ("*s", "*s", "*s", (None, 4, 5), False),
    ("*s", "*s", "*s", (None, 4, 4), True),
    ("*#s", "*#s", "*s", (None, 1, 5), True),
    ("*#s", "*#s", "*s", (3, 1, 5), False),
]


@pytest.mark.parametrize(("a", "b", "c", "sizes", "fit"), UNIFIED)
def test_unknown_sizes_are_what_they_have_to_be(
    a: str, b: str, c: str, sizes: tuple[int | None, ...], *, fit: bool
) -> None:
    def use(x: Any, y: Any, z: Any) -> Any:
        return x

    annotations = {"x": a, "y": b, "z": c}
    use.__annotations__ = {name: Float[tf.Tensor, spec] for name, spec in annotations.items()}
    assert fits(typechecked(use), *([size] for size in sizes)) is fit


def test_an_unknown_rank_fits_and_its_dtype_counts() -> None:
    @typechecked
    def use(x: Float[tf.Tensor, "n d"], y: Float[tf.Tensor, "n ..."]) -> Float[tf.Tensor, ""]:
        return x

    assert fits(use, None, None)
    with pytest.raises(TensorCheckError, match="int32"):
        tf.function(use).get_concrete_function(tf.TensorSpec(None), tf.TensorSpec(None, tf.int32))


def test_what_is_known_of_sizes_shows() -> None:
    @typechecked
    def use(x: Float[tf.Tensor, "n d"], y: Float[tf.Tensor, "n"]) -> None:
        seen.append(bindings())

    seen: list[Any] = []
    trace(use, [None, 3], [None])
    trace(use, [None, 3], [4])
    assert seen == [{"d": 3}, {"n": 4, "d": 3}]


def test_a_fix_is_proposed_where_the_size_of_the_batch_is_unknown() -> None:
    @typechecked
    def loss(y: Float[tf.Tensor, "n"], p: Float[tf.Tensor, "n"]) -> None: ...

    with pytest.raises(TensorCheckError, match=r"pass `tf.squeeze\(p, -1\)`") as caught:
        trace(loss, [None], [None, 1])
    assert "f32[?, 1]" in str(caught.value)


def test_a_body_that_is_mapped_over_a_dataset_is_checked(warned: list[str]) -> None:
    @typechecked
    def double(x: Float[tf.Tensor, "d"]) -> Float[tf.Tensor, "d"]:
        if tf.reduce_sum(x) > 0:
            x = x * 2
        return x

    dataset = tf.data.Dataset.from_tensor_slices(ones(4, 3))
    assert next(iter(dataset.map(double))).numpy().tolist() == [2.0, 2.0, 2.0]
    assert next(iter(dataset.batch(2).map(tf.function(lambda x: tf.map_fn(double, x)))))[0, 0] == 2
    with pytest.raises(TensorCheckError, match=r"2 axes \(\?, 3\), expected 1"):
        dataset.batch(2).map(double)
    assert warned == []


@pytest.mark.parametrize("wanted", [Float[tf.Tensor, "2 3"], tf.Tensor, Float[tf.Tensor, "..."]])
def test_a_variable_is_taken_for_a_tensor(wanted: Any) -> None:
    import keras

    def use(x: Any) -> None: ...

    use.__annotations__ = {"x": wanted}
    checked = typechecked(use)
    for value in (tf.Variable(ones(2, 3)), keras.Variable(ones(2, 3)), keras.Input((3,), 2)):
        checked(value)
    for other in (np.ones((2, 3), np.float32), 1.0, tf.RaggedTensor.from_tensor(ones(2, 3))):
        with pytest.raises(TensorCheckError):
            checked(other)


def test_a_size_that_a_graph_computes_is_an_int() -> None:
    @typechecked
    def mask(n: int, scale: int | None = None) -> Float[tf.Tensor, "n n"]:
        return tf.eye(n)

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def use(x: Any) -> Any:
        return mask(sizes(x, "n d")["n"], tf.shape(x)[1])

    assert use(ones(2, 3)).shape == (2, 2)
    assert mask(tf.shape(ones(2))[0]).shape == (2, 2)
    for other in (tf.constant(2.0), tf.constant([2]), np.ones(3)):
        with pytest.raises(TensorCheckError, match="expected int"):
            mask(other)


def test_the_shape_of_a_variable_counts() -> None:
    @typechecked
    def use(x: Float[tf.Tensor, "n"], y: Float[tf.Tensor, "n"]) -> None: ...

    use(ones(2), tf.Variable(ones(2)))
    use(ones(2), tf.Variable(ones(2), shape=[None]))
    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        use(ones(2), tf.Variable(ones(3)))


def test_ragged_and_sparse_tensors_are_arrays_of_their_own() -> None:
    @typechecked
    def use(
        x: Float[tf.RaggedTensor, "n t"], y: Float[tf.SparseTensor, "n d"]
    ) -> Float[tf.RaggedTensor, "n t"]:
        return x

    ragged, sparse = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.eye(2)
    use(ragged, sparse)
    tf.function(use)(ragged, sparse)
    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        use(ragged, tf.sparse.eye(3))


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        (tf.ragged.constant([[1.0], [2.0]]), r"`x.to_tensor\(\)`"),
        (tf.sparse.eye(2), r"`tf.sparse.to_dense\(x\)`"),
        (np.ones((2, 2), np.float32), r"`tf.convert_to_tensor\(x\)`"),
    ],
)
def test_the_way_to_a_tensor_is_said(value: Any, fix: str) -> None:
    @typechecked
    def use(x: Float[tf.Tensor, "n d"]) -> None: ...

    with pytest.raises(TensorCheckError, match=fix):
        use(value)


def test_every_dtype_has_a_name() -> None:
    @typechecked
    def name(x: Int[tf.Tensor, "..."]) -> None: ...

    @typechecked
    def any_dtype(x: Shaped[tf.Tensor, "..."]) -> None: ...

    for dtype in (tf.qint8, tf.variant, tf.resource, tf.string, tf.bfloat16):
        spec = tf.TensorSpec([2], dtype)
        tf.function(any_dtype).get_concrete_function(spec)
        with pytest.raises(TensorCheckError, match=f"dtype {dtype.name}, expected Int"):
            tf.function(name).get_concrete_function(spec)


def test_what_is_saved_is_what_was_checked(tmp_path: Any) -> None:
    class Scale(tf.Module):
        @typechecked
        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def __call__(self, x: Float[tf.Tensor, "n d"]) -> Float[tf.Tensor, "n d"]:
            return x * 2

    tf.saved_model.save(Scale(), tmp_path)
    loaded: Callable[..., Any] = tf.saved_model.load(tmp_path)
    assert loaded(ones(1, 3)).numpy().tolist() == [[2.0, 2.0, 2.0]]


def test_decorators_of_tensorflow_do_not_lead_around_the_check() -> None:
    @typechecked
    @tf.custom_gradient
    def use(x: Float[tf.Tensor, "n n"]) -> Any:
        return x * 2, lambda upstream: upstream

    assert fits(use, [2, 2])
    assert not fits(use, [2, 3])
