# SPDX-License-Identifier: Apache-2.0
"""Products and factors of Keras's, and what its ops make of sizes and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, at_most
from typedtensors.ops.families.algebra.einsum import einsum
from typedtensors.ops.families.indexing.inspection import numel, rank, shape
from typedtensors.ops.families.tensorflow.algebra import tensordot
from typedtensors.ops.families.tensorflow.creation import like as like_array, one_hot
from typedtensors.ops.families.tensorflow.unary import dtype_of
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.sizes import parts, require_sizes, shape_of
from typedtensors.ops.steps.keras.ops import keras_op
from typedtensors.ops.steps.loss import require_same_shape
from typedtensors.ops.steps.matmul import matmul
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_B, _N = Dim.name("b"), Dim.name("n")
_BN = Array("b n")

keras_op(
    "matmul",
    params="x1, x2",
    examples=(
        *(example(Array("m k"), Array("k n")), example(Array("b m k"), Array("b k n"))),
        *(example(Array("b m k"), Array("k n")), example(Array("m k"), Array("k"))),
        *(example(Array("m k"), Array("n k")), example(Array("b m k"), Array("c k n"))),
    ),
    like=lambda call: matmul(call, "x1", "x2"),
)


def _summed(call: Call) -> Value:
    """As TensorFlow's; Keras takes some arrays that have more axes than the equation names."""
    equation, operands = call["equation"], call["operands"]
    if not isinstance(equation, str) or not isinstance(operands, tuple):
        raise Undetermined("the equation is not known")
    for labels, array in zip(equation.partition("->")[0].split(","), operands, strict=False):
        if "..." in labels or not isinstance(array, Tensor) or array.shape.rank != len(labels):
            raise Undetermined("there may be more axes")
    found = einsum(call)
    if call.broadcasts:
        raise Undetermined("Keras stretches some axes of size 1, and others not")
    return found


keras_op(
    "einsum",
    params="equation, *operands, **words",
    examples=(
        *(example("ij,jk->ik", Array("i j"), Array("j k")), example("ij->ji", Array("i j"))),
        *(example("bhqd,bhkd->bhqk", Array("b h q d"), Array("b h k d")),),
        *(example("ij,jk->ik", Array("i j"), Array("k j")), example("ij->", Array("i j"))),
    ),
    like=_summed,
)
keras_op(
    "tensordot",
    params="x1, x2, axes=2",
    examples=(
        *(example(Array("b t d"), Array("d e"), 1), example(_BN, _BN)),
        *(example(Array("b t d"), Array("e d"), [[2], [1]]), example(_BN, Array("b n"), 1)),
    ),
    like=tensordot,
    a="x1",
    b="x2",
)


def _outer(call: Call) -> Value:
    """Each element of one times each of the other."""
    counts = [call.tensor(name).shape.count for name in ("x1", "x2")]
    axes = tuple(Axis(Dim.fresh() if count is None else count) for count in counts)
    return call.tensor("x1").with_shape(Shape(axes))


keras_op(
    "outer",
    params="x1, x2",
    examples=(example(Array("n"), Array("m")), example(_BN, Array("m"))),
    like=_outer,
)


def _made(call: Call) -> Value:
    """An array of the given sizes."""
    given = parts(call["shape"])
    require_sizes(call, given)
    return Tensor(shape_of(given), ANY)


_SIZED = (example((_B, _N)), example([_B, 3]), example((_B, -1)))
keras_op("zeros", "ones", params="shape, dtype=None", examples=_SIZED, like=_made)
keras_op(
    "full",
    params="shape, fill_value, dtype=None",
    examples=(example((_B, _N), 0.5), example([_B], 3)),
    like=_made,
)
for _name, _more in (
    *(("normal", "mean=0.0, stddev=1.0, "), ("truncated_normal", "mean=0.0, stddev=1.0, ")),
    ("uniform", "minval=0.0, maxval=1.0, "),
):
    keras_op(
        _name,
        params=f"shape, {_more}dtype=None, seed=None",
        examples=_SIZED,
        like=_made,
        home="keras.random",
    )


def _between(call: Call) -> Value:
    """An array of integers that are at least one and less than another one."""
    least, limit = call["minval"], call["maxval"]
    if isinstance(least, Dim) and isinstance(limit, Dim) and at_most(limit, least):
        raise Undetermined("there is no such integer")
    return _made(call)


