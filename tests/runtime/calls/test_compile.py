# SPDX-License-Identifier: Apache-2.0
"""What a compiler traces is not checked, and stays one graph."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter

from typedtensors import TensorCheckError, check, typechecked


@typechecked
def project(x: Float[Tensor, "b d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "b k"]:
    return check(x @ w, Float[Tensor, "b k"])


@typechecked
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x: Float[Tensor, "b 4"]) -> Float[Tensor, "b 3"]:
        return project(x, self.layer.weight.mT)


@typechecked
def rows(x: Float[Tensor, "b d"]) -> Iterator[Float[Tensor, "d"]]:
    yield from x.unbind()


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> None:
    torch._dynamo.reset()


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"fullgraph": True, "dynamic": True}])
def test_a_function_compiles_to_what_it_computes(options: dict[str, Any]) -> None:
    compiled = torch.compile(project, backend="eager", **options)
    for batch in (2, 3, 5):
        x, w = torch.randn(batch, 4), torch.randn(4, 3)
        assert torch.equal(compiled(x, w), project(x, w))


def test_a_module_compiles_into_one_graph() -> None:
    net, counter = Net(), CompileCounter()
    compiled = torch.compile(net, backend=counter, fullgraph=True)
    x = torch.randn(2, 4)
    assert torch.equal(compiled(x), net(x))
    assert counter.frame_count == 1


def test_modules_imported_later_cause_no_recompilation(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = CompileCounter()
    compiled = torch.compile(project, backend=counter, fullgraph=True)
    compiled(torch.zeros(2, 4), torch.zeros(4, 3))
    monkeypatch.setitem(sys.modules, "imported_later", sys)
    compiled(torch.zeros(2, 4), torch.zeros(4, 3))
    assert counter.frame_count == 1


def test_a_generator_compiles_into_one_graph() -> None:
    def total(x: Tensor) -> Any:
        return sum(rows(x))

    compiled: Callable[[Tensor], Any] = torch.compile(total, backend="eager", fullgraph=True)
    x = torch.randn(3, 2)
    assert torch.equal(compiled(x), total(x))


def test_a_graph_break_inside_is_no_false_alarm() -> None:
    @typechecked
    def noisy(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        torch._dynamo.graph_break()
        return project(x[None], torch.eye(len(x)))[0]

    x = torch.randn(3)
    assert torch.equal(torch.compile(noisy, backend="eager")(x), x)


@pytest.mark.parametrize("strict", [True, False])
def test_export_works(*, strict: bool) -> None:
    x, net = torch.randn(2, 4), Net()
    exported = torch.export.export(net, (x,), strict=strict)
    assert torch.equal(exported.module()(x), net(x))


@pytest.mark.parametrize("strict", [True, False])
def test_an_exported_batch_stays_dynamic(*, strict: bool) -> None:
    sizes = {"x": {0: torch.export.Dim("batch")}}
    exported = torch.export.export(Net(), (torch.zeros(2, 4),), dynamic_shapes=sizes, strict=strict)
    assert exported.module()(torch.zeros(7, 4)).shape == (7, 3)


@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")
def test_what_is_recorded_by_jit_trace_holds_no_checks() -> None:
    """A comparison would warn that a size becomes a constant, and warnings are errors here."""
    x, w = torch.randn(2, 4), torch.randn(4, 3)
    traced = torch.jit.trace(project, (x, w))
    assert torch.equal(traced(x, w), x @ w)
    assert len(list(traced.graph.nodes())) == 1


def test_checks_are_back_outside_the_compiler() -> None:
    torch.compile(project, backend="eager")(torch.zeros(2, 4), torch.zeros(4, 3))
    with pytest.raises(TensorCheckError):
        project(torch.zeros(2, 4), torch.zeros(3, 4))


def test_vmap_and_autograd_see_through() -> None:
    x = torch.randn(5, 2, 4, requires_grad=True)
    out = torch.func.vmap(project, in_dims=(0, None))(x, torch.randn(4, 3))
    (slope,) = torch.autograd.grad(out.sum(), x)
    assert slope.shape == x.shape


def test_checking_numpy_never_imports_torch() -> None:
    program = """
import sys
import numpy as np
from jaxtyping import Float
from typedtensors import align, check, typechecked

@typechecked
def double(x: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n"]:
    return check(2 * x, Float[np.ndarray, "n"])

align(double(np.ones(3)), "d", to="b d")
try:
    double(np.ones((3, 1)))
except TypeError as error:
    assert "x.squeeze(-1)" in str(error), error
else:
    raise SystemExit("not checked")
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
