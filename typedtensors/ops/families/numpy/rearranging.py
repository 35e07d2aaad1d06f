# SPDX-License-Identifier: Apache-2.0
"""Elements moved, picked and put side by side, in NumPy's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.indexing.scattering import take_along_dim
from typedtensors.ops.families.indexing.triangles import diagonal
from typedtensors.ops.families.layout.joining import columns
from typedtensors.ops.families.reductions.differences import diff
from typedtensors.ops.families.reductions.ordering import roll
from typedtensors.ops.families.spatial.patches import windowed
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import position, positions
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _renamed(call: Call, **words: str) -> Call:
    """The call with arguments by the names that torch has for them."""
    given = {torch: call[ours] for ours, torch in words.items()}
    return replace_arguments(call, {**call.arguments, **given})


@rule(
    *("numpy.ascontiguousarray", "numpy.asanyarray"),
    params="a, dtype=None",
    examples=(example(Array("b n")), example(Array("*a n"))),
)
def kept(call: Call) -> Tensor:
    """The array, perhaps in another place."""
    array = call.tensor("a")
    if array.shape.least_rank < 1:
        raise Undetermined("of a scalar there is a vector")
    return array if call["dtype"] is None else array.with_dtype(ANY)


@rule(
    "numpy.flip",
    params="m, axis=None",
    examples=(example(Array("b n")), example(Array("b n"), 0), example(Array("b n"), (0, -1))),
)
def flip(call: Call) -> Value:
    """Axes in reverse."""
    array = call.tensor("m")
    if call["axis"] is not None:
        positions(call, array.shape, call["axis"])
    return array


@rule(
    "numpy.roll",
    params="a, shift, axis=None",
    examples=(example(Array("b n"), 1), example(Array("b n"), 1, 0), example(Array("b n"), 1, 2)),
)
def rolled(call: Call) -> Value:
    """Elements moved along axes; what falls off comes back at the other end."""
    if isinstance(call["shift"], (tuple, list)) or isinstance(call["axis"], (tuple, list)):
        return call.tensor("a")
    return roll(_renamed(call, a="input", shift="shifts", axis="dims"))


@rule(
    "numpy.diff",
    params="a, n=1, axis=-1",
    examples=(example(Array("b n")), example(Array("b 7"), 2), example(Array("n b"), axis=0)),
)
def differences(call: Call) -> Value:
    """One element less for each time that neighbors are subtracted."""
    absent = {"prepend": None, "append": None}
    call = replace_arguments(call, {**call.arguments, **absent})
    return diff(_renamed(call, a="input", axis="dim"))


@rule(
    *("numpy.diagonal", "numpy.ndarray.diagonal"),
    params="a, offset=0, axis1=0, axis2=1",
    examples=(example(Array("n n")), example(Array("b n m"), 0, 1, 2), example(Array("b 5 7"), 1)),
)
def diagonal_numpy(call: Call) -> Value:
    """Two axes become one, the last."""
    return diagonal(_renamed(call, a="input", axis1="dim1", axis2="dim2"))


@rule(
    *("numpy.trace", "numpy.ndarray.trace"),
    params="a, offset=0, axis1=0, axis2=1",
    examples=(example(Array("n n")), example(Array("b n m"), 0, 1, 2)),
)
def trace(call: Call) -> Value:
    """The sum of a diagonal, in place of two axes."""
    shape = call.tensor("a").shape
    at = positions(call, shape, (call["axis1"], call["axis2"]))
    kept = tuple(part for index, part in enumerate(shape.axes) if index not in at)
    return Tensor(Shape(kept), promotion.summed(call.framework, call.tensor("a").dtype))


@rule(
    *("numpy.take", "numpy.ndarray.take"),
    params="a, indices, axis=None, out=None, mode='raise'",
    examples=(
        example(Array("b n"), indices("k"), axis=1),
        example(Array("b n"), indices("j k"), axis=0),
        example(Array("b n"), 0, axis=1),
        example(Array("n"), indices("k")),
    ),
)
def take(call: Call) -> Value:
    """One axis is replaced by those of the indices; of all elements if no axis is named."""
    array, index = call.tensor("a"), call["indices"]
    if isinstance(index, Dim):
        index = Tensor(Shape(()))
    if not isinstance(index, Tensor) or index.shape.rank is None:
        raise Undetermined("the indices are not known")
    if call["axis"] is None:
        return array.with_shape(index.shape)
    at = position(call, array.shape, call["axis"])
    return array.with_shape(array.shape.replace(at, *index.shape.axes))


@rule(
    "numpy.take_along_axis",
    params="arr, indices, axis=-1",
    examples=(
        example(Array("b n"), indices("b k"), 1),
        example(Array("b t n"), indices("b t 1"), axis=-1),
        example(Array("b t n"), indices("b k"), 1),
    ),
)
def take_along_axis(call: Call) -> Value:
    """As the indices along one axis; along the others both broadcast."""
    if call["axis"] is None:
        raise Undetermined("of all elements")
    return take_along_dim(_renamed(call, arr="input", axis="dim"))


@rule(
    *("numpy.column_stack", "numpy.dstack"),
    params="tup",
    examples=(
        example([Array("b"), Array("b")]),
        example([Array("b n"), Array("b m")]),
        example([Array("b"), Array("c")]),
    ),
)
def columns_numpy(call: Call) -> Value:
    """Vectors as columns of a matrix, or what each of them holds along a third axis."""
    return columns(_renamed(call, tup="tensors"))


@rule(
    "numpy.lib.stride_tricks.sliding_window_view",
    params="x, window_shape, axis=None, *, subok=False, writeable=False",
    examples=(
        example(Array("n"), 3),
        example(Array("9 d"), 4, axis=0),
        example(Array("b 9"), (3,), axis=-1),
        example(Array("b n d"), 2, 1),
    ),
)
def sliding_windows(call: Call) -> Value:
    """The windows' positions on an axis, and one more axis at the end with what each holds."""
    shape, size, at = call.tensor("x").shape, call["window_shape"], call["axis"]
    size = size[0] if isinstance(size, (tuple, list)) and len(size) == 1 else size
    if at is None and shape.rank == 1:
        at = Dim.of(0)
    if not isinstance(size, Dim) or not isinstance(at, Dim):
        raise Undetermined("windows over several axes")
    words = {"input": call["x"], "dimension": at, "size": size, "step": Dim.of(1)}
    return windowed(replace_arguments(call, words))


@rule(
    *("numpy.argwhere", "numpy.flatnonzero"),
    params="a",
    examples=(example(Array("b n")), example(Array("b n", "Bool"))),
)
def found(call: Call) -> Value:
    """One row of positions for each element that is not 0, or one position among all."""
    rank, row = call.tensor("a").shape.rank, Axis(Dim.fresh("found"))
    if call.name == "flatnonzero":
        return Tensor(Shape((row,)), promotion.INT64)
    return Tensor(
        Shape((row, Axis(Dim.fresh() if rank is None else Dim.of(rank)))), promotion.INT64
    )


@rule(
    *("numpy.nonzero", "numpy.ndarray.nonzero"),
    params="a",
    examples=(example(Array("b n")), example(Array("n", "Bool"))),
)
def nonzero(call: Call) -> Value:
    """For each axis the positions of the elements that are not 0."""
    rank, row = call.tensor("a").shape.rank, Axis(Dim.fresh("found"))
    if not rank:
        raise Undetermined("the number of axes is not known")
    return tuple(Tensor(Shape((row,)), promotion.INT64) for _ in range(rank))
