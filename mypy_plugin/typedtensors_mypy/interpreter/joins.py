# SPDX-License-Identifier: Apache-2.0
"""What is known of a value that came from either of two branches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, Part, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.values import (
    Coming,
    DataSet,
    Items,
    Keyed,
    Promise,
    Stream,
    array_framework,
    either,
    of_framework,
)


def join(left: Value, right: Value) -> Value:
    """What is known of a value that came from either of two branches."""
    if left is right:
        return left
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return _join_arrays(left, right)
    if type(left) is type(right) and left == right:
        return left
    if isinstance(left, Dim) and isinstance(right, Dim):
        return Dim.fresh("_")
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(itertools.starmap(join, zip(left, right, strict=True)))
    return _join_holders(left, right)


def _join_holders(left: Value, right: Value) -> Value:
    if type(left) is Stream and type(right) is Stream:
        rounds = left.rounds if left.rounds == right.rounds else None
        return Stream(join(left.item, right.item), rounds)
    for holder in (DataSet, Stream, Keyed):
        if isinstance(left, holder) and isinstance(right, holder):
            return holder(join(left.item, right.item))
    if isinstance(left, Coming) and isinstance(right, Coming):
        return Coming(join(left.value, right.value))
    if isinstance(left, Promise) or isinstance(right, Promise):
        # The path that leaves it unbound cannot use it.
        return right if isinstance(left, Promise) else left
    return either((left, right))


def _join_arrays(left: Tensor, right: Tensor) -> Value:
    if array_framework(left) is not array_framework(right):
        return Unknown("arrays of two frameworks")
    shape = _join_shapes(left.shape, right.shape)
    dtype = left.dtype if left.dtype == right.dtype else left.dtype.union(right.dtype)
    trailing = left.trailing and right.trailing
    joined = Tensor(shape, dtype, left.parameter and right.parameter, trailing)
    return of_framework(joined, array_framework(left))


def _join_shapes(left: Shape, right: Shape) -> Shape:
    """Axes that differ become unknown; with different ranks, those that only one of them has."""
    if left == right:
        return Shape(tuple(itertools.starmap(_same_axis, zip(left.axes, right.axes, strict=True))))
    ones, others = left.fixed, right.fixed
    if ones is not None and others is not None and len(ones) == len(others):
        return Shape(tuple(itertools.starmap(_join_axes, zip(ones, others, strict=True))))
    return _join_ends(left, right)


def _join_ends(left: Shape, right: Shape) -> Shape:
    """The last axes that both have, and of the first ones those that are not among these."""
    last = min(len(left.suffix), len(right.suffix))
    rest = min(left.least_rank, right.least_rank) - last
    first = min(len(left.prefix), len(right.prefix), rest)
    ends = zip(left.suffix[-last:], right.suffix[-last:], strict=True) if last else ()
    starts = zip(left.prefix[:first], right.prefix[:first], strict=True)
    runs = {part for shape in (left, right) for part in shape.axes if isinstance(part, Variadic)}
    alike = len(left.axes) == len(right.axes) == first + 1 + last and len(runs) == 1
    between = runs.pop() if alike else Variadic.fresh()
    joined = itertools.starmap(_join_axes, starts), itertools.starmap(_join_axes, ends)
    return Shape((*joined[0], between, *joined[1]))


def _same_axis(left: Part, right: Part) -> Part:
    """An intent that only one branch shows is still shown: in doubt, a broadcast is meant."""
    if isinstance(left, Axis) and isinstance(right, Axis):
        return left if left.intent is not None else right
    return left


def _join_axes(left: Axis, right: Axis) -> Axis:
    if left == right:
        return left if left.intent is not None else right
    for one, other in ((left, right), (right, left)):
        if one.is_one:
            return Axis(other.dim, flexible=True)
        if one.dim == other.dim:
            return Axis(one.dim, flexible=True)
    return Axis(Dim.fresh("_"))


def join_contents(left: Value, right: Value) -> Value:
    """What a list or dict holds after either of two branches, by what it holds after each."""
    if left == right or isinstance(left, Unknown):
        return left
    if isinstance(left, Items) and isinstance(right, Items) and _are_alike(left, right):
        values = itertools.starmap(join, zip(left.values, right.values, strict=True))
        return Items(tuple(values), left.keys, left.serial)
    if isinstance(right, Unknown):
        return right
    items = [*contained(left), *contained(right)]
    if not items:
        return left
    keyed = any(isinstance(each, Keyed) or _has_keys(each) for each in (left, right))
    return Keyed(join_all(items)) if keyed else Stream(join_all(items))


def join_all(values: Iterable[Value]) -> Value:
    """What is known of each of several values, at least one."""
    first, *rest = values
    for value in rest:
        first = join(first, value)
    return first


def _are_alike(left: Items, right: Items) -> bool:
    return left.keys == right.keys and len(left.values) == len(right.values)


def _has_keys(value: Value) -> bool:
    return isinstance(value, Items) and value.keys is not None


def contained(value: Value) -> tuple[Value, ...]:
    """What a list or dict holds, one value of each kind."""
    if isinstance(value, Items):
        return value.values
    return (value.item,) if isinstance(value, (Stream, Keyed)) else ()
