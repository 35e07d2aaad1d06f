# SPDX-License-Identifier: Apache-2.0
"""Layers: what a constructor keeps, what calling it needs, teaches and gives."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim, Facts
from typedtensors.ops import Conflict, Known, Layer, Outcome, Unknown, lookup
from typedtensors.shapes import Shape, Tensor


def make(name: str, *args: Any, **kwargs: Any) -> Layer:
    rule = lookup(name)
    assert rule is not None, name
    lifted = tuple(Dim.of(arg) if type(arg) is int else arg for arg in args)
    outcome = rule.evaluate(name, lifted, kwargs, Facts())
    assert isinstance(outcome, Known)
    assert isinstance(outcome.value, Layer)
    return outcome.value


def apply(layer: Layer, value: Any, invoke: Any = None) -> Outcome:
    name = f"{layer.name}.forward"
    rule = lookup(name)
    assert rule is not None, name
    return rule.evaluate(name, (value,), {}, Facts(), layer=layer, invoke=invoke)


def shape(outcome: Outcome) -> str:
    assert isinstance(outcome, Known)
    assert isinstance(outcome.value, Tensor)
    return outcome.value.shape.text


def test_a_constructor_keeps_its_arguments() -> None:
    linear = make("torch.nn.modules.linear.Linear", 784, out_features=Dim.of(10))
    assert linear.config["in_features"] == Dim.of(784)
    assert linear.config["out_features"] == Dim.of(10)
    assert linear.config["bias"] is True


def test_a_layer_changes_the_last_axis_and_teaches_its_size() -> None:
    linear = make("torch.nn.Linear", 784, 10)
    outcome = apply(linear, Tensor(Shape.of("b", "features")))
    assert shape(outcome) == "b 10"
    assert isinstance(outcome, Known)
    assert outcome.facts.resolve(Dim.name("features")) == Dim.of(784)


def test_a_second_size_for_one_name_is_a_conflict() -> None:
    layers = make("torch.nn.Linear", 784, 784), make("torch.nn.Linear", 100, 1)
    outcome = apply(make("torch.nn.Sequential", *layers), Tensor(Shape.of("b", "features")))
    assert isinstance(outcome, Conflict)
    assert outcome.diagnostic.text == (
        "argument `input` of `Linear`: axis 1 is 784, expected 100 from `in_features`"
    )


def test_sizes_that_are_not_known_are_silent() -> None:
    linear = make("torch.nn.Linear", Unknown("a setting"), Unknown("another"))
    outcome = apply(linear, Tensor(Shape.of("b", "features")))
    assert isinstance(outcome, Known)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape.rank == 2


def test_a_container_applies_its_layers_in_turn() -> None:
    layers = make("torch.nn.Linear", 4, 8), make("torch.nn.ReLU"), make("torch.nn.Linear", 8, 2)
    assert shape(apply(make("torch.nn.Sequential", *layers), Tensor(Shape.of("b", 4)))) == "b 2"


def test_a_container_asks_for_the_layers_it_does_not_know() -> None:
    def invoke(value: Any, args: tuple[Any, ...]) -> Outcome:
        assert value == "a module of the user's"
        return Known(Tensor(Shape((*args[0].shape.axes, *args[0].shape.axes))), Facts())

    layers = make("torch.nn.Linear", 4, 8), "a module of the user's"
    container = make("torch.nn.Sequential", *layers)
    assert shape(apply(container, Tensor(Shape.of("b", 4)), invoke)) == "b 8 b 8"
    assert isinstance(apply(container, Tensor(Shape.of("b", 4))), Unknown)


@pytest.mark.parametrize(
    ("name", "args", "source", "expected"),
    [
        pytest.param("Embedding", (100, 16), ("b", "t"), "b t 16", id="Embedding"),
        pytest.param("LayerNorm", (8,), ("b", "t", 8), "b t 8", id="LayerNorm"),
        pytest.param("LayerNorm", (8,), ("b", 7), "tensor-shape", id="LayerNorm of another size"),
        pytest.param("BatchNorm1d", (8,), ("b", 8), "b 8", id="BatchNorm1d"),
        pytest.param("BatchNorm2d", (8,), ("b", 8, "t"), "tensor-rank", id="BatchNorm2d"),
        pytest.param("Dropout", (0.5,), ("b", "n"), "b n", id="Dropout"),
        pytest.param("Softmax", (2,), ("b", "n"), "tensor-rank", id="no such axis"),
        pytest.param("GLU", (), ("b", 6), "b 3", id="GLU"),
    ],
)
def test_layers(name: str, args: Any, source: Any, expected: str) -> None:
    outcome = apply(make(f"torch.nn.{name}", *args), Tensor(Shape.of(*source)))
    if isinstance(outcome, Conflict):
        assert outcome.diagnostic.code.name == expected
    else:
        assert shape(outcome) == expected
