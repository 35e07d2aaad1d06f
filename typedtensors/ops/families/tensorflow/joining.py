# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's ways to make one array of several, and several of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, divide
from typedtensors.ops import promotion
from typedtensors.ops.families.layout.joining import cat, stack
from typedtensors.ops.families.layout.splitting import split, unbind
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.steps.renaming import renamed
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N, _M = Dim.name("n"), Dim.name("m")


@rule(
    *tensorflow_names("concat"),
    params="values, axis, name=None",
    examples=(
        example([Array("b n"), Array("b m")], 1),
        example((Array("b n"), Array("c n")), axis=0),
        example([Array("b n"), Array("b n"), Array("b 1")], -1),
        example([Array("b n"), Array("m b")], 1),
        example([Array("b n"), Array("b")], 1),
        example([Array("b n"), Array("b n")], 2),
        example([Array("*batch n"), Array("*batch m")], -1),
    ),
)
def concat(call: Call) -> Value:
    """The arrays behind each other on one axis; sizes as `tf.shape` gives them are joined too."""
    given = call["values"]
    if isinstance(given, (tuple, list)) and any(_is_sizes(each) for each in given):
        return _sizes(call, given)
    return renamed(cat, tensors="values", dim="axis")(call)


def _is_sizes(value: Value) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(each, Dim) for each in value)


def _sizes(call: Call, given: tuple[Value, ...] | list[Value]) -> tuple[Value, ...]:
    """The sizes one behind the other."""
    if literal(call["axis"]) not in (0, -1) or not all(map(_is_sizes, given)):
        raise Undetermined("the sizes are not known")
    return tuple(size for each in given if isinstance(each, (tuple, list)) for size in each)


rule(
    *tensorflow_names("stack"),
    params="values, axis=0, name=None",
    examples=(
        example([Array("b n"), Array("b n")]),
        example((Array("b n"), Array("b n"), Array("b n")), -1),
        example([Array("b n"), Array("n b")], axis=1),
        example([Array("b n"), Array("b")], 0),
        example([Array("b n"), Array("b n")], 3),
        example([Array("*batch n"), Array("*batch n")], -1),
    ),
)(renamed(stack, tensors="values", dim="axis"))


@rule(
    *tensorflow_names("split"),
    params="value, num_or_size_splits, axis=0, num=None, name=None",
    examples=(
        *(example(Array("b 6"), 3, 1), example(Array("b 3*n"), 3, axis=-1)),
        *(example(Array("b 7"), 3, 1), example(Array("b n+m"), [_N, _M], 1)),
        *(example(Array("b 5"), [2, 3], 1), example(Array("b 5"), [2, 2], 1)),
        example(Array("b n"), 2, 2),
    ),
)
def split_evenly(call: Call) -> Value:
    """The given number of equal pieces, or pieces of the given sizes."""
    array, given = call.tensor("value"), call["num_or_size_splits"]
    if isinstance(given, (tuple, list)):
        if any(isinstance(size, Dim) and size.value == -1 for size in given):
            raise Undetermined("a size is -1")
        return list(_items(_split(call)))
    at = position(call, array.shape, call["axis"])
    axis, count = array.shape.axes[at], literal(given)
    if count <= 0 or not isinstance(axis, Axis) or axis.flexible:
        raise Undetermined("the pieces are not known")
    size = call.facts.resolve(axis.dim)
    piece = divide(size, Dim.of(count))
    if piece is None and size.value is not None:
        raise Conflicting(wording.sizes_misused(call.name, f"{size} is not {count} equal pieces"))
    piece = size // count if piece is None else piece
    return [array.with_shape(array.shape.replace(at, Axis(piece)))] * count


_split = renamed(split, input="value", dim="axis", split_size="num_or_size_splits")


def _items(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, tuple):
        raise Undetermined("the pieces are not known")
    return value


@rule(
    *tensorflow_names("unstack"),
    params="value, num=None, axis=0, name=None",
    examples=(
        *(example(Array("3 n")), example(Array("b 2"), axis=1), example(Array("b 2"), None, -1)),
        example(Array("b 2"), None, 2),
    ),
)
def unstack(call: Call) -> Value:
    """One array per position of an axis of literal size; or each of the sizes of an array."""
    if _is_sizes(call["value"]):
        return call["value"]
    return list(_items(renamed(unbind, input="value", dim="axis")(call)))


@rule(
    *tensorflow_names("meshgrid"),
    params="*arrays, indexing='xy', name=None",
    examples=(
        *(example(Array("n"), Array("m")), example(Array("n"), Array("m"), indexing="ij")),
        example(Array("n"), Array("m"), Array("k")),
    ),
)
def meshgrid(call: Call) -> Value:
    """Every vector over the axes of all of them; with `xy` the first two change places."""
    given = _items(call["arrays"])
    arrays = [each for each in given if isinstance(each, Tensor)]
    axes = [array.shape.fixed[0] for array in arrays if array.shape.fixed]
    vectors = all(array.shape.rank == 1 for array in arrays)
    if not vectors or len(arrays) != len(given) or any(axis.flexible for axis in axes):
        raise Undetermined("the arrays are not known to be vectors")
    if call["indexing"] not in ("xy", "ij"):
        raise Undetermined("the order of the axes is not known")
    if call["indexing"] == "xy":
        axes[:2] = axes[1::-1]
    dtype = promotion.promoted(call.framework, arrays)
    return [Tensor(Shape(tuple(axes)), dtype) for _ in arrays]
