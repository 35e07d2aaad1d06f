# SPDX-License-Identifier: Apache-2.0
"""The guard as its users meet it: entering, reporting, silencing, and getting out of the way."""

from __future__ import annotations

import asyncio
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor
from torch.overrides import _get_current_function_mode

from tests.guard.suspects import COLUMN, ROW, suspicious
from typedtensors import AxisError, SpecWarning, TensorCheckError, UncheckedWarning
from typedtensors.guard import (
    BroadcastError,
    BroadcastWarning,
    GuardEvent,
    GuardInternalWarning,
    allow_broadcast,
    guard,
)
from typedtensors.guard.torch.examiner import Examiner
from typedtensors.shapes.arrays.intended import mark

WHERE = suspicious.__code__.co_filename, suspicious.__code__.co_firstlineno + 2


def silent_at_its_end() -> Tensor:
    """A broadcast inside of a statement of several lines."""
    return torch.stack(
        [
            COLUMN - ROW,
            torch.zeros(4, 4),
        ]
    ).sum(0)  # broadcast: ok


def test_error_stops_the_operation_and_tells_where_what_and_how_to_mend_it() -> None:
    with guard(), pytest.raises(BroadcastError) as caught:
        suspicious()
    event = caught.value.event
    assert event.op == "sub"
    assert event.shapes == ((4, 1), (4,))
    assert event.result == (4, 4)
    assert event.reason == "rank"
    assert (event.file, event.line) == WHERE
    assert event.expression == "COLUMN - ROW"
    assert event.fix == "`COLUMN.squeeze(-1)` or `ROW.unsqueeze(-1)`"
    assert caught.value.diagnostic.code.name == "tensor-broadcast"
    for part in (f"{event.file}:{event.line}", "(4, 1) and (4,) to (4, 4)", "[tensor-broadcast]"):
        assert part in str(caught.value)


def test_error_survives_pickling() -> None:
    with guard(), pytest.raises(BroadcastError) as caught:
        suspicious()
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (again.event, str(again)) == (caught.value.event, str(caught.value))


def test_record_goes_on_and_counts() -> None:
    with guard(action="record") as report:
        for _ in range(3):
            assert suspicious().shape == (4, 4)
    (event,) = report.events
    assert report.times(event) == 3
    assert str(event) == str(report)


def test_warning_comes_once_per_place_and_points_there() -> None:
    watched = guard(action="warn")(suspicious)
    with pytest.warns(BroadcastWarning, match=r"COLUMN - ROW") as caught:
        assert watched().shape == watched().shape
    (warning,) = caught
    assert (warning.filename, warning.lineno) == WHERE


def test_last_batch_of_another_size_is_one_more_event_and_no_more_warning() -> None:
    watched = guard(action="warn")

    @watched
    def epoch() -> None:
        for n in (4, 4, 3):
            torch.zeros(n, 1) - torch.zeros(n)

    with pytest.warns(BroadcastWarning) as caught:
        epoch()
    assert len(caught) == 1
    assert [watched.report.times(event) for event in watched.report.events] == [2, 1]


def test_guard_entered_at_each_step_warns_once_too() -> None:
    def step() -> Tensor:
        return ROW - COLUMN

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            with guard(action="warn"):
                step()
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("level", "reasons"),
    [("allow", []), ("suspicious", ["rank"]), ("explicit", ["rank", "implicit"])],
)
def test_level(level: str, reasons: list[str]) -> None:
    with guard(level, action="record") as report:
        suspicious()
        torch.ones(2, 4) + ROW
        torch.ones(2, 4) + torch.tensor(1.0)
        torch.ones(2, 4) + 1
    assert [event.reason for event in report.events] == reasons


@pytest.mark.parametrize(
    ("level", "action", "message"),
    [
        ("suspicous", "raise", "unknown level 'suspicous'.*did you mean `suspicious`"),
        ("suspicious", "log", "unknown action 'log': use one of raise, warn, record"),
    ],
)
def test_unknown_setting_names_the_known_ones(level: str, action: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        guard(level, action)  # type: ignore[arg-type]


def test_environment_names_the_level_of_guards_that_name_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "explicit")
    with guard(action="record") as own, guard("suspicious", "record") as named:
        torch.ones(2, 4) + ROW
    with guard(action="record") as alone:
        torch.ones(2, 4) + ROW
    assert (own.events, named.events) == ([], [])
    assert [event.reason for event in alone.events] == ["implicit"]
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "explict")
    with pytest.raises(ValueError, match=r"TYPEDTENSORS_GUARD.*did you mean `explicit`"):
        guard()


