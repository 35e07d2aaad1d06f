# SPDX-License-Identifier: Apache-2.0
"""Whose code is at fault, and what the frameworks that are there have to do with it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.guard.suspects import COLUMN, ROW
from typedtensors.guard import guard
from typedtensors.guard.reach import frameworks


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
            Mock(side_effect=lambda: COLUMN - ROW)()
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
