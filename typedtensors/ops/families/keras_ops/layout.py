# SPDX-License-Identifier: Apache-2.0
"""Ops of Keras that give the same elements another shape, or pick some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.families.indexing.triangles import diagonal, triangle_numpy
from typedtensors.ops.families.layout.axes import movedim, permute, transpose
from typedtensors.ops.families.layout.expanding import interleaved, tile_numpy
from typedtensors.ops.families.layout.units import expand_dims, squeeze
from typedtensors.ops.families.tensorflow.indexing import gathered
from typedtensors.ops.families.tensorflow.layout import broadcast_to, pad, reshape, roll
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import positions
from typedtensors.ops.steps.keras.ops import keras_op
from typedtensors.ops.steps.renaming import renamed
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_B, _N, _T = map(Dim.name, "bnt")
_X, _BN, _RUN = Array("b n d"), Array("b n"), Array("*a n")

keras_op(
    "reshape",
    params="x, newshape",
    examples=(
        *(example(Array("b t d"), (_B, -1)), example(Array("b t 6"), [-1, 2, 3])),
        *(example(Array("b t 6"), (_B, _T, 4)), example(_BN, (_B, 1, _N)), example(_BN, -1)),
    ),
    like=reshape,
    tensor="x",
    shape="newshape",
)
keras_op(
    "transpose",
    params="x, axes=None",
    examples=(
        *(example(_X), example(_X, [2, 0, 1]), example(_X, axes=(0, 2, 1)), example(_X, [0, 1])),
        example(_X, [0, 1, 1]),
    ),
    like=permute,
    input="x",
    dims="axes",
)
keras_op(
    "expand_dims",
    params="x, axis",
    examples=(example(_BN, 0), example(_BN, axis=-1), example(_BN, 3), example(_RUN, -1)),
    like=expand_dims,
    input="x",
)
keras_op(
    "squeeze",
    params="x, axis=None",
    examples=(
        *(example(Array("b 1 d 1")), example(Array("b 1 d 1"), 1), example(Array("b 3 1"), 1)),
        example(Array("b 1 d 1"), axis=(1, 3)),
    ),
    like=squeeze,
    input="x",
    dim="axis",
)
keras_op(
    "swapaxes",
    params="x, axis1, axis2",
    examples=(example(_X, 1, 2), example(_X, -1, -2), example(_BN, 0, 2)),
    like=transpose,
    input="x",
    dim0="axis1",
    dim1="axis2",
)
keras_op(
    "moveaxis",
    params="x, source, destination",
    examples=(
        *(example(Array("b c h w"), 1, -1), example(Array("b c h w"), (1, 2), (-1, 0))),
        example(_BN, 2, 0),
    ),
    like=movedim,
    input="x",
)


def _flipped(call: Call) -> Value:
    array = call.tensor("x")
    if call["axis"] is not None:
        positions(call, array.shape, call["axis"])
    return array


keras_op(
    "flip",
    params="x, axis=None",
    examples=(example(_BN), example(_BN, 0), example(_BN, axis=(0, -1)), example(_BN, 2)),
    like=_flipped,
)


def _rolled(call: Call) -> Value:
    return call.tensor("x") if call["axis"] is None else _roll(call)


_roll = renamed(roll, input="x")
keras_op(
    "roll",
    params="x, shift, axis=None",
    examples=(example(_BN, 1), example(_BN, 1, 0), example(_BN, 1, axis=-1)),
    like=_rolled,
)


def _flat(call: Call) -> Value:
    array = call.tensor("x")
    count = array.shape.count
    return array.with_shape(Shape((Axis(Dim.fresh() if count is None else count),)))


keras_op("ravel", params="x", examples=(example(_BN), example(_X), example(_RUN)), like=_flat)
keras_op(
    "broadcast_to",
    params="x, shape",
    examples=(
        *(example(Array("b 1"), (_B, _N)), example(Array("n"), [_B, _N])),
        *(example(_BN, (_B, _N, 4)), example(_BN, (_N,))),
    ),
    like=broadcast_to,
    input="x",
)
keras_op(
    "tile",
    params="x, repeats",
    examples=(example(_BN, (2, 3)), example(_BN, 2), example(_BN, [1, Dim.name("k")])),
    like=tile_numpy,
    A="x",
    reps="repeats",
)
keras_op(
    "repeat",
    params="x, repeats, axis=None",
    examples=(example(_BN, 2, 1), example(_BN, 3, axis=0), example(_BN, 2), example(_BN, 2, 2)),
    like=lambda call: interleaved(call, call["repeats"], call["axis"]),
    input="x",
)


def _padded(call: Call) -> Value:
    """A pair of sizes for each axis; what one pair for all does is not followed."""
    pairs = call["pad_width"]
    if not isinstance(pairs, (tuple, list)) or not all(isinstance(e, (tuple, list)) for e in pairs):
        raise Undetermined("the padding is not known")
    if len(pairs) == 1:
        raise Undetermined("one pair may be that of all axes")
    given = {"tensor": call["x"], "paddings": pairs, "mode": "CONSTANT"}
    if call["mode"] != "constant":
        raise Undetermined("some modes pad only as far as there are elements")
    call.arguments = {**call.arguments, **given}
    return pad(call)


keras_op(
    "pad",
    params="x, pad_width, mode='constant', constant_values=None",
    examples=(example(_BN, [[0, 0], [1, 2]]), example(_BN, ((1, 1), (0, _N)))),
    like=_padded,
)


def _taken(call: Call) -> Value:
    """The axes of the indices in place of one axis; of all elements if none is named."""
    if call["axis"] is None:
        call.arguments = {**call.arguments, "x": _flat(call), "axis": Dim.of(0)}
    call.arguments = {**call.arguments, "batch_dims": Dim.of(0)}
    return _gathered(call)


_gathered = renamed(gathered, params="x")
keras_op(
    "take",
    params="x, indices, axis=None",
    examples=(
        *(example(Array("v d"), indices("b t"), 0), example(_X, indices("k"), axis=1)),
        *(example(_BN, indices("*a"), axis=-1), example(_BN, indices("k"), axis=2)),
        example(_BN, indices("k")),
    ),
    like=_taken,
)
keras_op(
    *("tril", "triu"),
    params="x, k=0",
    examples=(example(Array("n m")), example(Array("b n m"), 1)),
    like=triangle_numpy,
    input="x",
)
keras_op(
    "diagonal",
    params="x, offset=0, axis1=0, axis2=1",
    examples=(example(Array("n n")), example(Array("b n n"), 0, 1, 2)),
    like=diagonal,
    input="x",
    dim1="axis1",
    dim2="axis2",
)