def test_environment_turns_guards_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "off")
    with guard("explicit"):
        assert _get_current_function_mode() is None
        suspicious()
    assert guard()(suspicious) is suspicious


def test_guard_that_allows_everything_leaves_torch_alone() -> None:
    with guard("allow"):
        assert _get_current_function_mode() is None
    with guard(), guard("allow"):
        suspicious()


def test_slips_in_decorating_say_what_to_write() -> None:
    with pytest.raises(TypeError, match=r"decorate with `@guard\(\)`"):
        guard(suspicious)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown level 3: use one of"):
        guard(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decorate a method of `Model`"):
        guard()(type("Model", (), {}))


def test_tracebacks_show_public_names() -> None:
    for error in (BroadcastError, AxisError, TensorCheckError, SpecWarning, UncheckedWarning):
        assert error.__module__ == "typedtensors"


def test_decorated_function_is_guarded_at_each_call() -> None:
    @guard(action="record")
    def step() -> Tensor:
        return suspicious()

    assert step().shape == (4, 4)
    step()
    (event,) = step.report.events  # type: ignore[attr-defined]
    assert step.report.times(event) == 2  # type: ignore[attr-defined]
    suspicious()


def test_decorating_what_can_be_suspended_is_refused() -> None:
    async def fetch() -> None:
        await asyncio.sleep(0)

    def batches() -> Iterator[Tensor]:
        yield ROW

    for function in (fetch, batches):
        with pytest.raises(TypeError, match="belongs to a thread"):
            guard()(function)


def test_innermost_guard_decides_alone() -> None:
    with guard() as outer:
        with guard(action="record") as inner:
            suspicious()
        assert (len(outer.events), len(inner.events)) == (0, 1)
        with pytest.raises(BroadcastError):
            suspicious()


def test_guard_ends_with_its_block_also_after_an_error() -> None:
    with pytest.raises(BroadcastError), guard():
        suspicious()
    suspicious()


def test_other_threads_are_not_guarded() -> None:
    shapes = []
    thread = threading.Thread(target=lambda: shapes.append(suspicious().shape))
    with guard():
        thread.start()
        thread.join()
    assert shapes == [(4, 4)]


@pytest.mark.parametrize(
    "silenced",
    [
        pytest.param(lambda: COLUMN - ROW, id="a comment on the line"),  # broadcast: ok
        pytest.param(
            lambda: torch.sub(
                COLUMN,
                ROW,  # broadcast: ok, a table is meant
            ),
            id="a comment on a line of the expression",
        ),
        pytest.param(silent_at_its_end, id="a comment at the end of the statement"),
        pytest.param(allow_broadcast()(suspicious), id="a decorated function"),
        pytest.param(lambda: mark(COLUMN * 1) - mark(ROW * 1), id="operands that a helper made"),
    ],
)
def test_silenced(silenced: Callable[[], Tensor]) -> None:
    with guard():
        assert silenced().shape == (4, 4)


def test_allow_broadcast_ends_with_its_block() -> None:
    with guard():
        with allow_broadcast():
            suspicious()
        with pytest.raises(BroadcastError):
            suspicious()


def test_place_may_be_allowed_from_outside() -> None:
    asked = []

    def allows(event: GuardEvent) -> bool:
        asked.append((event.file, event.module, event.function))
        return True

    with guard(allows=allows) as report:
        suspicious()
    assert report.events == []
    assert asked == [(WHERE[0], suspicious.__module__, f"{suspicious.__module__}.suspicious")]


def test_operand_marked_outside_any_guard_is_forgotten() -> None:
    column, row = mark(COLUMN * 1), mark(ROW * 1)
    with guard(), pytest.raises(BroadcastError):
        column - row


def test_bug_of_ours_is_a_warning_and_the_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        msg = "lost my way"
        raise RuntimeError(msg)

    monkeypatch.setattr(Examiner, "examine", fails)
    with guard(), pytest.raises(RuntimeError, match="lost my way"):
        suspicious()
    monkeypatch.delenv("TYPEDTENSORS_DEBUG")
    with guard(), pytest.warns(GuardInternalWarning, match="please report it.*lost my way"):
        assert suspicious().shape == (4, 4)
