# SPDX-License-Identifier: Apache-2.0
"""Products of arrays as NumPy has them: of any ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.algebra.products import kron, tensordot
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import elementwise, meet
from typedtensors.ops.steps.matmul import contract, matmul, without_last
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _promoted(call: Call) -> DType:
    return promotion.promoted(call.framework, [call["a"], call["b"]])


@rule(
    *("numpy.dot", "numpy.ndarray.dot"),
    params="a, b, out=None",
    examples=(
        example(Array("n"), Array("n")),
        example(Array("m n"), Array("n k")),
        example(Array("m n"), Array("n")),
        example(Array("*a n"), Array("n")),
        example(Array("b m n"), Array("c n k")),
        example(Array("m n"), 2.0),
        example(Array("m n"), Array("k n")),
    ),
)
def dot(call: Call) -> Value:
    """A matrix product, and of more axes the sums over the last of one and all but them."""
    if any(isinstance(call[name], (bool, int, float, complex)) for name in ("a", "b")):
        return elementwise(call, "a", "b", dtype=ANY)
    one, two = call.tensor("a").shape, call.tensor("b").shape
    if 0 in (one.rank, two.rank):
        return elementwise(call, "a", "b", dtype=ANY)
    if not (one.least_rank and two.least_rank) or two.rank is None:
        raise Undetermined("the ranks are not known")
    if two.rank <= 2:
        return matmul(call, "a", "b")
    contract(call, ("a", -1), ("b", -2))
    return Tensor(Shape((*without_last(one).axes, *two.axes[:-2], two.axes[-1])), _promoted(call))


@rule(
    "numpy.inner",
    params="a, b",
    examples=(
        example(Array("n"), Array("n")),
        example(Array("b n"), Array("m n")),
        example(Array("b n"), Array("n m")),
    ),
)
def inner(call: Call) -> Value:
    """Each row of one with each row of the other."""
    one, two = call.tensor("a").shape, call.tensor("b").shape
    if None in (one.rank, two.rank) or 0 in (one.rank, two.rank):
        raise Undetermined("the ranks are not known, or numbers are multiplied")
    contract(call, ("a", -1), ("b", -1))
    return Tensor(Shape((*one.axes[:-1], *two.axes[:-1])), _promoted(call))


@rule(
    "numpy.vdot",
    params="a, b",
    examples=(example(Array("n"), Array("n")), example(Array("b n"), Array("b n"))),
)
def vdot(call: Call) -> Value:
    """The sum of products of all elements, in their order."""
    one, two = call.tensor("a").shape, call.tensor("b").shape
    if one.rank == two.rank == 1:
        contract(call, ("a", -1), ("b", -1))
    elif one != two or one.rank is None:
        raise Undetermined("whether there are as many elements is not known")
    return Tensor(Shape(()), _promoted(call))


@rule(
    "numpy.outer",
    params="a, b, out=None",
    examples=(example(Array("m"), Array("n")), example(Array("b m"), Array("n"))),
)
def outer(call: Call) -> Value:
    """Each element of one with each of the other."""
    counts = [call.tensor(name).shape.count for name in ("a", "b")]
    axes = tuple(Axis(Dim.fresh() if count is None else count) for count in counts)
    return Tensor(Shape(axes), _promoted(call))


@rule(
    "numpy.tensordot",
    params="a, b, axes=2",
    examples=(
        example(Array("b m n"), Array("m n k")),
        example(Array("b n"), Array("n k"), 1),
        example(Array("b m n"), Array("n k"), axes=([2], [0])),
        example(Array("b n"), Array("k n"), 1),
    ),
)
def tensordot_numpy(call: Call) -> Value:
    """The sum over pairs of axes, of the last of one and the first of the other by default."""
    axes = call["axes"]
    if isinstance(axes, Dim) and (axes.value is None or axes.value < 0):
        raise Undetermined("NumPy slices by a negative number")
    if isinstance(axes, (tuple, list)):
        axes = tuple(each if isinstance(each, (tuple, list)) else (each,) for each in axes)
    dtype = _promoted(call)
    return tensordot(replace_arguments(call, {**call.arguments, "dims": axes})).with_dtype(dtype)


@rule(
    "numpy.kron",
    params="a, b",
    examples=(example(Array("m n"), Array("j k")), example(Array("n"), Array("m k"))),
)
def kron_numpy(call: Call) -> Value:
    """Every element of one times all of the other: sizes are multiplied."""
    dtype = _promoted(call)
    renamed = {"input": call["a"], "other": call["b"]}
    return kron(replace_arguments(call, renamed)).with_dtype(dtype)


@rule(
    *("numpy.cross", "numpy.linalg.cross"),
    params="a, b, axis=-1, *, axisa=-1, axisb=-1, axisc=-1",
    examples=(
        example(Array("b 3"), Array("b 3")),
        example(Array("b 3"), Array("3")),
        example(Array("b n 3"), Array("b 1 3")),
    ),
)
def cross(call: Call) -> Value:
    """A third vector for each two of the last axis."""
    last = Dim.of(-1)
    if any(call[name] != last for name in ("axis", "axisa", "axisb", "axisc")):
        raise Undetermined("other axes than the last")
    for name in ("a", "b"):
        axis = call.tensor(name).shape.suffix[-1:]
        if not axis or axis[0].flexible or axis[0].dim.value != 3:
            raise Undetermined("vectors of two elements, or of how many is not known")
    return Tensor(meet(call, {"a": call["a"], "b": call["b"]}), _promoted(call))
