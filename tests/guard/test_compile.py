# SPDX-License-Identifier: Apache-2.0
"""The guard and torch's tracers: compiled code is what it would be without a guard."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter

from typedtensors.guard import BroadcastError, guard

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NET = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
X, Y = torch.randn(5, 4), torch.randn(5, 1)


@pytest.fixture(autouse=True)
def _fresh_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TYPEDTENSORS_DEBUG", "1")
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def loss(x: Tensor, y: Tensor) -> Tensor:
    return (NET(x) - y).square().mean()


def test_compiled_function_stays_one_graph() -> None:
    counter = CompileCounter()
    compiled = torch.compile(loss, backend=counter, fullgraph=True)
    with guard():
        inside = compiled(X, Y)
    assert counter.frame_count == 1
    assert torch.equal(inside, loss(X, Y))


def test_what_surrounds_compiled_code_is_guarded() -> None:
    compiled = torch.compile(NET, backend="eager")
    with guard(), pytest.raises(BroadcastError):
        compiled(X) - Y.squeeze(-1)


def test_guarded_function_can_be_compiled() -> None:
    compiled = torch.compile(guard()(loss), backend="eager")
    assert torch.equal(compiled(X, Y), loss(X, Y))


def test_guard_inside_a_compiled_function_breaks_no_graph() -> None:
    def guarded(x: Tensor, y: Tensor) -> Tensor:
        with guard():
            return loss(x, y)

    counter = CompileCounter()
    compiled = torch.compile(guarded, backend=counter, fullgraph=True)
    assert torch.equal(compiled(X, Y), loss(X, Y))
    assert counter.frame_count == 1


def test_code_written_by_torch_from_a_graph_is_not_judged() -> None:
    """Each operation is a statement there: what showed intent is on other lines."""

    def outer(x: Tensor, y: Tensor) -> Tensor:
        return x.exp()[:, None] * y

    row = torch.rand(3)
    with guard():
        torch.compile(outer, backend="eager")(row, row.repeat(2))
        torch.fx.symbolic_trace(outer)(row, row.repeat(2))
        torch.compile(torch.sub, backend="eager")(Y, Y.squeeze(-1))


@pytest.mark.slow
def test_kernels_that_torch_writes_are_not_judged() -> None:
    square, row = torch.rand(8, 8), torch.rand(8)
    compiled = torch.compile(lambda x: torch.addmm(row * 2, x, square).relu())
    with guard("explicit") as report:
        compiled(square)
        compiled(square)
    assert report.events == []


@pytest.mark.filterwarnings("ignore:Profiler:UserWarning")
def test_compiled_optimizer_step_leaves_the_guard_in_place() -> None:
    optimizer = torch.optim.Adam(NET.parameters())
    loss(X, Y).backward()
    step = torch.compile(optimizer.step, backend="eager")
    with guard():
        step()
        with pytest.raises(BroadcastError):
            NET(X) - Y.squeeze(-1)


def test_export_and_symbolic_tracing_see_no_trace_of_it() -> None:
    plain = torch.export.export(NET, (X,)).graph
    with guard():
        guarded = torch.export.export(NET, (X,)).graph
    assert [node.target for node in guarded.nodes] == [node.target for node in plain.nodes]


def test_jit_trace_warns_of_nothing() -> None:
    def centered(x: Tensor) -> Tensor:
        return (x - x.mean(-1, keepdim=True)) * x[0]

    plain = torch.jit.trace(centered, (X,))
    with warnings.catch_warnings(), guard():
        warnings.simplefilter("error", torch.jit.TracerWarning)
        guarded = torch.jit.trace(centered, (X,))
    assert guarded.graph.findNode("aten::size") is None
    assert torch.equal(guarded(X), plain(X))


def test_transforms_subclasses_and_modes_go_on() -> None:
    ragged = torch.nested.nested_tensor([X, X[:2]], layout=torch.jagged)
    with guard() as report:
        torch.func.vmap(lambda row: row - row.mean())(X)
        torch.func.grad(lambda x: (x - x.mean()).square().sum())(X)
        assert (ragged * ragged).is_nested
        assert (torch.eye(3).to_sparse() * torch.eye(3).to_sparse()).is_sparse
        with torch.device("meta"):
            assert (torch.ones(3, 4) - torch.ones(4)).is_meta
        with torch.inference_mode(), torch.autocast("cpu"):
            loss(X, Y)
    assert report.events == []
