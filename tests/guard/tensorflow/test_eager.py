# SPDX-License-Identifier: Apache-2.0
"""The guard as users of TensorFlow meet it, where operations run at once."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.guard.tensorflow.frameworks import tf
from typedtensors.guard import (
    BroadcastError,
    BroadcastWarning,
    GuardInternalWarning,
    allow_broadcast,
    guard,
)
from typedtensors.guard.tensorflow.examiner import Examiner

COLUMN, ROW = tf.ones((4, 1)), tf.ones(4)


def suspicious() -> Any:
    """A broadcast that every guard reports."""
    return COLUMN - ROW


def reasons(function: Callable[[], object], level: str = "suspicious") -> list[str]:
    """Why a guard reports the broadcasts of a function."""
    with guard(level, action="record") as report:
        function()
    return [event.reason for event in report.events]


def callbacks() -> list[object]:
    """What TensorFlow tells of the operations of this thread."""
    from tensorflow.python.eager import context

    return list(context.context().op_callbacks)


def test_error_tells_where_what_and_how_to_mend_it() -> None:
    with guard() as report, pytest.raises(BroadcastError) as caught:
        suspicious()
    event = caught.value.event
    assert report.events == [event]
    assert (event.op, event.shapes, event.result) == ("subtract", ((4, 1), (4,)), (4, 4))
    assert event.reason == "rank"
    assert (event.file, event.line) == (__file__, suspicious.__code__.co_firstlineno + 2)
    assert event.function == f"{__name__}.suspicious"
    assert event.expression == "COLUMN - ROW"
    assert event.fix == "`COLUMN[..., 0]` or `ROW[..., None]`"


@pytest.mark.parametrize(
    ("call", "op"),
    [
        pytest.param(lambda: tf.subtract(COLUMN, ROW), "subtract", id="function"),
        pytest.param(lambda: tf.math.squared_difference(COLUMN, ROW), "squared_difference", id="c"),
        pytest.param(lambda: tf.raw_ops.Sub(x=COLUMN, y=ROW), "subtract", id="raw"),
        pytest.param(lambda: tf.keras.ops.subtract(COLUMN, ROW), "subtract", id="keras.ops"),
        pytest.param(lambda: tf.keras.ops.logaddexp(COLUMN, ROW), "logaddexp", id="composed"),
        pytest.param(lambda: tf.experimental.numpy.add(COLUMN, ROW), "add", id="numpy"),
        pytest.param(lambda: COLUMN == ROW, "equal", id="comparison"),
        pytest.param(lambda: tf.Variable(COLUMN) * ROW, "multiply", id="variable"),
        pytest.param(lambda: ROW.numpy() / COLUMN, "divide", id="array first"),
        pytest.param(lambda: tf.where(COLUMN > 0, ROW, 0.0), "where", id="three operands"),
        pytest.param(
            lambda: tf.matmul(tf.ones((4, 1, 2, 3)), tf.ones((4, 3, 5))), "matmul", id="batches"
        ),
    ],
)
def test_operation_is_told_by_its_public_name_once(call: Callable[[], object], op: str) -> None:
    with guard(action="record") as report:
        call()
    (event,) = report.events
    assert (event.op, event.reason, event.file) == (op, "rank", __file__)


def test_matrices_are_shown_whole() -> None:
    with guard(action="record") as report:
        tf.matmul(tf.ones((4, 1, 2, 3)), tf.ones((4, 5, 3)), transpose_b=True)
    (event,) = report.events
    assert event.shapes == ((4, 1, 2, 3), (4, 5, 3))
    assert event.result == (4, 4, 2, 5)


@pytest.mark.parametrize(
    ("level", "expected"),
    [("allow", []), ("suspicious", ["rank"]), ("explicit", ["rank", "implicit"])],
)
def test_level(level: str, expected: list[str]) -> None:
    def work() -> None:
        suspicious()
        tf.ones((2, 4)) + ROW
        tf.ones((2, 4)) + tf.constant(1.0)
        tf.ones((2, 4)) + 1

    assert reasons(work, level) == expected


def test_intent_is_seen_in_the_expression_and_in_earlier_lines() -> None:
    def work() -> None:
        steps = tf.range(4.0)
        columns = tf.expand_dims(steps, 1)
        sliced = tf.range(5.0)[:, tf.newaxis]
        shaped = tf.reshape(tf.range(6.0), (6, 1))
        for each in (sliced, shaped):
            each - steps
        columns * tf.range(3.0)
        steps[:, None] - steps
        tf.expand_dims(steps, 1) - steps

    assert reasons(work) == []


def test_weight_that_meets_its_own_axis_twice_is_reported_though_an_axis_is_inserted() -> None:
    error, count = tf.ones(4), tf.ones(4)
    assert reasons(lambda: error / count[:, None]) == ["twins"]


def test_bias_is_known_by_being_a_variable() -> None:
    square, bias, statistic = tf.ones((4, 4)), tf.Variable(ROW), ROW * 1
    kept = tf.keras.Variable([1.0] * 4)

    def work() -> None:
        square + bias
        bias + square
        tf.add(square, bias)
        square + kept
        tf.keras.ops.add(square, kept)

    assert reasons(work) == []
    assert reasons(lambda: square + statistic) == ["ambiguous"]


def test_weight_stays_one_in_whatever_is_made_of_it_element_by_element() -> None:
    square, weight, statistic = tf.ones((4, 4)), tf.Variable(ROW), ROW * 1
    kept = tf.keras.Variable([1.0] * 4)

    def work() -> None:
        -weight * square
        square * tf.exp(weight)
        tf.cast(tf.nn.softplus(kept), tf.float32) * square
        tf.keras.ops.exp(kept) * square

    assert reasons(work) == []
    assert reasons(tf.function(work)) == []
    assert reasons(lambda: square * tf.exp(statistic)) == ["ambiguous"]
    assert reasons(lambda: square * tf.exp(tf.reduce_sum(weight * square, 1))) == ["ambiguous"]


def test_parts_of_what_tensorflow_does_itself_are_its_business() -> None:
    def work() -> None:
        tf.sequence_mask(tf.constant([1, 2, 3]), 3)
        tf.nn.moments(tf.ones((4, 4)), 0)
        tf.meshgrid(tf.range(4.0), tf.range(4.0))
        tf.linalg.band_part(tf.ones((4, 4)), 0, -1)
        tf.image.resize(tf.ones((1, 4, 4, 3)), (8, 8))
        tf.keras.ops.var(tf.ones((4, 4)), axis=0)
        tf.broadcast_to(ROW, (4, 4)) - tf.ones((4, 4))

    assert reasons(work) == []


def test_gradients_follow_from_what_was_reported() -> None:
    column, row = tf.Variable(COLUMN), tf.Variable(ROW)
    with guard(action="record") as report, tf.GradientTape() as tape:
        tape.gradient(tf.reduce_sum((column - row) ** 2), [column, row])
    assert [event.expression for event in report.events] == ["column - row"]


def test_ragged_and_sparse_tensors_are_left_alone() -> None:
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]])
    sparse = tf.sparse.from_dense(tf.eye(4))

    def work() -> None:
        ragged * ragged
        ragged - tf.ones((3, 1))
        ragged / tf.reduce_sum(ragged, axis=1, keepdims=True)
        sparse * ROW
        tf.sparse.sparse_dense_matmul(sparse, COLUMN)
        tf.sparse.add(sparse, tf.ones((4, 4)))

    assert reasons(work) == []


@pytest.mark.parametrize(
    "silenced",
    [
        pytest.param(lambda: COLUMN - ROW, id="a comment on the line"),  # broadcast: ok
        pytest.param(allow_broadcast()(suspicious), id="a decorated function"),
    ],
)
def test_silenced(silenced: Callable[[], Any]) -> None:
    with guard():
        assert silenced().shape == (4, 4)


def test_helpers_say_what_is_meant() -> None:
    from typedtensors import align, expand, expand_as

    square = tf.ones((4, 4))
    with guard("explicit"):
        square - align(ROW, "b", to="b d")
        square[None] - expand(ROW, "d -> b d", b=4)
        square - expand_as(ROW, "d", square, "b d")


def test_place_may_be_allowed_from_outside() -> None:
    with guard(allows=lambda event: event.function.endswith(".suspicious")) as report:
        suspicious()
    assert report.events == []


def test_record_goes_on_and_counts_and_warning_comes_once() -> None:
    with guard(action="record") as report:
        for _ in range(3):
            assert suspicious().shape == (4, 4)
    assert [report.times(event) for event in report.events] == [3]
    watched = guard(action="warn")(lambda: COLUMN / ROW)
    with pytest.warns(BroadcastWarning, match=r"COLUMN / ROW") as caught:
        assert watched().shape == watched().shape
    assert len(caught) == 1


def test_innermost_guard_decides_alone() -> None:
    with guard() as outer:
        with guard(action="record") as inner:
            suspicious()
        with guard("allow"):
            suspicious()
        assert (len(outer.events), len(inner.events)) == (0, 1)
        with pytest.raises(BroadcastError):
            suspicious()


def test_guard_ends_with_its_block_also_after_an_error() -> None:
    from tensorflow.python.eager import execute

    with pytest.raises(BroadcastError), guard():
        suspicious()
    suspicious()
    assert callbacks() == []
    assert execute.execute is execute.quick_execute


def test_guard_that_is_off_leaves_tensorflow_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with guard("allow"):
        assert callbacks() == []
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "off")
    with guard():
        assert callbacks() == []
        suspicious()


def test_callbacks_of_others_stay() -> None:
    tf.debugging.enable_check_numerics()
    theirs = callbacks()
    try:
        with guard(), pytest.raises(BroadcastError):
            suspicious()
        assert callbacks() == theirs
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.log(-ROW)
    finally:
        tf.debugging.disable_check_numerics()


def test_threads_are_guarded_where_that_is_asked_for() -> None:
    def run() -> None:
        thread = threading.Thread(target=suspicious)
        thread.start()
        thread.join()

    with guard(action="record") as report:
        run()
    assert report.events == []
    with guard(action="record", threads=True) as report:
        run()
    assert [event.reason for event in report.events] == ["rank"]


def test_thread_whose_guard_ends_leaves_those_of_others_alone() -> None:
    def run() -> None:
        with guard(action="record"):
            suspicious()

    double = tf.function(lambda x: x * 2)
    with guard(action="record") as report:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        double(ROW)
        suspicious()
    assert len(report.events) == 1


def test_both_frameworks_in_one_guard() -> None:
    torch = pytest.importorskip("torch")
    with guard(action="record") as report:
        torch.ones(4, 1) - torch.ones(4)
        suspicious()
    assert [event.op for event in report.events] == ["sub", "subtract"]


def test_library_warns_about_rank_but_never_raises(tmp_path: Path) -> None:
    path = tmp_path / "site-packages" / "package" / "module.py"
    path.parent.mkdir(parents=True)
    path.write_text("def f(column, row):\n    return column - row\n", encoding="utf-8")
    names: dict[str, Callable[..., object]] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102 - the test's own source
    with warnings.catch_warnings(record=True) as caught, guard() as report:
        warnings.simplefilter("always")
        names["f"](COLUMN, ROW)
    assert [(event.library, event.file) for event in report.events] == [(True, str(path))]
    assert len(caught) == 1


def test_bug_of_ours_is_a_warning_and_the_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        msg = "lost my way"
        raise RuntimeError(msg)

    monkeypatch.setattr(Examiner, "examine", fails)
    monkeypatch.delenv("TYPEDTENSORS_DEBUG")
    with guard(), pytest.warns(GuardInternalWarning, match="please report it.*lost my way"):
        assert suspicious().shape == (4, 4)
