# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's views: other shapes and orders of the same elements, padded or repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.families.layout.axes import permute
from typedtensors.ops.families.layout.expanding import expand, interleaved, repeated
from typedtensors.ops.families.layout.reshape import meant
from typedtensors.ops.families.layout.units import expand_dims, squeeze
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.elements import reshaped
from typedtensors.ops.steps.axes.positions import position, positions, with_rank
from typedtensors.ops.steps.axes.sizes import parts, require_sizes
from typedtensors.ops.steps.renaming import renamed
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_B, _N, _T = map(Dim.name, "bnt")


@rule(
    *tensorflow_names("reshape"),
    params="tensor, shape, name=None",
    examples=(
        example(Array("b t d"), (_B, -1)),
        example(Array("b t 6"), [-1, 2, 3]),
        example(Array("b t 6"), (_B, _T, 4)),
        example(Array("b n"), shape=[_B, 1, _N]),
        example(Array("b d"), (_B, 2, -1)),
        example(Array("b d"), (-1, -1)),
        example(Array("b n"), -1),
        example(Array(""), (1, 1)),
    ),
)
def reshape(call: Call) -> Value:
    """The given sizes; a 1 among them is meant to broadcast."""
    array = call.tensor("tensor")
    if isinstance(call["shape"], Dim) and call["shape"].value != -1:
        raise Undetermined("the sizes are no sequence")
    wanted = [meant(part) for part in parts(call["shape"])]
    return array.with_shape(reshaped(call, array.shape, wanted))


rule(
    *tensorflow_names("transpose"),
    params="a, perm=None, conjugate=False, name=None",
    examples=(
        example(Array("b n d")),
        example(Array("b n d"), [2, 0, 1]),
        example(Array("b n d"), perm=(0, 2, 1)),
        example(Array("b n d"), [0, 1]),
        example(Array("b n d"), [0, 1, 1]),
    ),
)(renamed(permute, input="a", axes="perm", dims="perm"))

rule(
    *tensorflow_names("expand_dims"),
    params="input, axis, name=None",
    examples=(
        *(example(Array("b n"), 0), example(Array("b n"), axis=-1), example(Array("b n"), 3)),
        example(Array("*a n"), -1),
    ),
)(expand_dims)

rule(
    *tensorflow_names("squeeze"),
    params="input, axis=None, name=None",
    examples=(
        *(example(Array("b 1 d 1")), example(Array("b 1 d 1"), 1), example(Array("1 1"))),
        *(example(Array("b 1 d 1"), axis=[1, 3]), example(Array("b 3 1"), 1)),
        example(Array("b 1 d 1"), axis=[-1, 3]),
    ),
)(renamed(squeeze, dim="axis"))


@rule(
    *tensorflow_names("broadcast_to"),
    params="input, shape, name=None",
    examples=(
        *(example(Array("b 1"), (_B, _N)), example(Array("n"), [_B, _N])),
        *(example(Array("b n"), (_B, _N, 4)), example(Array("b n"), (_N,))),
    ),
)
def broadcast_to(call: Call) -> Value:
    """The given sizes, to which the array's own ones stretch."""
    wanted = parts(call["shape"])
    require_sizes(call, wanted)
    call.arguments = {**call.arguments, "sizes": call["shape"]}
    return expand(call)


@rule(
    *tensorflow_names("tile"),
    params="input, multiples, name=None",
    examples=(
        *(example(Array("b n"), [2, 3]), example(Array("b n"), (1, Dim.name("k")))),
        *(example(Array("b n"), [2]), example(Array("b n"), [1, 2, 3])),
    ),
)
def tile(call: Call) -> Value:
    """Each axis as often as its number says."""
    array, given = call.tensor("input"), parts(call["multiples"])
    if array.shape.rank is not None and array.shape.rank != len(given):
        problem = f"{len(given)} numbers of repeats for {array.shape}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return array.with_shape(repeated(call, array.shape, given))


@rule(
    *tensorflow_names("repeat"),
    params="input, repeats, axis=None, name=None",
    examples=(
        *(example(Array("b n"), 2, 1), example(Array("b n"), 3, axis=0)),
        *(example(Array("b n"), 2), example(Array("b n"), repeats=2, axis=2)),
    ),
)
def repeat(call: Call) -> Value:
    """One axis with each element repeated; all elements if no axis is named."""
    return interleaved(call, call["repeats"], call["axis"])


@rule(
    *tensorflow_names("reverse"),
    params="tensor, axis, name=None",
    examples=(
        *(example(Array("b n"), [0]), example(Array("b n"), axis=[0, -1])),
        *(example(Array("b n"), [2]), example(Array("b n"), [1, -1])),
    ),
)
def reverse(call: Call) -> Value:
    """The same shape; the axes have to exist."""
    array = call.tensor("tensor")
    if array.shape.rank == 0:
        raise Undetermined("TensorFlow lets a scalar pass")
    positions(call, array.shape, call["axis"])
    return array


@rule(
    *tensorflow_names("roll"),
    params="input, shift, axis, name=None",
    examples=(
        *(example(Array("b n"), 1, 0), example(Array("b n"), [1, 2], [0, -1])),
        example(Array("b n"), 1, 2),
    ),
)
def roll(call: Call) -> Value:
    """The same shape; the axes have to exist."""
    array, axis = call.tensor("input"), call["axis"]
    for number in axis if isinstance(axis, (tuple, list)) else (axis,):
        position(call, array.shape, number)
    return array


@rule(
    *tensorflow_names("pad"),
    params="tensor, paddings, mode='CONSTANT', constant_values=0, name=None",
    examples=(
        *(example(Array("b n"), [[0, 0], [1, 2]]), example(Array("b n"), ((1, 1), (0, _N)))),
        example(Array("b n"), [[1, 2]]),
    ),
)
def pad(call: Call) -> Value:
    """A pair of sizes for each axis, to add before and after it."""
    array, given = call.tensor("tensor"), call["paddings"]
    if not isinstance(given, (tuple, list)):
        raise Undetermined("the padding is not known")
    shape = with_rank(array.shape, len(given))
    if shape is None:
        problem = f"{len(given)} pairs of sizes for {array.shape}"
        raise Conflicting(wording.misused(call.name, problem))
    if call["mode"] != "CONSTANT":
        raise Undetermined("some modes pad only as far as there are elements")
    pairs = zip(shape.prefix, given, strict=True)
    return array.with_shape(Shape(tuple(_longer(call, axis, pair) for axis, pair in pairs)))


def _longer(call: Call, axis: Axis, pair: Value) -> Axis:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise Undetermined("the padding is not known")
    before, after = pair
    if not isinstance(before, Dim) or not isinstance(after, Dim) or axis.flexible:
        return Axis(Dim.fresh())
    require_sizes(call, (Axis(before), Axis(after)))
    return Axis(axis.dim + before + after)
