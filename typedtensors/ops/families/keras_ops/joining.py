# SPDX-License-Identifier: Apache-2.0
"""Ops of Keras that make one array of several, and several of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.families.layout.joining import cat, hstack, stack, tensors
from typedtensors.ops.families.layout.splitting import tensor_split
from typedtensors.ops.families.tensorflow.joining import meshgrid, split_evenly, unstack
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.steps.keras.ops import keras_op
from typedtensors.ops.steps.renaming import renamed
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X, _BN = Array("b n d"), Array("b n")

keras_op(
    "concatenate",
    params="xs, axis=0",
    examples=(
        *(example([_BN, Array("b m")], 1), example((_BN, Array("c n"))), example([_BN, _BN], -1)),
        *(example([_BN, Array("m b")], axis=1), example([_BN, Array("b")], 1)),
        example([Array("*r n"), Array("*r m")], -1),
    ),
    like=cat,
    tensors="xs",
    dim="axis",
)
keras_op(
    "stack",
    params="x, axis=0",
    examples=(
        *(example([_BN, _BN]), example((_BN, _BN, _BN), -1), example([_BN, Array("n b")], 1)),
        *(example([_BN, _BN], 3), example([Array("*r n"), Array("*r n")], axis=-1)),
    ),
    like=stack,
    tensors="x",
    dim="axis",
)


def _stacked(call: Call) -> Value:
    """Joined on the second axis, or for vstack on the first."""
    if any((array.shape.rank or 0) < 2 for array in tensors(call, "xs")):
        raise Undetermined("what becomes of vectors is not known")
    return _hstack(call)


_hstack = renamed(hstack, tensors="xs")
keras_op(
    *("vstack", "hstack"),
    params="xs",
    examples=(example([_BN, _BN]), example([_X, _X]), example([_BN, Array("b m")])),
    like=_stacked,
)


def _pieces(call: Call) -> Value:
    """So many equal pieces, or those between places."""
    if isinstance(call["indices_or_sections"], Dim):
        return _equal_pieces(call)
    call.arguments = {**call.arguments, "sections": call["indices_or_sections"], "dim": None}
    _require_places(call)
    found = _between(call)
    return list(found) if isinstance(found, tuple) else found


def _require_places(call: Call) -> None:
    """Places that are not in order, or beyond the end, are no way to split."""
    array, places = call.tensor("x"), call["indices_or_sections"]
    size = array.shape.axes[position(call, array.shape, call["axis"])]
    if not isinstance(size, Axis) or not isinstance(places, (tuple, list)):
        raise Undetermined("the pieces are not known")
    found = [literal(place) for place in places]
    last = size.dim.value
    if found != sorted(found) or any(place < 0 or place > (last or 0) for place in found):
        raise Undetermined("the pieces are not known")


_equal_pieces = renamed(split_evenly, value="x", num_or_size_splits="indices_or_sections")
_between = renamed(tensor_split, input="x")
keras_op(
    "split",
    params="x, indices_or_sections, axis=0",
    examples=(
        *(example(Array("b 6"), 3, 1), example(Array("b 3*n"), 3, axis=-1)),
        *(example(Array("b 7"), 3, 1), example(Array("7 n"), [2, 5])),
    ),
    like=_pieces,
)
keras_op(
    "unstack",
    params="x, num=None, axis=0",
    examples=(
        example(Array("3 n")),
        example(Array("b 2"), axis=1),
        example(Array("b 2"), None, -1),
    ),
    like=unstack,
    value="x",
)
keras_op(
    "meshgrid",
    params="*x, indexing='xy'",
    examples=(
        *(example(Array("n"), Array("m")), example(Array("n"), Array("m"), indexing="ij")),
        example(Array("n"), Array("m"), Array("k")),
    ),
    like=meshgrid,
    arrays="x",
)
