# SPDX-License-Identifier: Apache-2.0
"""Values that outlast the call that made them: of its sizes, the object's own are still known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from typedtensors.dims import Atom, Dim
from typedtensors.ops import Layer, Unknown, Value
from typedtensors.shapes import Axis, DType, Part, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.values import Either, UserClass, either
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import External

# What a size becomes; None for one that the next call may have another of.
Sizing: TypeAlias = Callable[[Dim], Dim | None]

# Stand for any size, and for any run of axes, in a value that nobody has looked at.
_ANY_SIZE = Dim.opaque("_")
_ANY_RUN = Variadic()
_WITHOUT_SIZES = (bool, float, str, type(None), DType, External, Module, Unknown, UserClass)


def outlasting(value: Value, sizing: Sizing) -> Value:
    """What is known of a value later, by what becomes of its sizes.

    Equal for values of which the same is known. `looked_at` makes values to reckon with of it.
    """
    return _with_sizes(value, lambda dim: _or_any(sizing(dim)), lambda _: _ANY_RUN)


def looked_at(value: Value) -> Value:
    """The value with a size of its own for each that is not known: the very value if there is none.

    What one call finds at some point says nothing of what another finds.
    """
    seen = _with_sizes(
        value,
        lambda dim: Dim.fresh() if dim == _ANY_SIZE else dim,
        lambda run: Variadic.fresh() if run == _ANY_RUN else run,
    )
    return value if seen == value else seen


def sizes_in(value: Value) -> Iterator[Dim]:
    """The sizes in a value."""
    if isinstance(value, Dim):
        yield value
    elif isinstance(value, Tensor):
        yield from (part.dim for part in value.shape.axes if isinstance(part, Axis))
    else:
        for part in _parts(value):
            yield from sizes_in(part)


def sizes_between(one: Value, other: Value) -> Iterator[tuple[Atom, Dim]]:
    """The sizes of the second value that the atoms of the first stand for, where both are alike."""
    if isinstance(one, Dim) and isinstance(other, Dim):
        if isinstance(one.factor, Atom):
            yield one.factor, other
    elif isinstance(one, Tensor) and isinstance(other, Tensor):
        if len(one.shape.axes) == len(other.shape.axes):
            for axis, likewise in zip(one.shape.axes, other.shape.axes, strict=True):
                if isinstance(axis, Axis) and isinstance(likewise, Axis):
                    yield from sizes_between(axis.dim, likewise.dim)
    elif not isinstance(one, Layer) or (isinstance(other, Layer) and one.name == other.name):
        for inside, within in zip(_parts(one), _parts(other), strict=False):
            yield from sizes_between(inside, within)


def _or_any(dim: Dim | None) -> Dim:
    return _ANY_SIZE if dim is None else dim


def _parts(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Layer):
        return tuple(value.config.values())
    if isinstance(value, Either):
        return value.options
    return value if type(value) is tuple else ()


def _with_sizes(
    value: Value, size: Callable[[Dim], Dim], run: Callable[[Variadic], Variadic]
) -> Value:
    """The value with other sizes; what may hold sizes that nobody sees is unknown."""
    if isinstance(value, _WITHOUT_SIZES):
        return value
    if isinstance(value, Dim):
        return size(value)
    if isinstance(value, Tensor):
        return value.with_shape(Shape(tuple(_part(each, size, run) for each in value.shape.axes)))
    if isinstance(value, Either):
        return either(_with_sizes(each, size, run) for each in value.options)
    if isinstance(value, Layer):
        parts = {name: _with_sizes(each, size, run) for name, each in value.config.items()}
        return _unless_unknown(Layer(value.name, parts))
    if type(value) is tuple:
        return tuple(_with_sizes(each, size, run) for each in value)
    return Unknown("a value that may be another one at each call")


def _part(part: Part, size: Callable[[Dim], Dim], run: Callable[[Variadic], Variadic]) -> Part:
    if isinstance(part, Variadic):
        return run(part)
    dim = size(part.dim)
    return part if dim == part.dim else Axis(dim, part.flexible, part.intent)


def _unless_unknown(layer: Layer) -> Layer | Unknown:
    """The layer, if its arguments are known: some are lists, or objects."""
    unknown = (each for each in layer.config.values() if isinstance(each, Unknown))
    return next(unknown, layer)
