# SPDX-License-Identifier: Apache-2.0
"""A compiled program is looked at once, when it is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter

from typedtensors import align, audited
from typedtensors.guard import BroadcastError, BroadcastWarning

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
COLUMN, ROW = torch.ones(4, 1), torch.ones(4)


@pytest.fixture(autouse=True)
def _fresh_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TYPEDTENSORS_DEBUG", "1")
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def error_of(pred: Tensor, target: Tensor) -> Tensor:
    doubled = 2 * pred
    return (doubled - target).square().mean()


def found(function: Callable[..., object], *args: Tensor, level: str | None = None) -> list[str]:
    """The reasons, and what the source writes at their places."""
    backend = audited("eager", level, action="record")
    torch.compile(function, backend=backend, fullgraph=True)(*args)
    return [f"{event.reason}: {event.expression}" for event in backend.report.events]


def test_event_has_its_place_in_the_source() -> None:
    backend = audited("eager", action="record")
    torch.compile(error_of, backend=backend)(COLUMN, ROW)
    (event,) = backend.report.events
    assert (event.file, event.line) == (__file__, error_of.__code__.co_firstlineno + 2)
    assert (event.module, event.function) == (__name__, f"{__name__}.error_of")
    assert (event.op, event.shapes, event.result) == ("sub", ((4, 1), (4,)), (4, 4))
    assert (event.reason, event.expression) == ("rank", "doubled - target")
    assert event.fix == "`doubled.squeeze(-1)` or `target.unsqueeze(-1)`"


def test_compiled_function_raises_when_it_is_called() -> None:
    compiled = torch.compile(error_of, backend=audited("eager"))
    for _ in range(2):
        with pytest.raises(BroadcastError, match="doubled - target"):
            compiled(COLUMN, ROW)
    assert compiled(ROW, ROW).dim() == 0


def test_warning_points_to_the_line() -> None:
    with pytest.warns(BroadcastWarning, match="doubled - target") as caught:
        torch.compile(error_of, backend=audited("eager", action="warn"))(COLUMN, ROW)
    assert (caught[0].filename, caught[0].lineno) == (
        __file__,
        error_of.__code__.co_firstlineno + 2,
    )


def test_each_graph_is_compiled_once_and_by_the_backend_itself() -> None:
    counter = CompileCounter()
    compiled = torch.compile(error_of, backend=audited(counter), fullgraph=True)
    for _ in range(3):
        compiled(ROW, ROW)
    assert counter.frame_count == 1


class Net(nn.Module):
    """A loss layer, a parameter and views, in the methods of a module."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(3, 1), nn.ReLU())
        self.scale = nn.Parameter(torch.ones(4))
        self.loss = nn.MSELoss()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        table = x.new_ones(4, 4) * self.scale
        return self.loss(self.layer(x), y) + table.mean()


@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
def test_losses_and_parameters_are_known_in_modules() -> None:
    x = torch.ones(4, 3)
    assert found(Net(), x, ROW) == ["loss: self.loss(self.layer(x), y)"]
    assert found(Net(), x, COLUMN) == []


def test_intent_is_read_from_the_source_and_from_views() -> None:
    def meant(x: Tensor, y: Tensor) -> Tensor:
        column = y[:, None]
        pairs = y[:, None] - y
        accepted = x - y  # broadcast: ok
        by_name = align(y, "n", to="n k") - align(y, "k", to="n k")
        return (x - y.unsqueeze(1)) + pairs + accepted + by_name + column

    assert found(meant, COLUMN, ROW) == []


def test_level_decides_what_counts() -> None:
    def biased(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    wide = torch.ones(3, 4)
    assert found(biased, wide, ROW) == []
    assert found(biased, wide, ROW, level="explicit") == ["implicit: x + y"]
    assert found(biased, COLUMN, ROW, level="allow") == []


def test_environment_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "off")
    assert found(error_of, COLUMN, ROW) == []


def test_symbolic_sizes_pass_in_silence() -> None:
    backend = audited("eager")
    compiled = torch.compile(error_of, backend=backend, dynamic=True)
    assert compiled(COLUMN, ROW).dim() == 0
    assert backend.report.events == []


@pytest.mark.slow
def test_default_backend_compiles_what_is_audited() -> None:
    compiled = torch.compile(error_of, backend=audited())
    assert torch.allclose(compiled(ROW, 3 * ROW), error_of(ROW, 3 * ROW))
