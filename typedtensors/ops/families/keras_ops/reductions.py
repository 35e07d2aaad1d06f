# SPDX-License-Identifier: Apache-2.0
"""Ops of Keras that fold axes, or run along one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.families.tensorflow.reductions import along, top_k
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import Words, folded, reduction, same
from typedtensors.ops.steps.keras.ops import keras_op
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X, _RUN = Array("b n d"), Array("*a d")
_WORDS = Words("x", "axis", "keepdims")
_CALLS = (
    *(example(_X), example(_X, -1), example(_X, 1, True), example(_X, axis=(0, -1))),
    *(example(_X, axis=(0, 2), keepdims=True), example(_RUN, -1), example(_X, 3)),
)
_MASKS = (example(Array("b n", "Bool")), example(Array("b n", "Bool"), 1, keepdims=True))
_PARAMS = "x, axis=None, keepdims=False"

keras_op(
    *("mean", "sum", "std", "var", "logsumexp"),
    params=_PARAMS,
    examples=_CALLS,
    like=reduction(same, _WORDS),
)
keras_op(
    *("max", "min", "amax", "amin"),
    params=f"{_PARAMS}, **initial",
    examples=_CALLS,
    like=reduction(same, _WORDS),
)
keras_op(
    "prod",
    params=f"{_PARAMS}, **dtype",
    examples=_CALLS,
    like=reduction(same, _WORDS),
)
keras_op(
    *("any", "all"),
    params=_PARAMS,
    examples=_MASKS,
    like=reduction(same, _WORDS),
    bools=True,
)


def _position(call: Call) -> Tensor:
    return folded(call, ANY, _WORDS)


keras_op(
    *("argmax", "argmin"),
    params=_PARAMS,
    examples=(*(example(_X, at) for at in (-1, 1, 3)), example(_X, 1, True), example(_RUN, -1)),
    like=_position,
)
keras_op(
    "count_nonzero",
    params="x, axis=None",
    examples=(example(_X), example(_X, -1), example(_X, (0, 1)), example(_RUN, axis=-1)),
    like=_position,
)


def _norm(call: Call) -> Value:
    """Of a vector or a matrix, or along one axis or two."""
    if call["axis"] is None and call.tensor("x").shape.rank not in (1, 2):
        raise Undetermined("neither a vector nor a matrix")
    return folded(call, call.tensor("x").dtype, _WORDS)


keras_op(
    "norm",
    params="x, ord=None, axis=None, keepdims=False",
    examples=(
        *(example(Array("n d")), example(_X, axis=-1), example(_RUN, axis=-1)),
        *(example(_X, 1, 1), example(_X, axis=(0, 1), keepdims=True)),
    ),
    like=_norm,
)


def _running(call: Call) -> Value:
    """Along one axis; along all elements if none is named."""
    array = call.tensor("x")
    if call["axis"] is not None:
        return along("x")(call)
    count = array.shape.count
    return array.with_shape(Shape((Axis(Dim.fresh() if count is None else count),)))


keras_op(
    *("cumsum", "cumprod"),
    params="x, axis=None, dtype=None",
    examples=(
        *(example(Array("b n"), axis=-1), example(Array("b n d"), 1), example(_RUN, -1)),
        *(example(Array("b n"), 2), example(Array("b n"))),
    ),
    like=_running,
)


def _top(call: Call) -> Value:
    if call["sorted"] is not True:
        raise Undetermined("the order is not known")
    call.arguments = {**call.arguments, "index_type": None}
    return top_k(call)


keras_op(
    "top_k",
    params="x, k, sorted=True",
    examples=(
        *(example(Array("b n"), 1), example(Array("b 5"), 3), example(Array("b 5"), 6)),
        example(Array("*a 5"), k=2),
    ),
    like=_top,
    input="x",
)
