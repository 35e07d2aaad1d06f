# SPDX-License-Identifier: Apache-2.0
"""`value[index]`."""

from __future__ import annotations

import ast

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.ops.steps.axes.sizes import section, sizes_of
from typedtensors.shapes import Axis, Shape
from typedtensors_mypy.interpreter.alternatives import for_each
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions.iteration import one_of
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all
from typedtensors_mypy.interpreter.values import (
    Chain,
    Instance,
    Items,
    Keyed,
    Stream,
    either,
    framework_of,
    present,
)
from typedtensors_mypy.source.library import ARRAY_CLASS


def subscript(frame: Frame, node: ast.Subscript, base: Value, index: Value) -> Value:
    """The value of `base[index]`."""
    return for_each(frame, present(base), lambda each: _one(frame, node, each, index))


def item_at(frame: Frame, base: Value, index: Value) -> Value:
    """What a tuple, list or dict holds at an index or under a key."""
    base = frame.state.now(base)
    if isinstance(base, tuple):
        return _of_tuple(base, index)
    if isinstance(base, Items):
        return _of_items(base, index)
    if isinstance(base, Stream) and isinstance(index, slice):
        starts = index.start is None or index.start == Dim.of(0)
        return Stream(base.item if starts and index.step is None else one_of(base.item))
    if isinstance(base, Chain):
        return _of_chain(frame, base, index)
    if isinstance(base, (Stream, Keyed)):
        return one_of(base.item, index if isinstance(index, (Dim, str)) else None)
    return Unknown("an item of something else")


def _of_chain(frame: Frame, base: Chain, index: Value) -> Value:
    """A module of a `Sequential`; a slice of one is another one."""
    found = item_at(frame, base.modules, index)
    is_part = isinstance(index, slice) and isinstance(found, (Items, Stream))
    return Chain(found) if is_part and isinstance(found, (Items, Stream)) else found


def _one(frame: Frame, node: ast.Subscript, base: Value, index: Value) -> Value:
    framework = framework_of(base)
    if framework is not None:
        return apply_op(frame, node, f"{ARRAY_CLASS[framework]}.__getitem__", (base, index))
    base = frame.state.now(base)
    if isinstance(base, (tuple, Items, Stream, Keyed, Chain)):
        return item_at(frame, base, index)
    if isinstance(base, Shape):
        return _of_shape(base, index)
    if isinstance(base, Instance):
        return _of_instance(frame, node, base, index)
    return base if isinstance(base, Unknown) else Unknown("an item of a value of that kind")


def _of_tuple(base: tuple[Value, ...], index: Value) -> Value:
    if not base:
        return Unknown("an item of nothing")
    if isinstance(index, Dim) and index.value is not None:
        inside = -len(base) <= index.value < len(base)
        return base[index.value] if inside else Unknown("an index that is out of range")
    if isinstance(index, Dim):
        return join_all(base)
    if isinstance(index, slice):
        bounds = [_bound(part) for part in (index.start, index.stop, index.step)]
        if not any(isinstance(bound, Unknown) for bound in bounds) and bounds[2] != 0:
            return base[slice(*bounds)]  # type: ignore[arg-type]  # no bound is Unknown here
        return Stream(join_all(base))
    return Unknown("an item of a tuple, at an index that is not a literal")


def _bound(part: Value) -> int | Unknown | None:
    """The bound of a slice; None if it is left open."""
    if part is None:
        return None
    value = part.value if isinstance(part, Dim) else None
    return Unknown("a bound that is not a literal") if value is None else value


def _of_items(base: Items, index: Value) -> Value:
    if base.keys is None:
        found = _of_tuple(base.values, index)
        part = isinstance(index, slice) and isinstance(found, tuple)
        return Items(found) if part and isinstance(found, tuple) else found
    if index in base.keys:
        return base.values[base.keys.index(index)]
    # One of its values, or there is no such key and the code stops here.
    return either(base.values) if isinstance(index, Unknown) else Unknown("a key that a dict lacks")


def _of_shape(base: Shape, index: Value) -> Value:
    """`x.shape[-1]` or `[:-1]` where the rank is not known: the ends of the shape may be."""
    if isinstance(index, slice):
        return _section(base, index)
    if not isinstance(index, Dim) or index.value is None:
        return Unknown("some sizes of an array of unknown rank")
    axis = base.axis(index.value)
    return axis.dim if isinstance(axis, Axis) and not axis.flexible else Dim.fresh("_")


def _section(base: Shape, index: slice) -> Value:
    bounds = [_bound(part) for part in (index.start, index.stop, index.step)]
    start, stop, step = bounds
    if isinstance(start, Unknown) or isinstance(stop, Unknown) or step is not None:
        return Unknown("some sizes of an array of unknown rank")
    found = section(base, start, stop) or Shape.unknown()
    return found if found.rank is None else sizes_of(found)


def _of_instance(frame: Frame, node: ast.Subscript, base: Instance, index: Value) -> Value:
    from typedtensors_mypy.interpreter.calls.classes import bound_method

    method = bound_method(frame, base, "__getitem__")
    if method is None:
        return Unknown("an item of an object that is not followed")
    return frame.run.call(frame, node, method, Arguments((index,), nodes=(node.slice,)))
