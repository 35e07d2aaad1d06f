# SPDX-License-Identifier: Apache-2.0
"""What a compiler traces may make objects of checked classes, and ask what a tensor is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtensors import TensorCheckError, check, matches, typechecked

f = torch.zeros


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> None:
    torch._dynamo.reset()


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = torch.compile(function, backend="eager", fullgraph=True, **options)
    return made


@typechecked
@dataclasses.dataclass
class Batch:
    x: Float[Tensor, "n"]
    mask: Float[Tensor, "n"] | None = None

    @classmethod
    def of(cls, x: Float[Tensor, "n"]) -> Batch:
        return cls(x)

    @property
    def total(self) -> Float[Tensor, ""]:
        return self.x.sum()

    def rows(self) -> Iterator[Float[Tensor, ""]]:
        yield from self.x.unbind()

    def plus(self, *others: Float[Tensor, "n"], **named: Float[Tensor, "n"]) -> Tensor:
        return self.x + sum(others) + sum(named.values())


@typechecked
class Pair(NamedTuple):
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


def test_objects_of_checked_classes_are_made_within_one_graph() -> None:
    def step(x: Tensor) -> Tensor:
        batch = Batch.of(x)
        return batch.plus(x, more=x) + batch.total + sum(batch.rows()) + Pair(x, x).y

    x = torch.ones(3)
    assert torch.equal(compiled(step)(x), step(x))
    with pytest.raises(TensorCheckError):
        Batch(x, f(4))


ANNOTATIONS: Any = [
    Float[Tensor, "3 d"],
    Float[Tensor, "d d"],
    Float[Tensor, "*rest 3"],
    Float[Tensor, "3 ..."],
    Float[Tensor, "#3 _"],
    Int[Tensor, "3 d"],
    Int[Tensor, "*_"] | Float[Tensor, "3 3"],
    Float[Tensor, "3 d"] | None,
    list[int] | Float[Tensor, ""],
    int,
]
VALUES = [f(3, 3), f(3, 4), f(4, 3), f(1, 2), f(3), f(()), f(3, 4, dtype=torch.int64), f(2, 3, 3)]


@pytest.mark.parametrize("dynamic", [False, True])
def test_matches_tells_the_compiler_what_it_tells_others(*, dynamic: bool) -> None:
    def verdicts(x: Tensor) -> list[Tensor]:
        return [x + 1 if matches(x, each) else x - 1 for each in ANNOTATIONS]

    traced = compiled(verdicts, dynamic=dynamic)
    with torch._dynamo.config.patch(recompile_limit=64):
        for value in VALUES:
            assert all(map(torch.equal, traced(value), verdicts(value))), value.shape


def test_matches_holds_in_what_is_exported() -> None:
    class Net(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            assert matches(x, Float[Tensor, "n 3"])
            return check(x, Float[Tensor, "n 3"]) * 2

    for strict in (True, False):
        exported = torch.export.export(Net(), (torch.ones(2, 3),), strict=strict)
        assert exported.module()(torch.ones(2, 3)).sum() == 12


def test_a_name_that_the_arguments_bound_is_taken_to_fit() -> None:
    @typechecked
    def pick(x: Float[Tensor, "n"], y: Tensor) -> Tensor:
        return x + 1 if matches(y, Float[Tensor, "n"]) else x - 1

    assert compiled(pick)(f(3), f(4)).tolist() == [1.0] * 3
    assert pick(f(3), f(4)).tolist() == [-1.0] * 3


def test_a_function_is_traced_by_fx() -> None:
    @typechecked
    def scale(x: Float[Tensor, "n d"], w: Float[Tensor, "d"]) -> Float[Tensor, "n d"]:
        return x * w

    graph = torch.fx.symbolic_trace(scale)
    assert torch.equal(graph(torch.ones(2, 3), torch.ones(3)), torch.ones(2, 3))
    assert len(list(graph.graph.nodes)) == 4
