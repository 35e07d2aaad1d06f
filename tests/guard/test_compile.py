# SPDX-License-Identifier: Apache-2.0
"""The guard and torch's tracers: compiled code is what it would be without a guard."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter

from typedtensors.guard import BroadcastError, guard
from typedtensors.guard.torch.mode import GuardMode

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


def test_code_compiled_outside_of_a_guard_is_not_compiled_again_inside() -> None:
    """Dynamo checks the modes of torch's stack: it finds none."""
    counter = CompileCounter()
    compiled = torch.compile(loss, backend=counter, fullgraph=True)
    outside = compiled(X, Y)
    with guard():
        inside = compiled(X, Y)
        with guard("explicit"):
            compiled(X, Y)
    assert counter.frame_count == 1
    assert torch.equal(inside, outside)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_nothing_that_compiled_code_calls_passes_through_the_guard(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[object] = []

    def noted(_: object, func: Callable[..., object], *_types: object) -> object:
        passed.append(func)
        return NotImplemented

    compiled = torch.compile(loss, backend=backend)
    with guard():
        compiled(X, Y)
        monkeypatch.setattr(GuardMode, "__torch_function__", noted)
        compiled(X, Y)
    assert passed == []


def test_what_surrounds_compiled_code_is_guarded() -> None:
    compiled = torch.compile(NET, backend="eager")
    with guard(), pytest.raises(BroadcastError):
        compiled(X) - Y.squeeze(-1)


@torch.compiler.disable
def surplus(x: Tensor, y: Tensor) -> Tensor:
    """Runs as it is written, also inside of what is compiled."""
    return x - y


def test_function_that_is_kept_from_the_compiler_is_guarded() -> None:
    compiled = torch.compile(lambda x, y: surplus(x.relu(), y).square(), backend="eager")
    compiled(Y, Y)
    with guard():
        compiled(Y, Y)
        with pytest.raises(BroadcastError, match="x - y"):
            compiled(Y, Y.squeeze(-1))
        with pytest.raises(BroadcastError):
            Y - Y.squeeze(-1)


def test_guard_is_back_after_compiled_code_that_raises() -> None:
    compiled = torch.compile(lambda x, index: x.relu()[index], backend="eager", dynamic=True)
    with guard():
        compiled(X, torch.tensor([1]))
        with pytest.raises(IndexError):
            compiled(X, torch.tensor([9]))
        with pytest.raises(BroadcastError):
            Y - Y.squeeze(-1)


def test_compiled_code_inside_of_compiled_code_leaves_the_guard_in_place() -> None:
    inner = torch.compile(torch.exp, backend="eager")

    @torch.compiler.disable
    def between(x: Tensor) -> Tensor:
        return inner(x) * 2

    outer = torch.compile(lambda x: between(x.relu()).square(), backend="eager")
    with guard():
        for _ in range(2):
            outer(X)
            with pytest.raises(BroadcastError):
                Y - Y.squeeze(-1)


LATE = """
import sys
import torch
from typedtensors.guard import guard

graphs = []

def backend(module, _):
    graphs.append(module)
    return module

compile = torch.compile
with guard():
    assert "torch._dynamo" not in sys.modules
    compiled = torch.compile(torch.sub, backend=backend)
    compiled(torch.ones(3), torch.ones(3))
compiled(torch.ones(3), torch.ones(3))
assert torch.compile is compile
print(len(graphs))
"""


@pytest.mark.slow
def test_compiler_that_is_loaded_under_a_guard_compiles_what_it_would_without() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, check=True, text=True)
    assert done.stdout == "1\n"


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
