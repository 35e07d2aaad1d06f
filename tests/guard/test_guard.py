# SPDX-License-Identifier: Apache-2.0
"""The guard as its users meet it: entering, reporting, silencing, and getting out of the way."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import _get_current_function_mode

from typedtensors import AxisError, SpecWarning, TensorCheckError, UncheckedWarning
from typedtensors.guard import (
    BroadcastError,
    BroadcastWarning,
    GuardEvent,
    GuardInternalWarning,
    allow_broadcast,
    frameworks,
    guard,
)
from typedtensors.guard.torch.examiner import Examiner
from typedtensors.guard.torch.mode import GuardMode
from typedtensors.shapes.arrays.intended import mark

COLUMN, ROW = torch.ones(4, 1), torch.ones(4)


@pytest.fixture(autouse=True)
def _our_bugs_are_fatal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS_DEBUG", "1")


def suspicious() -> Tensor:
    """A broadcast that every guard reports."""
    return COLUMN - ROW


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
    assert (event.file, event.line) == (__file__, suspicious.__code__.co_firstlineno + 2)
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
    assert (warning.filename, warning.lineno) == (
        __file__,
        suspicious.__code__.co_firstlineno + 2,
    )


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
    assert asked == [(__file__, __name__, f"{__name__}.suspicious")]


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


class TestOptimizer:
    """Steps are not looked at; what surrounds them, and closures, are."""

    weight = nn.Parameter(torch.ones(4, 4))

    class Careless(torch.optim.SGD):
        """Broadcasts in its own step."""

        def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
            loss = closure() if closure is not None else None
            suspicious()
            if self.param_groups[0]["lr"] > 1:
                msg = "diverged"
                raise RuntimeError(msg)
            return loss

    def test_step_is_passed_over_and_the_guard_is_back_after_it(self) -> None:
        optimizer = self.Careless([self.weight], lr=0.1)
        with guard():
            optimizer.step()
            with pytest.raises(BroadcastError):
                suspicious()

    def test_closure_is_guarded(self) -> None:
        optimizer = self.Careless([self.weight], lr=0.1)
        with guard(), pytest.raises(BroadcastError):
            optimizer.step(lambda: float(suspicious().sum()))

    def test_under_another_mode_the_step_is_passed_over_too(self) -> None:
        optimizer = self.Careless([self.weight], lr=0.1)
        with guard(), torch.device("cpu"):
            optimizer.step()
            with pytest.raises(BroadcastError):
                suspicious()

    def test_step_that_raised_leaves_the_stack_of_modes_whole(self) -> None:
        optimizer = self.Careless([self.weight], lr=10)
        with torch.device("meta"):
            with guard(action="record") as report:
                with pytest.raises(RuntimeError, match="diverged"):
                    optimizer.step()
                optimizer.param_groups[0]["lr"] = 0.1
                optimizer.step()
                suspicious()
            assert torch.ones(1).is_meta
        assert len(report.events) == 1
        assert not torch.ones(1).is_meta


class TestZeroGrad:
    """Where gradients are dropped, nothing is computed that a guard could look at."""

    net = nn.Linear(4, 4)

    def test_guard_is_away_meanwhile_and_back_after_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[object] = []
        original = GuardMode.__torch_function__

        def spy(mode: GuardMode, func: Callable[..., object], *rest: object) -> object:
            seen.append(func)
            return original(mode, func, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(GuardMode, "__torch_function__", spy)
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        with guard():
            optimizer.zero_grad()
            self.net.zero_grad(set_to_none=False)
            assert seen == []
            with pytest.raises(BroadcastError):
                suspicious()
        assert self.net.weight.grad is None

    def test_under_another_mode_the_guard_stays(self) -> None:
        with guard(), torch.device("cpu"):
            self.net.zero_grad()
            with pytest.raises(BroadcastError):
                suspicious()

    def test_methods_are_torch_s_own_when_the_last_guard_has_ended(self) -> None:
        own = nn.Module.zero_grad, torch.optim.Optimizer.zero_grad
        inside, ended = threading.Event(), threading.Event()

        def work() -> None:
            with guard():
                inside.set()
                ended.wait(timeout=10)

        thread = threading.Thread(target=work)
        with guard():
            thread.start()
            inside.wait(timeout=10)
        # The thread that is still guarded sees to its own calls only.
        self.net.zero_grad()
        assert nn.Module.zero_grad is not own[0]
        ended.set()
        thread.join()
        assert (nn.Module.zero_grad, torch.optim.Optimizer.zero_grad) == own

    def test_what_another_library_puts_there_meanwhile_stays(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls = []

        def theirs(module: nn.Module) -> None:
            calls.append(module)

        monkeypatch.setattr(nn.Module, "zero_grad", nn.Module.zero_grad)
        with guard():
            nn.Module.zero_grad = theirs  # type: ignore[method-assign]
        self.net.zero_grad()
        assert calls == [self.net]


class TestScope:
    """Whose code is at fault."""

    def run(self, source: str, folder: Path) -> list[str]:
        """The reasons reported for a module in this folder, whose functions are called f."""
        path = folder / "module.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        names: dict[str, Callable[[Tensor, Tensor], Tensor]] = {}
        exec(compile(source, str(path), "exec"), names)  # noqa: S102 - the test's own source
        with warnings.catch_warnings(record=True) as caught, guard(action="raise") as report:
            warnings.simplefilter("always")
            names["f"](COLUMN, ROW)
        assert all(event.library and event.file == str(path) for event in report.events)
        assert len(caught) == len(report.events)
        return [event.reason for event in report.events]

    def test_library_warns_about_rank_but_never_raises(self, tmp_path: Path) -> None:
        source = "def f(column, row):\n    return column - row\n"
        assert self.run(source, tmp_path / "site-packages" / "package") == ["rank"]

    def test_library_may_do_what_only_looks_odd(self, tmp_path: Path) -> None:
        source = "def f(column, row):\n    return column - column.mT, column * column.mT + row\n"
        assert self.run(source, tmp_path / "site-packages" / "package") == []

    def test_frame_of_the_standard_library_is_looked_through(self) -> None:
        from unittest.mock import Mock

        with guard(action="record") as report:
            Mock(side_effect=suspicious)()
        assert [event.file for event in report.events] == [__file__]

    def test_torch_distributions_blames_the_caller(self) -> None:
        logits, y = torch.zeros(15), torch.ones(15, 1)
        with guard(action="record") as report:
            torch.distributions.Bernoulli(logits=logits).log_prob(y)
        (event,) = report.events
        assert event.file == __file__
        assert event.expression == "torch.distributions.Bernoulli(logits=logits).log_prob(y)"

    def test_actions_in_a_column_meet_the_rows_of_a_categorical(self) -> None:
        policy = torch.distributions.Categorical(logits=torch.zeros(15, 3))
        actions = torch.zeros(15, 1, dtype=torch.int64)
        with guard(action="record") as report:
            policy.log_prob(actions)
            policy.log_prob(actions.squeeze(-1))
            policy.log_prob(policy.sample((7,)))
        (event,) = report.events
        assert event.file == __file__
        assert event.expression == "policy.log_prob(actions)"
        assert event.shapes == ((15, 1), (15, 3))

    def test_broadcast_by_name_is_asked_for(self) -> None:
        with guard():
            torch.broadcast_tensors(COLUMN, ROW)
            COLUMN.expand(4, 4) - ROW.expand(4, 4)


def test_values_belong_to_the_columns_of_their_own_eigenvectors_only() -> None:
    values, vectors = torch.linalg.eigh(torch.eye(4))
    others, rows = torch.linalg.eigh(torch.ones(4, 4))[1], vectors.mT
    with guard(action="record") as report:
        vectors * values
        others * values
        rows * values
        torch.tril(vectors) * values
        vectors * values.cumsum(0)
    found = [event.expression for event in report.events]
    assert found == [
        "others * values",
        "rows * values",
        "torch.tril(vectors) * values",
        "vectors * values.cumsum(0)",
    ]


def test_what_a_reduction_of_the_first_axes_leaves_belongs_to_the_last_ones() -> None:
    x, stack = torch.eye(4), torch.ones(4, 4, 4)
    eps = 1e-5
    with guard(action="record") as report:
        mean, variance = x.mean(0), torch.var(x, dim=0)
        (x - mean) / torch.sqrt(variance + eps)
        (x - x.mean(dim=0)) / (x.std(0) + 1e-5)
        x - x.max(0).values, x - x.median(0)[0], x / x.norm(dim=0)
        stack - stack.mean((0, 1))
        x - x.mean(1)
        x / x.sum(-1)
        stack - stack.mean((0, 2))
        stack + (x - x.mean(0)).sum(1)
    found = [event.expression for event in report.events]
    assert found == [
        "x - x.mean(1)",
        "x / x.sum(-1)",
        "stack - stack.mean((0, 2))",
        "stack + (x - x.mean(0)).sum(1)",
    ]


def test_importing_the_guard_loads_no_torch() -> None:
    program = "import sys, typedtensors.guard; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"False"]


def test_without_a_framework_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    monkeypatch.setattr(frameworks, "_is_installed", lambda _: False)
    for name in [each for each in sys.modules if each.startswith("typedtensors.guard.torch")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"pip install 'typedtensors\[torch\]'"), guard():
        pass
