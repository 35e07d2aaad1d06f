# SPDX-License-Identifier: Apache-2.0
"""What holds a function is checked by it, and stays what it is."""

from __future__ import annotations

import functools
import types
from collections.abc import Generator
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtensors import TensorCheckError, typechecked

f = torch.zeros


class Documented(property):
    """A property of a class of its own."""


@typechecked
class Model:
    def scale(self, x: Float[Tensor, "n n"], by: int) -> Float[Tensor, "n n"]:
        return x * by

    twice = functools.partialmethod(scale, by=2)

    @functools.singledispatchmethod
    def show(self, x: Float[Tensor, "n n"]) -> str:
        return "tensor"

    @show.register
    def _(self, x: int) -> str:
        return "int"

    @Documented
    def size(self) -> int:
        """The size."""
        return 3

    @size.setter
    def size(self, value: int) -> None: ...

    @size.deleter
    def size(self) -> None: ...


def test_a_partial_method_is_checked() -> None:
    assert Model().twice(f(2, 2)).shape == (2, 2)
    with pytest.raises(TensorCheckError):
        Model().twice(f(2, 3))


def test_a_partial_method_can_be_decorated_by_itself() -> None:
    class Plain:
        def scale(self, x: Float[Tensor, "n n"], by: int) -> Any:
            return x * by

        twice = typechecked(functools.partialmethod(scale, by=2))

    Plain().scale(f(2, 3), 2)
    with pytest.raises(TensorCheckError):
        Plain().twice(f(2, 3))


def test_a_dispatching_method_checks_its_default() -> None:
    assert [Model().show(f(2, 2)), Model().show(3)] == ["tensor", "int"]
    with pytest.raises(TensorCheckError):
        Model().show(f(2, 3))


def test_a_dispatching_function_checks_its_default() -> None:
    """Another implementation takes what the annotations of the default do not allow."""

    @typechecked
    @functools.singledispatch
    def show(x: Float[Tensor, "n n"]) -> str:
        return "tensor"

    @show.register
    def _(x: int) -> str:
        return "int"

    assert [show(f(2, 2)), show(3)] == ["tensor", "int"]
    with pytest.raises(TensorCheckError):
        show(f(2, 3))


def test_a_property_keeps_its_class_and_its_text() -> None:
    size = vars(Model)["size"]
    assert isinstance(size, Documented)
    assert (size.__doc__, size.fset is not None, size.fdel is not None) == ("The size.", True, True)
    with pytest.raises(TensorCheckError):
        Model().size = "x"  # type: ignore[assignment]


def test_a_cached_function_keeps_the_door_to_its_cache() -> None:
    @typechecked
    @functools.lru_cache
    def eye(n: int) -> Float[Tensor, "{n} {n}"]:
        return torch.eye(n)

    assert eye(3) is eye(3)
    assert eye.cache_info().hits == 1
    eye.cache_clear()
    assert eye.cache_info().hits == 0


def test_a_generator_that_can_be_awaited_still_can() -> None:
    @typechecked
    @types.coroutine
    def wait(x: Float[Tensor, "n"]) -> Generator[None, None, Float[Tensor, "n"]]:
        yield
        return x[1:] if len(x) > 3 else x

    async def both(x: Tensor) -> Tensor:
        return await wait(x)

    def run(x: Tensor) -> None:
        steps = both(x)
        steps.send(None)
        with pytest.raises(StopIteration):
            steps.send(None)

    run(f(3))
    with pytest.raises(TensorCheckError):
        run(f(4))
