# SPDX-License-Identifier: Apache-2.0
"""Modules, callable objects and context managers stay what they are when they are checked."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtensors import TensorCheckError, typechecked

f = torch.zeros


@typechecked
class Net(nn.Module):
    """At the top level, so that it pickles."""

    def __init__(self, d: int, k: int) -> None:
        super().__init__()
        self.layer = nn.Linear(d, k)

    def forward(self, x: Float[Tensor, "b d"], scale: float = 1.0) -> Float[Tensor, "b k"]:
        return self.layer(x) * scale


@typechecked
@dataclass
class Moments:
    mean: Float[Tensor, "d"]
    var: Float[Tensor, "d"]
    names: list[str] = field(default_factory=list)


def test_a_module_is_called_with_its_hooks_and_may_be_nested() -> None:
    seen: list[Any] = []
    net = nn.Sequential(Net(4, 3), Net(3, 2))
    net[0].register_forward_hook(lambda _module, _args, out: seen.append(out.shape))
    assert net(f(5, 4)).shape == (5, 2)
    assert seen == [(5, 3)]
    with pytest.raises(TensorCheckError, match=r"Net\.forward"):
        net(f(4))


@pytest.mark.parametrize("whole", [True, False])
def test_a_module_is_saved_and_loaded(*, whole: bool) -> None:
    net, file = Net(4, 3), io.BytesIO()
    torch.save(net if whole else net.state_dict(), file)
    file.seek(0)
    loaded = torch.load(file, weights_only=not whole)
    if not whole:
        net.load_state_dict(loaded)
        loaded = net
    assert loaded(f(2, 4)).shape == (2, 3)


def test_training_goes_through_a_checked_module() -> None:
    net = Net(4, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = torch.utils.checkpoint.checkpoint(net, torch.randn(2, 4), use_reentrant=False)
    out.float().sum().backward()
    assert net.layer.weight.grad is not None


def test_a_dataclass_keeps_its_defaults_and_compares() -> None:
    assert Moments(f(2), f(2)).names == []
    with pytest.raises(TensorCheckError, match="dim `d` disagrees"):
        Moments(f(2), f(3))
    with pytest.raises(TensorCheckError, match="`names`"):
        Moments(f(2), f(2), [1])  # type: ignore[list-item]


def test_a_frozen_dataclass_with_slots_is_checked() -> None:
    @typechecked
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Pair:
        x: Float[Tensor, "n"]
        y: Float[Tensor, "n"]

    Pair(x=f(2), y=f(2))
    with pytest.raises(TensorCheckError):
        Pair(x=f(2), y=f(3))


def test_a_class_of_attrs_is_checked() -> None:
    attrs = pytest.importorskip("attrs")

    @typechecked
    @attrs.define
    class Pair:
        x: Float[Tensor, "n"]
        y: Float[Tensor, "n"]

    Pair(f(2), f(2))  # type: ignore[call-arg]
    with pytest.raises(TensorCheckError):
        Pair(f(2), f(3))  # type: ignore[call-arg]


def test_a_callable_object_is_checked_by_its_class() -> None:
    @typechecked
    class Scale:
        def __call__(self, x: Float[Tensor, "n"], y: Float[Tensor, "n"]) -> Tensor:
            return x * y

    Scale()(f(2), f(2))
    with pytest.raises(TensorCheckError, match=r"Scale\.__call__"):
        Scale()(f(2), f(3))


def test_a_property_is_read_and_written() -> None:
    @typechecked
    class Model:
        _w = f(2, 2)

        @property
        def w(self) -> Float[Tensor, "n n"]:
            return self._w

        @w.setter
        def w(self, value: Float[Tensor, "n n"]) -> None:
            self._w = value

    model = Model()
    model.w = f(3, 3)
    assert model.w.shape == (3, 3)
    with pytest.raises(TensorCheckError):
        model.w = f(2, 3)
    model._w = f(2, 3)
    with pytest.raises(TensorCheckError):
        _ = model.w


def test_a_cached_function_is_checked_from_outside_and_inside() -> None:
    @typechecked
    @functools.cache
    def eye(n: int) -> Float[Tensor, "{n} {n}"]:
        return torch.eye(n + (n == 3))

    assert eye(2) is eye(2)
    with pytest.raises(TensorCheckError):
        eye(3)
    with pytest.raises(TensorCheckError):
        eye("2")  # type: ignore[arg-type]


def test_a_context_manager_class_is_checked() -> None:
    @typechecked
    class Buffer:
        def __init__(self, x: Float[Tensor, "n"]) -> None:
            self.x = x

        def __enter__(self) -> Float[Tensor, "n"]:
            return self.x

        def __exit__(
            self,
            kind: type[BaseException] | None,
            error: BaseException | None,
            trace: TracebackType | None,
        ) -> None: ...

    with Buffer(f(3)) as x:
        assert x.shape == (3,)
    with pytest.raises(ValueError, match="body"), Buffer(f(3)):
        raise ValueError("body")


@pytest.mark.parametrize("outside", [True, False])
def test_an_async_context_manager_is_checked(*, outside: bool) -> None:
    async def opened(x: Float[Tensor, "n"], y: Float[Tensor, "n"]) -> AsyncIterator[Tensor]:
        yield x + y

    manager: Any = (
        typechecked(contextlib.asynccontextmanager(opened))
        if outside
        else contextlib.asynccontextmanager(typechecked(opened))
    )

    async def use(*shapes: int) -> None:
        async with manager(*map(f, shapes)) as z:
            assert z.shape == (3,)

    asyncio.run(use(3, 3))
    with pytest.raises(TensorCheckError):
        asyncio.run(use(3, 4))


def test_a_generator_based_context_manager_sees_the_error_of_its_body() -> None:
    log = []

    @contextlib.contextmanager
    @typechecked
    def opened(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n"]]:
        try:
            yield x
        except KeyError:
            log.append("seen")

    with opened(f(3)):
        raise KeyError
    assert log == ["seen"]


def test_inherited_and_overridden_methods_call_each_other() -> None:
    @typechecked
    class Base:
        def run(self, x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
            return x

    @typechecked
    class Derived(Base):
        def run(self, x: Float[Tensor, "n"], y: Float[Tensor, "n"] | None = None) -> Tensor:
            return super().run(x if y is None else x + y)

    assert Derived().run(f(3), f(3)).shape == (3,)
    with pytest.raises(TensorCheckError):
        Derived().run(f(3), f(4))


def test_a_function_that_was_checked_works_under_functional_transforms() -> None:
    @typechecked
    def loss(w: Float[Tensor, "d"], x: Float[Tensor, "b d"]) -> Float[Tensor, ""]:
        return (x @ w).sum()

    slope = torch.func.grad(loss)(torch.ones(3), torch.ones(2, 3))
    assert slope.tolist() == [2.0] * 3
    losses = torch.func.vmap(loss, in_dims=(None, 0))(torch.ones(3), torch.ones(5, 2, 3))
    assert losses.shape == (5,)
    jacobian = torch.func.jacrev(loss)(torch.ones(3), torch.ones(2, 3))
    assert jacobian.shape == (3,)


def test_stand_ins_for_tensors_are_checked() -> None:
    @typechecked
    def same(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return x + y

    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fakes = torch.zeros(2, 3), torch.zeros(2, 3), torch.zeros(3, 2)
    metas = [torch.zeros(shape, device="meta") for shape in ((2, 3), (2, 3), (3, 2))]
    sparse = [torch.zeros(shape).to_sparse() for shape in ((2, 3), (2, 3), (3, 2))]
    for good, other, bad in (fakes, metas, sparse):
        assert same(good, other).shape == (2, 3)
        with pytest.raises(TensorCheckError):
            same(good, bad)
