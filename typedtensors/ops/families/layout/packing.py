# SPDX-License-Identifier: Apache-2.0
"""Arrays of several ranks in one, and out of it again, as einops packs them.

Source: https://einops.rocks/4-pack-and-unpack/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, product
from typedtensors.ops import promotion
from typedtensors.ops.families.layout.joining import tensors
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.elements import agree
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _beside(call: Call) -> tuple[int, int]:
    """How many axes the pattern names before and after its `*`."""
    pattern = call["pattern"]
    words = pattern.split() if isinstance(pattern, str) else []
    if words.count("*") != 1:
        raise Undetermined("the pattern is not known")
    at = words.index("*")
    return at, len(words) - at - 1


@rule(
    "einops.pack",
    params="tensors, pattern",
    examples=(
        example([Array("b n d"), Array("b d")], "b * d"),
        example([Array("b h w d"), Array("b n d")], "b * d"),
        example([Array("b d")], "* d"),
        example([Array("b n d"), Array("c d")], "b * d"),
        example([Array("b n d"), Array("d")], "b * d"),
    ),
)
def pack(call: Call) -> Value:
    """The arrays behind each other on one axis, and what each had in its place."""
    given, (before, after) = tensors(call, "tensors"), _beside(call)
    shapes = [_fixed(call, array, before + after) for array in given]
    first = shapes[0]
    outer = [*range(before), *range(-after, 0)]
    for number, axes in enumerate(shapes):
        for at in outer:
            _require(call, number, at, first[at], axes[at])
    middles = [[axis.dim for axis in axes[before : len(axes) - after]] for axes in shapes]
    total = sum((product(sizes) for sizes in middles), Dim.of(0))
    kept = first[:before], first[len(first) - after :]
    dtype = promotion.promoted(call.framework, given)
    if len({array.dtype for array in given}) > 1:
        dtype = ANY
    packed = Tensor(Shape((*kept[0], Axis(total), *kept[1])), dtype)
    return packed, [tuple(sizes) for sizes in middles]


def _fixed(call: Call, array: Tensor, least: int) -> tuple[Axis, ...]:
    axes = array.shape.fixed
    if axes is None or any(axis.flexible for axis in axes):
        raise Undetermined("the sizes are not known")
    if len(axes) < least:
        where, pattern = wording.argument("tensors", call.name), str(call["pattern"])
        raise Conflicting(wording.rank_differs(where, pattern, array.shape.text))
    return axes


def _require(call: Call, number: int, at: int, own: Axis, given: Axis) -> None:
    if call.same(own.dim, given.dim) is Verdict.DIFFERENT:
        where, texts = f"array {number} of `{call.name}`", (str(own), str(given))
        raise Conflicting(wording.axis_differs(where, at, *texts, bound_by="array 0"))


@rule(
    "einops.unpack",
    params="tensor, packed_shapes, pattern",
    examples=(
        example(Array("b 7 d"), [(3,), (4,)], "b * d"),
        example(Array("b 7 d"), [(2, 3), ()], "b * d"),
        example(Array("b n d"), [(Dim.name("n"),)], "b * d"),
        example(Array("b 7 d"), [(3,), (3,)], "b * d"),
        example(Array("b 7"), [(3,), (4,)], "b * d"),
    ),
)
def unpack(call: Call) -> Value:
    """The arrays that were packed, of shapes that must add up."""
    array, (before, after) = call.tensor("tensor"), _beside(call)
    axes = _fixed(call, array, before + after + 1)
    if len(axes) != before + after + 1:
        where, pattern = wording.argument("tensor", call.name), str(call["pattern"])
        raise Conflicting(wording.rank_differs(where, pattern, array.shape.text))
    shapes = call["packed_shapes"]
    if not isinstance(shapes, (tuple, list)):
        raise Undetermined("the shapes are not known")
    middles = [_sizes(shape) for shape in shapes]
    counts = [product(sizes) for sizes in middles]
    text = " + ".join(map(str, counts))
    problem = f"{text} is not {axes[before]}"
    total = sum(counts, Dim.of(0))
    agree(call, axes[before].dim, total, wording.sizes_misused(call.name, problem))
    outer = axes[:before], axes[before + 1 :]
    return [array.with_shape(Shape((*outer[0], *map(Axis, sizes), *outer[1]))) for sizes in middles]


def _sizes(shape: Value) -> tuple[Dim, ...]:
    given = shape.dims if isinstance(shape, Shape) else shape
    if not isinstance(given, (tuple, list)):
        raise Undetermined("a shape is not known")
    sizes = tuple(each for each in given if isinstance(each, Dim))
    if len(sizes) < len(given) or any(size.value is not None and size.value < 0 for size in sizes):
        raise Undetermined("a size is not known")
    return sizes
