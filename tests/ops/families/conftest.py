# SPDX-License-Identifier: Apache-2.0
"""Calls of rules, written as short as the code they stand for."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim, Facts, parse_dim
from typedtensors.ops import Conflict, Known, Layer, Unknown, lookup
from typedtensors.ops.value import Many
from typedtensors.shapes import Axis, Shape, Tensor, Variadic


class Calls:
    """Applies rules one after the other, as a function's body does: facts are kept."""

    def __init__(self) -> None:
        self.facts = Facts()

    def array(self, spec: str) -> Tensor:
        """An array whose shape is written as in an annotation; `self.d` is an opaque dim."""
        return Tensor(Shape(tuple(map(_part, spec.split()))))

    def outcome(self, op: str, *args: Any, **kwargs: Any) -> Any:
        """The value of a call, its Diagnostic, or Unknown."""
        rule = lookup(op)
        assert rule is not None, op
        lifted = {name: _lift(value) for name, value in kwargs.items()}
        found = rule.evaluate(op, tuple(map(_lift, args)), lifted, self.facts)
        if isinstance(found, Known):
            self.facts = found.facts
            return found.value
        return found.diagnostic if isinstance(found, Conflict) else found

    def forward(self, layer: Layer, *args: Any) -> str:
        """What calling a layer gives, as text."""
        rule = lookup(f"{layer.name}.forward")
        assert rule is not None, layer
        lifted = tuple(map(_lift, args))
        found = rule.evaluate(f"{layer.name}.forward", lifted, {}, self.facts, layer=layer)
        if isinstance(found, Known):
            self.facts = found.facts
            return text(found.value)
        return text(found.diagnostic if isinstance(found, Conflict) else found)

    def __call__(self, op: str, *args: Any, **kwargs: Any) -> str:
        """The result as text: a spec, a tuple of them, `unknown`, or the code of a conflict."""
        return text(self.outcome(op, *args, **kwargs))

    def same(self, left: str, right: str) -> bool:
        """Whether what was learned makes two dims equal."""
        return self.facts.resolve(_dim(left)) == self.facts.resolve(_dim(right))


@pytest.fixture
def call() -> Calls:
    return Calls()


def text(value: Any) -> str:
    if isinstance(value, Tensor):
        return value.shape.text
    if isinstance(value, Unknown):
        return "unknown"
    if isinstance(value, Many):
        return f"any number of {text(value.item)}"
    if isinstance(value, (tuple, list)):
        return ", ".join(map(text, value))
    return str(value.code) if hasattr(value, "code") else str(value)


def _part(word: str) -> Any:
    if word == "...":
        return Variadic.fresh()
    if word.startswith("*"):
        return Variadic(word[1:])
    return Axis(_dim(word.removeprefix("#")), flexible=word.startswith("#"))


def _dim(word: str) -> Dim:
    if "+" in word or "-" in word:
        return parse_dim(word)
    if "*" in word:
        left, right = word.split("*", 1)
        return _dim(left) * _dim(right)
    if word.isdecimal():
        return Dim.of(int(word))
    return Dim.opaque(word) if "." in word else Dim.name(word)


def _lift(value: Any) -> Any:
    if type(value) is int:
        return Dim.of(value)
    if isinstance(value, (tuple, list)):
        return type(value)(map(_lift, value))
    if isinstance(value, slice):
        return slice(*map(_lift, (value.start, value.stop, value.step)))
    return value