keras_op(
    "randint",
    params="shape, minval, maxval, dtype='int32', seed=None",
    examples=(example((_B, _N), 0, 5), example([_B], 1, 3)),
    like=_between,
    home="keras.random",
)
keras_op(
    "dropout",
    params="inputs, rate, noise_shape=None, seed=None",
    examples=(example(_BN, 0.5), example(Array("*a"), rate=0.25)),
    like=lambda call: call.tensor("inputs"),
    home="keras.random",
)
keras_op(
    "shuffle",
    params="x, axis=0, seed=None",
    examples=(example(_BN), example(Array("b n d"))),
    like=lambda call: call.tensor("x"),
    home="keras.random",
)
keras_op(
    *("zeros_like", "ones_like"),
    params="x, dtype=None",
    examples=(example(_BN), example(Array("*a n"), "float64"), example(Array(""))),
    like=like_array,
    input="x",
)
keras_op(
    "full_like",
    params="x, fill_value, dtype=None",
    examples=(example(_BN, 0.5), example(Array("*a n"), 2)),
    like=like_array,
    input="x",
)


def _eye(call: Call) -> Value:
    """The identity matrix, square unless `M` says otherwise."""
    rows = call.dim("N")
    if call["k"] != Dim.of(0):
        raise Undetermined("the diagonal may not be there")
    columns = rows if call["M"] is None else call.dim("M")
    require_sizes(call, (Axis(rows), Axis(columns)))
    return Tensor(Shape((Axis(rows), Axis(columns))), ANY)


keras_op(
    "eye",
    params="N, M=None, k=0, dtype=None",
    examples=(example(_N), example(_N, _B), example(3)),
    like=_eye,
)


def _arange(call: Call) -> Value:
    """As many numbers as fit from 0, or between two, by steps of 1."""
    start, stop, step = call["start"], call["stop"], call["step"]
    start, stop = (Dim.of(0), start) if stop is None else (start, stop)
    if step not in (None, Dim.of(1)) or not isinstance(start, Dim) or not isinstance(stop, Dim):
        raise Undetermined("the numbers are not known")
    count = stop - start
    if count.value is not None and count.value < 0:
        raise Undetermined("no numbers")
    if count.value is None and start != Dim.of(0):
        raise Undetermined("there may be no numbers")
    return Tensor(Shape((Axis(count),)), ANY)


keras_op(
    "arange",
    params="start, stop=None, step=None, dtype=None",
    examples=(example(_N), example(0, _N), example(7), example(2, 9)),
    like=_arange,
)


def _linspace(call: Call) -> Value:
    """The given number of numbers between two others."""
    if not all(isinstance(call[name], (Dim, float)) for name in ("start", "stop")):
        raise Undetermined("the ends decide the shape")
    count = call.dim("num")
    if call["retstep"] is not False or (count.value is not None and count.value < 1):
        raise Undetermined("what is returned is not known")
    return Tensor(Shape((Axis(count),)), ANY)


keras_op(
    "linspace",
    params="start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
    examples=(example(0.0, 1.0, _N), example(0.0, 1.0), example(0.0, 1.0, num=5)),
    like=_linspace,
)


def _one_hot(call: Call) -> Value:
    """One more axis of so many classes."""
    if call["sparse"] is not False or isinstance(call["indices"], (list, tuple)):
        raise Undetermined("a sparse array, or a list")
    call.arguments = {**call.arguments, "on_value": None, "off_value": None}
    return one_hot(call)


keras_op(
    "one_hot",
    params="x, num_classes, axis=-1, dtype=None, sparse=False",
    examples=(
        *(example(indices("b"), Dim.name("c")), example(indices("*a"), 10)),
        *(example(indices("b t"), 5, axis=1), example(indices("b t"), num_classes=5)),
    ),
    like=_one_hot,
    indices="x",
    depth="num_classes",
)


def _cast(call: Call) -> Value:
    array = call.tensor("x")
    return array.with_dtype(dtype_of(call["dtype"]))


keras_op(
    "cast",
    params="x, dtype",
    examples=(example(_BN, "float64"), example(Array("*a", "Int32"), "float32")),
    like=_cast,
)


def _converted(call: Call) -> Value:
    array = call.tensor("x")
    return array if call["dtype"] is None else array.with_dtype(ANY)


keras_op(
    "convert_to_tensor",
    params="x, dtype=None, sparse=None, ragged=None",
    examples=(example(_BN), example(Array("*a"), dtype="float64")),
    like=_converted,
)
_SHOWN = (example(_BN), example(Array("")))
keras_op("shape", params="x", examples=_SHOWN, like=shape, input="x")
keras_op("ndim", params="x", examples=_SHOWN, like=rank, input="x")
keras_op("size", params="x", examples=_SHOWN, like=numel, input="x")


def _compared(call: Call) -> Value:
    """A loss for each element; both have one shape."""
    require_same_shape(call, "target", "output")
    return call.tensor("output")


keras_op(
    "binary_crossentropy",
    params="target, output, from_logits=False",
    examples=(example(_BN, _BN), example(_BN, Array("n b")), example(Array("b"), Array("b 1"))),
    like=_compared,
)
