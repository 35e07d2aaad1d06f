# SPDX-License-Identifier: Apache-2.0
"""What a training step does beside the model is passed over, and the guard is back after it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch
from torch import nn

from tests.guard.suspects import suspicious
from typedtensors.guard import (
    BroadcastError,
    guard,
)
from typedtensors.guard.torch.mode import GuardMode


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
