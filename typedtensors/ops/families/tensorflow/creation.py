# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's arrays made from sizes: constants, random numbers, rows of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.families.creation.sequences import arange
from typedtensors.ops.families.creation.sized import made
from typedtensors.ops.families.tensorflow.unary import array_of, dtype_of
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import insertion
from typedtensors.ops.steps.axes.sizes import parts, shape_of
from typedtensors.shapes import ANY, Axis, DType, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_B, _N = Dim.name("b"), Dim.name("n")
_FLOAT32, _FLOAT64, _INT32 = map(DType.exactly, ("float32", "float64", "int32"))
_SIZED = (
    *(example((_B, _N)), example([_N]), example(())),
    *(example((_B, 1), dtype=_FLOAT64), example((_B, -1))),
)


def _typed(call: Call, default: DType) -> DType:
    return default if call["dtype"] is None else dtype_of(call["dtype"])


def filled(call: Call) -> Value:
    """An array of the given sizes."""
    return made(call, parts(call["shape"]), _typed(call, _FLOAT32))


rule(
    *tensorflow_names("zeros", "ones"),
    params="shape, dtype=None, name=None, layout=None",
    examples=_SIZED,
)(filled)
rule(
    *tensorflow_names("random.normal", "random.truncated_normal"),
    params="shape, mean=0.0, stddev=1.0, dtype=None, seed=None, name=None",
    examples=(*_SIZED, example((_B,), 0.0, 2.0)),
)(filled)
rule(
    *tensorflow_names("random.uniform"),
    params="shape, minval=0, maxval=None, dtype=None, seed=None, name=None",
    examples=(*_SIZED, example((_B,), 0, 5, _INT32)),
)(filled)


@rule(
    *tensorflow_names("fill"),
    params="dims, value, name=None, layout=None",
    examples=(example((_B, _N), 0.5), example([_B], 3), example((_B, -1), 1)),
)
def fill(call: Call) -> Value:
    """An array of one value."""
    return made(call, parts(call["dims"]), ANY)


@rule(
    *tensorflow_names("zeros_like", "ones_like"),
    params="input, dtype=None, name=None, layout=None",
    examples=(example(Array("b n")), example(Array("*a n"), _FLOAT64), example(Array(""))),
)
def like(call: Call) -> Value:
    """The shape and dtype of another array."""
    array = call.tensor("input")
    return Tensor(array.shape, _typed(call, array.dtype))


@rule(
    *tensorflow_names("eye", "linalg.eye"),
    params="num_rows, num_columns=None, batch_shape=None, dtype=None, name=None",
    examples=(
        *(example(_N), example(_N, _B), example(_N, batch_shape=[_B]), example(3, dtype=_FLOAT64)),
    ),
)
def eye(call: Call) -> Value:
    """The identity matrix, square unless `num_columns` says otherwise."""
    rows = call.dim("num_rows")
    columns = rows if call["num_columns"] is None else call.dim("num_columns")
    batch = () if call["batch_shape"] is None else parts(call["batch_shape"])
    return made(call, (*batch, Axis(rows), Axis(columns)), _typed(call, _FLOAT32))


@rule(
    *tensorflow_names("range"),
    params="*numbers, delta=1, dtype=None, name=None",
    examples=(
        *(example(_N), example(0, _N), example(1, _N + 1), example(0, _N, 2), example(7)),
        *(example(2, 9, delta=3), example(_N, dtype=_FLOAT32)),
    ),
)
def number_range(call: Call) -> Value:
    """As many numbers as steps fit."""
    step = None if call["delta"] == Dim.of(1) else call["delta"]
    more = {"start": None, "end": None, "stop": None, "step": step}
    call.arguments = {**call.arguments, **more}
    found = arange(call)
    if not isinstance(found, Tensor):
        raise Undetermined("the numbers are not known")
    return found.with_dtype(ANY if call["dtype"] is None else dtype_of(call["dtype"]))


@rule(
    *tensorflow_names("linspace"),
    params="start, stop, num, name=None, axis=0",
    examples=(example(0.0, 1.0, _N), example(0.0, 1.0, num=5)),
)
def linspace(call: Call) -> Value:
    """The given number of numbers between two others."""
    ends = (call["start"], call["stop"])
    if not all(isinstance(end, (Dim, float)) for end in ends):
        raise Undetermined("the ends decide the shape")
    count = call.dim("num")
    if count.value is not None and count.value < 1:
        raise Undetermined("fewer numbers than one")
    return made(call, (Axis(count),), ANY)


@rule(
    *tensorflow_names("one_hot"),
    params="indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None",
    examples=(
        *(example(indices("b"), Dim.name("c")), example(indices("*a"), 10)),
        *(example(indices("b t"), depth=5, axis=1), example(indices("b"), 3, dtype=_FLOAT64)),
        example(indices("b"), 3, axis=3),
    ),
)
def one_hot(call: Call) -> Value:
    """One more axis, of size `depth`, behind the others unless `axis` says otherwise."""
    array, depth = array_of(call, call["indices"]), call["depth"]
    number = Dim.of(-1) if call["axis"] is None else call["axis"]
    if isinstance(number, Dim) and number.value is not None and number.value < -1:
        raise Undetermined("TensorFlow knows -1 alone of the negative axes")
    at = insertion(call, array.shape, number)
    new = Axis(depth if isinstance(depth, Dim) else Dim.fresh("depth"))
    if new.dim.value is not None and new.dim.value < 0:
        raise Undetermined("a negative depth")
    axes = array.shape.axes
    given = (call["on_value"], call["off_value"])
    dtype = _typed(call, _FLOAT32) if given == (None, None) else ANY
    return Tensor(shape_of((*axes[:at], new, *axes[at:])), dtype)


@rule(
    *tensorflow_names("sequence_mask"),
    params="lengths, maxlen=None, dtype=None, name=None",
    examples=(
        *(example(indices("b"), Dim.name("t")), example(indices("b h"), maxlen=7)),
        *(example(indices("b")), example(indices("b"), 4, _FLOAT32)),
    ),
)
def sequence_mask(call: Call) -> Value:
    """One more axis, as long as the longest sequence or as `maxlen` says."""
    array, longest = array_of(call, call["lengths"]), call["maxlen"]
    last = Axis(longest if isinstance(longest, Dim) else Dim.fresh("maxlen"))
    if last.dim.value is not None and last.dim.value < 1:
        raise Undetermined("no elements")
    return Tensor(shape_of((*array.shape.axes, last)), _typed(call, DType.exactly("bool")))


@rule(
    *tensorflow_names("random.shuffle"),
    params="value, seed=None, name=None",
    examples=(example(Array("b n")), example(Array("b *a"))),
)
def shuffle(call: Call) -> Value:
    """The same array in another order."""
    return call.tensor("value")


@rule(
    *tensorflow_names("random.categorical"),
    params="logits, num_samples, dtype=None, seed=None, name=None",
    examples=(example(Array("b c"), _N), example(Array("b c"), 3)),
)
def categorical(call: Call) -> Value:
    """Draws for each row of logits."""
    logits = call.tensor("logits")
    if logits.shape.rank != 2:
        raise Undetermined("the logits are not known to be a matrix")
    count = call["num_samples"]
    draws = Axis(count if isinstance(count, Dim) else Dim.fresh())
    return made(call, (logits.shape.axes[0], draws), _typed(call, DType.exactly("int64")))
