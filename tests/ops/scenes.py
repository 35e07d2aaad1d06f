# SPDX-License-Identifier: Apache-2.0
"""Calls to compare with a framework: a rule's examples, bent in ways that agree and disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from typedtensors.dims import Dim
from typedtensors.ops import Example, Module, Unknown
from typedtensors.shapes import Axis, DType, Shape, Tensor, Variadic


@dataclass(frozen=True)
class Run:
    """What a variadic stands for in one scene."""

    variadic: Variadic
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class DrawnAxis:
    """One axis: what the rule sees of it, and the size the framework gets."""

    axis: Axis
    size: int


@dataclass(frozen=True, repr=False)
class DrawnArray:
    """One array argument, seen from both sides."""

    parts: tuple[DrawnAxis | Run, ...]
    dtype: str
    hidden: bool = False
    vague: bool = False
    fill: int = 1
    layout: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape that the framework gets."""
        return tuple(
            size
            for part in self.parts
            for size in (part.sizes if isinstance(part, Run) else (part.size,))
        )

    def tensor(self, *, literal: bool) -> Tensor | Unknown:
        """What the rule gets."""
        if self.hidden:
            return Unknown("hidden")
        dtype = DType.exactly(self.dtype)
        if self.vague and dtype.numbers:
            (number,) = dtype.numbers or ()
            dtype = DType.named("Integer" if number.value == "int" else number.value.capitalize())
        if literal:
            return Tensor(Shape.of(*self.sizes), dtype)
        parts = (part.variadic if isinstance(part, Run) else part.axis for part in self.parts)
        return Tensor(Shape(tuple(parts)), dtype)

    def __repr__(self) -> str:
        shape = self.tensor(literal=False)
        text = shape.shape.text if isinstance(shape, Tensor) else "hidden"
        return f'"{text}" {self.sizes} {self.dtype}'


@dataclass(frozen=True, repr=False)
class Scene:
    """One call of one spelling of an op.

    `literal`: the rule sees sizes, not names. `plain`: nothing is hidden, flexible, variadic or
    opaque, and dtypes are the example's: the rule has to decide.
    """

    op: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    layer: Example | None
    sizes: Mapping[str, int]
    literal: bool = False
    bends: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether everything that decides the call is in sight."""
        return not {*self.bends} & {"hide", "flexible", "variadic", "opaque", "dtype", "vague"}

    @property
    def runs(self) -> dict[Variadic, tuple[int, ...]]:
        """What each variadic stands for."""
        arrays = [each for each in walk((self.args, self.kwargs)) if isinstance(each, DrawnArray)]
        parts = [part for array in arrays for part in array.parts]
        return {part.variadic: part.sizes for part in parts if isinstance(part, Run)}

    def seen(self, value: Any) -> Any:
        """An argument as the rule gets it."""
        if isinstance(value, DrawnArray):
            return value.tensor(literal=self.literal)
        if type(value) is int:
            return Dim.of(value)
        if isinstance(value, Dim):
            return Dim.of(self.size(value)) if self.literal else value
        return rebuilt(value, self.seen)

    def size(self, dim: Dim) -> int:
        """A dim's size in this scene."""
        return dim.evaluate(self.sizes)

    def __repr__(self) -> str:
        args = [str(arg) for arg in self.args]
        kwargs = [f"{name}={value}" for name, value in self.kwargs.items()]
        view = "literal" if self.literal else dict(self.sizes)
        layer = "" if self.layer is None else f" of layer {self.layer.args} {self.layer.kwargs}"
        return f"{self.op}({', '.join(args + kwargs)}){layer} at {view}, bent by {self.bends}"


def walk(value: Any) -> Iterator[Any]:
    """Every leaf of nested arguments."""
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from walk(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from walk(each)
    elif isinstance(value, Module):
        yield from walk((value.args, value.kwargs))
    elif isinstance(value, slice):
        yield from walk((value.start, value.stop, value.step))
    else:
        yield value


def rebuilt(value: Any, leaf: Any) -> Any:
    """Nested arguments with each leaf replaced."""
    if isinstance(value, (tuple, list)):
        return type(value)([leaf(each) for each in value])
    if isinstance(value, dict):
        return {key: leaf(each) for key, each in value.items()}
    if isinstance(value, slice):
        return slice(*map(leaf, (value.start, value.stop, value.step)))
    if isinstance(value, Module):
        return Module(value.name, *map(leaf, value.args), **rebuilt(dict(value.kwargs), leaf))
    return value
