# SPDX-License-Identifier: Apache-2.0
"""Dims of a class: what an object's own arrays bear out holds for its methods."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtensors import TensorCheckError, bindings, typechecked

f = torch.zeros


@typechecked(class_dims=True)
class Linear(nn.Module):
    weight: Float[nn.Parameter, "d_out d_in"]

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        self.weight = nn.Parameter(torch.ones(d_out, d_in))

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
        assert bindings()["d_in"] == self.d_in
        return x @ self.weight.T

    def rows(self, x: Float[Tensor, "n d_in"]) -> Iterator[Float[Tensor, "d_in"]]:
        yield from x

    def bias(self, cut: int) -> Float[Tensor, "d_out"]:
        return f(self.d_out - cut)

    def replace(self, weight: Float[Tensor, "d_out d_in"]) -> None:
        self.weight = nn.Parameter(weight)
        self.d_out, self.d_in = weight.shape

    def grow(self, more: Float[Tensor, "d_out d_in"]) -> None:
        self.weight.data = more

    @staticmethod
    def count(x: Float[Tensor, "d_in"]) -> int:
        return len(x)


def rejects(function: Any, *args: Any) -> str:
    with pytest.raises(TensorCheckError) as caught:
        function(*args)
    return str(caught.value)


def test_an_attribute_that_sizes_an_array_is_the_dim_of_that_name() -> None:
    layer = Linear(3, 4)
    assert layer(f(2, 3)).shape == (2, 4)
    assert len(list(layer.rows(f(2, 3)))) == 2
    text = rejects(layer, f(2, 5))
    assert "where d_in = 3  (self.d_in, as in self.weight)" in text
    assert "5 != 3" in text
    rejects(lambda: list(layer.rows(f(2, 5))))


def test_a_result_has_the_size_of_the_class() -> None:
    assert len(Linear(3, 4).bias(0)) == 4
    assert "where d_out = 4" in rejects(Linear(3, 4).bias, 1)


def test_a_method_that_changes_the_object_may_be_given_other_sizes() -> None:
    layer = Linear(3, 4)
    layer.replace(f(5, 6))
    layer.grow(f(7, 8))
    assert layer.count(f(1)) == 1


def test_each_object_has_sizes_of_its_own() -> None:
    wide, narrow = Linear(9, 4), Linear(3, 4)
    for _ in range(2):
        wide(f(2, 9))
        narrow(f(2, 3))
    rejects(wide, f(2, 3))


@pytest.mark.parametrize("size", [7, None, True, "3"])
def test_a_name_alone_says_nothing(size: Any) -> None:
    """Not where the attribute has another size than the array, nor where it is no int."""
    layer = Linear(3, 4)
    layer.d_in = size
    Linear.rows(layer, f(2, 5))


def test_a_name_begins_anew_in_each_method_unless_that_is_asked_for() -> None:
    """The points of a query are no points of the data."""

    @typechecked
    class Neighbors:
        data: Float[Tensor, "n d"]

        def __init__(self, data: Float[Tensor, "n d"]) -> None:
            self.n, self.d = data.shape
            self.data = data

        def query(self, points: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
            return torch.cdist(points, self.data).amin(1)

    assert len(Neighbors(f(10, 3)).query(f(4, 3))) == 4


def test_a_property_is_not_asked() -> None:
    @typechecked(class_dims=True)
    class Lazy:
        x: Float[Tensor, "n"]

        def __init__(self) -> None:
            self.x = f(3)

        @property
        def n(self) -> int:
            raise AssertionError

        def use(self, y: Float[Tensor, "n"]) -> None: ...

    Lazy().use(f(5))


def test_fields_of_a_dataclass_are_attributes() -> None:
    @typechecked(class_dims=True)
    @dataclasses.dataclass(frozen=True, slots=True)
    class Stats:
        mean: Float[Tensor, "*batch d"]
        d: int

        def center(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
            return x

    Stats(f(5, 3), 3).center(f(2, 3))
    rejects(Stats(f(5, 3), 3).center, f(2, 4))
    Stats(f(5, 3), 9).center(f(2, 4))


def test_a_derived_class_has_the_dims_of_its_base() -> None:
    @typechecked(class_dims=True)
    class Scaled(Linear):
        def scale(self, x: Float[Tensor, "d_in"]) -> Float[Tensor, "d_in"]:
            return x

    Scaled(3, 4).scale(f(3))
    rejects(Scaled(3, 4).scale, f(4))


def test_a_method_that_is_decorated_itself_has_the_dims_of_its_class() -> None:
    @typechecked(class_dims=True)
    class Own:
        x: Float[Tensor, "n"]

        def __init__(self, n: int) -> None:
            self.n, self.x = n, f(n)

        @typechecked(only="arrays")
        def use(self, y: Float[Tensor, "n"], k: int) -> None: ...

    Own(3).use(f(3), "not checked")  # type: ignore[arg-type]
    rejects(Own(3).use, f(4), 1)


def test_a_link_survives_pickling_by_value() -> None:
    @typechecked(class_dims=True)
    class Local:
        x: Float[Tensor, "n"]

        def __init__(self, n: int) -> None:
            self.n, self.x = n, f(n)

        def use(self, y: Float[Tensor, "n"]) -> None: ...

    again = pickle.loads(cloudpickle.dumps(Local))  # noqa: S301
    again(3).use(f(3))
    rejects(again(3).use, f(4))
