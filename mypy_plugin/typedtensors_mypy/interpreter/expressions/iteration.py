# SPDX-License-Identifier: Apache-2.0
"""What a value gives when it is iterated over or unpacked."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache

from typedtensors.dims import Atom, Dim
from typedtensors.ops import Rounds, Unknown, Value
from typedtensors.ops.steps.axes.sizes import section, sizes_of
from typedtensors.shapes import Axis, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all
from typedtensors_mypy.interpreter.values import (
    Chain,
    Either,
    Instance,
    Items,
    Stream,
    array_framework,
    either,
    of_framework,
    present_options,
)

_LONGEST_UNROLLED = 16


def known_items(frame: Frame, value: Value) -> tuple[Value, ...] | None:
    """The items one by one, if there are few and each is known; None otherwise."""
    value = frame.state.now(value.modules if isinstance(value, Chain) else value)
    if isinstance(value, Items):
        value = value.values if value.keys is None else value.keys
    if isinstance(value, tuple) and len(value) <= _LONGEST_UNROLLED:
        return value
    return None


def is_literal_key(key: Value) -> bool:
    """Whether a key of a dict is known."""
    return isinstance(key, str) or (isinstance(key, Dim) and key.value is not None)


def item_of(frame: Frame, value: Value) -> Value:
    """What each item is like, whichever it is."""
    value = frame.state.now(value.modules if isinstance(value, Chain) else value)
    if isinstance(value, Stream):
        return _of_any_rank(value.item)
    if isinstance(value, Either):
        return join_all([item_of(frame, option) for option in present_options(value)])
    if isinstance(value, Instance):
        return _item_of_object(frame, value)
    items = value.values if isinstance(value, Items) and value.keys is None else None
    items = known_items(frame, value) if items is None else items
    if items:
        return join_all(items)
    if isinstance(value, Tensor):
        return _row(value)
    return Unknown("an item of something that is not followed")


def _item_of_object(frame: Frame, value: Instance) -> Value:
    """What iterating over an object gives: by `__iter__` and `__next__`, else by `__getitem__`."""
    node = ast.copy_location(ast.Constant(None), value.cls.node)
    for name in ("__iter__", "__next__", "__getitem__"):
        method = bound_method(frame, value, name)
        if method is None or (name == "__next__" and len(method.node.args.args) != 1):
            continue
        given = Arguments((Dim.fresh("i"),)) if name == "__getitem__" else Arguments()
        with frame.run.silence():
            found = frame.run.call(frame, node, method, given)
        if name != "__iter__":
            return found
        if found is not value:
            return item_of(frame, found)
    return Unknown("an item of an object that is not followed")


def as_sequence(frame: Frame, value: Value) -> tuple[Value, ...] | Stream:
    """The items one by one where they are known, else any number of what each is like."""
    items = known_items(frame, value)
    return Stream(item_of(frame, value), rounds_of(frame, value)) if items is None else items


def rounds_of(frame: Frame, value: Value) -> Rounds | None:
    """How many items there are, where that is known."""
    value = frame.state.now(value.modules if isinstance(value, Chain) else value)
    if isinstance(value, Stream):
        return value.rounds
    if isinstance(value, Tensor):
        first = value.shape.prefix[0] if value.shape.prefix else None
        return None if first is None or first.flexible else Rounds(first.dim)
    items = known_items(frame, value)
    return None if items is None else Rounds(Dim.of(len(items)))


def unpack(frame: Frame, value: Value, count: int) -> tuple[Value, ...] | None:
    """The values that `a, b = value` binds; None if nothing is known of them."""
    items = known_items(frame, value)
    if items is not None:
        return items if len(items) == count else None
    value = frame.state.now(value)
    if isinstance(value, Either):
        every = [unpack(frame, option, count) for option in present_options(value)]
        known = [each for each in every if each is not None]
        return tuple(map(join_all, zip(*known, strict=True))) if len(known) == len(every) else None
    if isinstance(value, Stream):
        return tuple(one_of(value.item, place) for place in range(count))
    if isinstance(value, Tensor):
        return (_row(value),) * count
    return None


def one_of(item: Value, key: object = None) -> Value:
    """One of several alike items: a size that nothing is known of need not be that of the next.

    Under a key that is known it is the same one each time.
    """
    if isinstance(item, Dim):
        return _size_of_one(item, key)
    if isinstance(item, Either):
        return either(one_of(option, key) for option in item.options)
    if type(item) is tuple:
        return tuple(one_of(part, key) for part in item)
    if not isinstance(item, Tensor):
        return item
    axes = (
        part.with_dim(_size_of_one(part.dim, key))
        if isinstance(part, Axis)
        else _axes_of_one(part, key)
        for part in item.shape.axes
    )
    return of_framework(item.with_shape(Shape(tuple(axes))), array_framework(item))


def _axes_of_one(run: Variadic, key: object) -> Variadic:
    if run.name is not None:
        return run
    return Variadic.fresh(written=run.written) if key is None else _axes_under(run, key)


@lru_cache(maxsize=1_024)
def _axes_under(run: Variadic, _key: object) -> Variadic:
    return Variadic.fresh(written=run.written)


def _of_any_rank(item: Value) -> Value:
    """One of several arrays, which need not have as many axes as the next."""
    if type(item) is tuple:
        return tuple(map(_of_any_rank, item))
    if not isinstance(item, Tensor) or item.shape.rank is not None:
        return item
    axes = (_axes_of_one(p, None) if isinstance(p, Variadic) else p for p in item.shape.axes)
    return of_framework(item.with_shape(Shape(tuple(axes))), array_framework(item))


def _size_of_one(size: Dim, key: object) -> Dim:
    atom = size.factor
    if not isinstance(atom, Atom) or atom.declared or atom.scope or atom.promised:
        return size
    if key is None:
        return Dim.fresh(atom.name)
    return Dim.atom(replace(atom, name=f"{atom.name}[{key}]"))


def unpack_around(
    frame: Frame, value: Value, before: int, after: int
) -> tuple[tuple[Value, ...], Value, tuple[Value, ...]] | None:
    """The values that `a, *rest, b = value` binds; None if nothing is known of them."""
    if isinstance(value, Shape):
        return _sizes_around(value, before, after)
    items = known_items(frame, value)
    if items is not None:
        end = len(items) - after
        if end < before:
            return None
        return items[:before], Items(items[before:end]), items[end:]
    item = item_of(frame, value)
    return (item,) * before, Stream(item), (item,) * after


def _sizes_around(
    shape: Shape, before: int, after: int
) -> tuple[tuple[Value, ...], Value, tuple[Value, ...]] | None:
    rest = section(shape, before, -after if after else None)
    if rest is None:
        return None
    first, last = Shape(shape.axes[:before]), Shape(shape.axes[len(shape.axes) - after :])
    return sizes_of(first), rest, sizes_of(last)


def _row(array: Tensor) -> Value:
    """An array without its first axis."""
    if not array.shape.prefix:
        return Unknown("an array of unknown rank")
    rest = Shape(array.shape.axes[1:])
    return of_framework(Tensor(rest, array.dtype), array_framework(array))


def with_rank(shape: Shape, names: list[str]) -> Shape | None:
    """A shape of unknown rank with one axis per name; None if it is known, or has more axes."""
    missing = len(names) - shape.least_rank
    if shape.rank is not None or missing < 0:
        return None
    start = len(shape.prefix)
    fresh = [Axis(Dim.fresh(name)) for name in names[start : start + missing]]
    return Shape((*shape.prefix, *fresh, *shape.suffix))
