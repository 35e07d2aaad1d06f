# SPDX-License-Identifier: Apache-2.0
"""The guard where TensorFlow traces functions into graphs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.guard.tensorflow.frameworks import tf
from typedtensors.guard import BroadcastError, GuardEvent, Report, allow_broadcast, audit, guard

COLUMN, ROW = tf.ones((4, 1)), tf.ones(4)
ANY_COLUMN, ANY_ROW = tf.TensorSpec((None, 1)), tf.TensorSpec((None,))
LINES_TO_RETURN = 4


def suspicious(column: Any, row: Any) -> Any:
    """A broadcast that every guard reports, behind a line that AutoGraph converts."""
    if tf.reduce_sum(row) > 0:
        row = tf.abs(row)
    return tf.reduce_mean((column - row) ** 2)


def recorded(work: Callable[[], object]) -> Report:
    """What a guard sees of some work."""
    with guard(action="record") as report:
        work()
    return report


def only(report: Report) -> GuardEvent:
    """The one event of a report."""
    (event,) = report.events
    return event


def test_place_is_the_program_s_and_not_what_autograph_wrote() -> None:
    event = only(recorded(lambda: tf.function(suspicious)(COLUMN, ROW)))
    assert (event.file, event.line) == (
        __file__,
        suspicious.__code__.co_firstlineno + LINES_TO_RETURN,
    )
    assert event.expression == "column - row"
    assert event.function == f"{__name__}.suspicious"
    assert event.fix == "`column[..., 0]` or `row[..., None]`"


def test_error_stops_the_tracing_and_keeps_its_type() -> None:
    traced = tf.function(suspicious)
    with guard() as report, pytest.raises(BroadcastError) as caught:
        traced(COLUMN, ROW)
    assert caught.value.event == only(report)
    assert traced(COLUMN, ROW).shape == ()


def test_sizes_that_are_not_known_are_those_that_vary() -> None:
    traced = tf.function(suspicious, input_signature=[ANY_COLUMN, ANY_ROW])
    event = only(recorded(lambda: traced(COLUMN, ROW)))
    assert event.shapes == ((None, 1), (None,))
    assert event.result == (None, None)
    assert event.fix == "`column[..., 0]` or `row[..., None]`"
    assert "(None, 1) and (None,) to (None, None)" in str(event)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param((None, None), (None,), id="sizes that may be equal"),
        pytest.param((None, 4), (4,), id="a bias"),
        pytest.param((None, 1), (None, 4), id="one that is kept"),
        pytest.param((None, None, 1), (1, None, None), id="both kept"),
        pytest.param(None, (4, 1), id="a rank that is not known"),
        pytest.param((None, 4, 1), (None, 1, 1), id="none known"),
    ],
)
def test_what_is_not_known_is_silent(one: Any, other: Any) -> None:
    traced = tf.function(lambda x, y: x - y)
    specs = [tf.TensorSpec(one), tf.TensorSpec(other)]
    assert recorded(lambda: traced.get_concrete_function(*specs)).events == []


def test_functions_that_converted_code_calls_are_told() -> None:
    def differ(column: Any, row: Any) -> Any:
        return tf.math.squared_difference(column, row)

    def choose(column: Any, row: Any) -> Any:
        return tf.where(row > 0, column, 1 - column)

    for function, expression in (
        (differ, "tf.math.squared_difference(column, row)"),
        (choose, "tf.where(row > 0, column, 1 - column)"),
    ):
        for arguments in ((COLUMN, ROW), (ANY_COLUMN, ANY_ROW)):
            traced = tf.function(function)
            report = recorded(lambda: traced.get_concrete_function(*arguments))  # noqa: B023
            assert only(report).expression == expression


def test_sizes_that_meet_and_are_not_known_agree() -> None:
    def add(*arrays: Any) -> Any:
        return tf.where(arrays[0] > 0, arrays[1], arrays[2])

    rows = tf.TensorSpec((None, 3)), tf.TensorSpec((None, 3)), tf.TensorSpec((None, 3))
    assert audit(add, *rows).events == []
    pairs = tf.TensorSpec((None, None, 3)), tf.TensorSpec((None, 3)), tf.TensorSpec((None, 3))
    assert audit(add, *pairs).events == []
    mixed = tf.TensorSpec((None,)), tf.TensorSpec((None, 1)), tf.TensorSpec((None, 1))
    assert [event.reason for event in audit(add, *mixed).events] == ["rank"]


def test_operation_is_told_once_per_tracing_and_never_when_it_runs() -> None:
    traced = tf.function(suspicious)
    report = recorded(lambda: [traced(COLUMN, ROW) for _ in range(3)])
    assert report.times(only(report)) == 1


def loop(column: Any, row: Any) -> Any:
    """A broadcast in the body of a loop that becomes one of the graph."""
    total = tf.zeros(())
    for _ in tf.range(3):
        total += tf.reduce_sum(column * row)
    return total


def branch(column: Any, row: Any) -> Any:
    """A broadcast in one branch."""
    return tf.cond(tf.reduce_sum(row) > 0, lambda: column * row, lambda: row * tf.ones((3, 4)))


def nested(column: Any, row: Any) -> Any:
    """A broadcast in a function that is called by another."""
    return tf.function(lambda x, y: x * y)(column, row)


def mapped(column: Any, row: Any) -> Any:
    """A broadcast in a map over data."""
    data = tf.data.Dataset.from_tensors((column, row))
    return list(data.map(lambda x, y: x * y))


def compiled(column: Any, row: Any) -> Any:
    """A broadcast in a function that XLA compiles."""
    return tf.function(lambda x, y: x * y, jit_compile=True)(column, row)


@pytest.mark.parametrize("work", [loop, branch, nested, mapped, compiled])
def test_bodies_that_tensorflow_traces_are_seen(work: Callable[..., Any]) -> None:
    traced = work if work is mapped else tf.function(work)
    event = only(recorded(lambda: traced(COLUMN, ROW)))
    assert (event.op, event.reason, event.file) == ("multiply", "rank", __file__)


def test_gradients_of_graphs_follow_from_what_was_reported() -> None:
    @tf.function
    def step(column: Any, row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(column)
            loss = loop(column, row)
        return tape.gradient(loss, column)

    assert only(recorded(lambda: step(COLUMN, ROW))).expression == "column * row"


@pytest.mark.parametrize(
    "decorate",
    [
        pytest.param(lambda f: guard(action="raise")(tf.function(f)), id="around"),
        pytest.param(lambda f: tf.function(guard(action="raise")(f)), id="inside"),
        pytest.param(lambda f: tf.function(guard(action="raise")(f), autograph=False), id="plain"),
    ],
)
def test_guard_may_decorate_on_either_side(decorate: Callable[..., Any]) -> None:
    def table(column: Any, row: Any) -> Any:
        return column - row

    guarded = decorate(table)
    with pytest.raises(BroadcastError, match="column - row"):
        guarded(COLUMN, ROW)
    assert guarded(ROW, ROW).shape == (4,)


def test_guard_inside_of_a_traced_function_guards_its_block() -> None:
    @tf.function
    def step(column: Any, row: Any) -> Any:
        before = column - row
        with guard():
            return before * (column + row)

    with pytest.raises(BroadcastError, match=r"column \+ row"):
        step(COLUMN, ROW)


def test_allow_and_comments_hold_in_graphs() -> None:
    @tf.function
    def step(column: Any, row: Any) -> Any:
        with allow_broadcast():
            table = column - row
        return table + (column * row)  # broadcast: ok

    assert recorded(lambda: step(COLUMN, ROW)).events == []


def test_intent_is_seen_in_graphs() -> None:
    table = tf.Variable(tf.ones((4, 4)))
    bias = tf.Variable(ROW)

    @tf.function
    def step(row: Any, other: Any) -> Any:
        columns = tf.expand_dims(row, 1)
        kept = tf.reshape(row, (-1, 1))
        return (columns - other, kept * other, row[:, None] - row, table + bias)

    assert recorded(lambda: step(ROW, tf.ones(3))).events == []


def test_what_was_loaded_from_a_file_has_no_lines_to_tell(tmp_path: Path) -> None:
    module = tf.Module()
    module.score = tf.function(suspicious, input_signature=[ANY_COLUMN, ANY_ROW])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert recorded(lambda: loaded.score(COLUMN, ROW)).events == []
    assert audit(loaded.score, ANY_COLUMN, ANY_ROW).events == []


def test_one_of_two_operations_of_one_kind_on_a_line_is_told() -> None:
    @tf.function
    def step(column: Any, row: Any) -> Any:
        return tf.stack([(column - row) + 1, tf.zeros((4, 4)) - 1.0])[:, None] - 1.0

    event = only(recorded(lambda: step(COLUMN, ROW)))
    assert event.expression == "column - row"
