# SPDX-License-Identifier: Apache-2.0
"""What can be decorated, what the result looks like, and what is rejected at once."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import pickle
from typing import Any, NamedTuple, no_type_check

import cloudpickle  # type: ignore[import-untyped]
import jaxtyping
import pytest
import torch
from jaxtyping import Float, jaxtyped
from torch import Tensor, nn

from typedtensors import TensorCheckError, UncheckedWarning, typechecked

f = torch.zeros


class Base:
    def inherited(self, x: Float[Tensor, "n"]) -> Any:
        return x


@typechecked
class Layer(Base):
    def __init__(self, w: Float[Tensor, "i o"]) -> None:
        self.w = w

    def apply(self, x: Float[Tensor, "n i"], y: Float[Tensor, "n o"]) -> Any:
        return x

    @classmethod
    def build(cls, w: Float[Tensor, "i i"]) -> Layer:
        return cls(w)

    @staticmethod
    def rate(x: Float[Tensor, "n n"]) -> int:
        return len(x)

    @property
    def size(self) -> Float[Tensor, ""]:
        """The size."""
        return self.w.sum(0)

    @functools.cached_property
    def cached(self) -> Float[Tensor, ""]:
        return self.w.sum()

    def untouched(self, x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        return x


@typechecked
def identity(x: Float[Tensor, "n"], k: int = 3) -> Float[Tensor, "n"]:
    """Return it."""
    return x[:k]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: Layer(f(3)), id="constructor"),
        pytest.param(lambda: Layer(f(3, 4)).apply(f(2, 3), f(3, 4)), id="method"),
        pytest.param(lambda: Layer.build(f(3, 4)), id="class method"),
        pytest.param(lambda: Layer.rate(f(3, 4)), id="static method"),
        pytest.param(lambda: Layer(f(3, 4)).size, id="property"),
    ],
)
def test_the_methods_of_a_plain_class_are_checked(call: Any) -> None:
    with pytest.raises(TensorCheckError):
        call()


def test_a_class_stays_itself() -> None:
    layer = Layer.build(f(3, 3))
    assert isinstance(layer, Layer)
    assert layer.cached is layer.cached
    assert Layer.size.__doc__ == "The size."
    assert inspect.unwrap(Layer.untouched) is Layer.untouched
    assert Layer.inherited is Base.inherited


def test_the_fields_of_a_dataclass_are_checked_together() -> None:
    @typechecked
    @dataclasses.dataclass
    class Batch:
        x: Float[Tensor, "n d"]
        y: Float[Tensor, "n"]

    Batch(f(3, 2), f(3))
    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        Batch(f(3, 2), f(4))


def test_a_module_is_checked_by_its_forward() -> None:
    @typechecked
    class Net(nn.Module):
        def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
            return x.sum(1)

    with pytest.raises(TensorCheckError, match=r"return value of `Net\.forward`"):
        Net()(f(2, 3))


def test_a_partial_is_checked() -> None:
    def scale(x: Float[Tensor, "n"], y: Float[Tensor, "n"]) -> Any:
        return x

    checked = typechecked(functools.partial(scale, f(3)))
    checked(f(3))
    with pytest.raises(TensorCheckError, match=r"scale\(\): dim `n`"):
        checked(f(4))


def test_a_bound_method_is_checked() -> None:
    with pytest.raises(TensorCheckError):
        typechecked(Base().inherited)(f(3, 3))


def test_it_works_with_parentheses() -> None:
    @typechecked()
    def scale(x: Float[Tensor, "n"]) -> Any:
        return x

    with pytest.raises(TensorCheckError):
        scale(f(3, 3))


def test_decorating_twice_is_decorating_once() -> None:
    assert typechecked(identity) is identity


def test_a_decorator_above_is_not_taken_for_the_checked_function() -> None:
    @functools.wraps(identity)
    def outer(*args: Any) -> Any:
        return identity(*args)

    assert typechecked(outer) is not outer


def test_the_function_keeps_its_identity() -> None:
    assert identity.__name__ == "identity"
    assert identity.__doc__ == "Return it."
    assert list(inspect.signature(identity).parameters) == ["x", "k"]
    assert inspect.unwrap(identity) is not identity


@pytest.mark.parametrize("inside", [True, False])
def test_what_is_marked_as_unchecked_is_left_alone(*, inside: bool) -> None:
    def decorate(target: Any) -> Any:
        return typechecked(no_type_check(target)) if inside else no_type_check(typechecked(target))

    @decorate
    def scale(x: Float[Tensor, "n"]) -> Any:
        return x

    @decorate
    @dataclasses.dataclass
    class Batch:
        x: Float[Tensor, "n"]

    @decorate
    async def fetch(x: Float[Tensor, "n"]) -> None: ...

    scale(f(3, 3))
    Batch(f(3, 3))
    asyncio.run(fetch(f(3, 3)))


def test_the_switch_of_jaxtyping_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    assert identity(f(3, 3)).shape == (3, 3)


def test_the_environment_switches_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "off")
    assert typechecked(Base.inherited) is Base.inherited
    assert typechecked(3) == 3


def test_isinstance_in_the_body_knows_the_bindings() -> None:
    spec: Any = Float[Tensor, "n"]

    @typechecked
    def outer(x: Float[Tensor, "n"]) -> bool:
        with jaxtyped("context"):
            assert isinstance(f(9), spec)
        assert not isinstance(f(9), spec)
        return isinstance(f(len(x)), spec)

    assert outer(f(3))


def test_a_checked_function_pickles_by_name() -> None:
    assert pickle.loads(pickle.dumps(identity)) is identity  # noqa: S301


def test_a_checked_function_pickles_by_value() -> None:
    def local(x: Float[Tensor, "n n"]) -> Any:
        return x

    loaded = pickle.loads(cloudpickle.dumps(typechecked(local)))  # noqa: S301
    loaded(f(3, 3))
    with pytest.raises(TensorCheckError):
        loaded(f(3, 4))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        pytest.param(len, "built in and has no annotations", id="builtin"),
        pytest.param(torch.add, "built in and has no annotations", id="framework builtin"),
        pytest.param(nn.Linear(1, 1), "decorate the class `Linear`, or its `__call__`", id="model"),
        pytest.param("strict", "its options are keywords", id="text"),
        pytest.param(3, "decorate a function, a method or a class", id="number"),
    ],
)
def test_what_can_not_be_checked_is_rejected_at_once(target: Any, message: str) -> None:
    with pytest.raises(TypeError, match="typechecked: can not check") as caught:
        typechecked(target)
    assert message in str(caught.value)


def test_the_fields_of_a_named_tuple_are_checked_together() -> None:
    @typechecked
    class Batch(NamedTuple):
        x: Float[Tensor, "n d"]
        y: Float[Tensor, "n"]

    Batch(f(3, 2), f(3))
    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        Batch(f(3, 2), f(4))


def test_a_class_with_nothing_to_check_is_warned_about() -> None:
    class Empty(Base):
        def untyped(self):  # type: ignore[no-untyped-def]  # noqa: ANN202
            pass

    with pytest.warns(UncheckedWarning, match="no method that .*Empty` itself defines has annot"):
        typechecked(Empty)


def test_methods_may_use_names_of_their_class() -> None:
    @typechecked
    class Model:
        Square = Float[Tensor, "k k"]

        def trace(self, x: Square) -> Any:
            return x

    with pytest.raises(TensorCheckError):
        Model().trace(f(2, 3))
