# SPDX-License-Identifier: Apache-2.0
"""Arrays of many axes taken for matrices, powers of vectors, and approximations of low rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most, product, smaller
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal, positions
from typedtensors.ops.steps.axes.reduction import reduction, require_inexact
from typedtensors.ops.steps.matrices import matrices
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _sizes(call: Call, name: str) -> tuple[Dim, ...]:
    dims = call.tensor(name).shape.dims
    if dims is None:
        raise Undetermined("the sizes are not known")
    return dims


def _require_square(call: Call, rows: Dim, columns: Dim) -> None:
    """Axes in front hold as many elements as those behind. Raises Conflicting if they do not."""
    if call.same(rows, columns) is Verdict.DIFFERENT:
        problem = f"a matrix of {rows} rows and {columns} columns"
        raise Conflicting(wording.sizes_misused(call.name, problem))


@rule(
    "torch.linalg.tensorinv",
    params="A, ind=2, *, out=None",
    examples=(
        example(Array("3 3"), 1),
        example(Array("2 3 6")),
        example(Array("2 3 5")),
        example(Array("2 3"), 0),
    ),
)
def tensorinv(call: Call) -> Value:
    """The axes behind come first: the inverse of a matrix of both."""
    array, at, sizes = call.tensor("A"), literal(call["ind"]), _sizes(call, "A")
    if at > len(sizes):
        raise Undetermined("more axes in front than there are")
    if at < 1:
        raise Conflicting(wording.misused(call.name, f"{at} axes in front"))
    _require_square(call, product(sizes[:at]), product(sizes[at:]))
    return array.with_shape(Shape.of(*sizes[at:], *sizes[:at]))


@rule(
    "torch.linalg.tensorsolve",
    params="A, B, dims=None, *, out=None",
    examples=(
        example(Array("3 3"), Array("3")),
        example(Array("2 3 6"), Array("2 3")),
        example(Array("2 3 5"), Array("2 3")),
        example(Array("2 6 3"), Array("2 3"), (1,)),
    ),
)
def tensorsolve(call: Call) -> Value:
    """The axes of the matrix that the right side does not have."""
    array, right, sizes = call.tensor("A"), call.tensor("B"), list(_sizes(call, "A"))
    if call["dims"] is not None:
        at = positions(call, array.shape, call["dims"])
        kept = [size for place, size in enumerate(sizes) if place not in at]
        sizes = [*kept, *(sizes[place] for place in at)]
    rank = len(_sizes(call, "B"))
    if array.dtype != right.dtype or tuple(sizes[:rank]) != right.shape.dims:
        raise Undetermined("the right side is not known to fit")
    _require_square(call, product(sizes[:rank]), product(sizes[rank:]))
    return array.with_shape(Shape.of(*sizes[rank:]))


@rule(
    "torch.linalg.vander",
    params="x, *, N=None",
    examples=(example(Array("3")), example(Array("*a n"), N=4), example(Array("n"), N=1)),
)
def vander(call: Call) -> Value:
    """The powers of each element, as many as there are elements unless a number is given."""
    array = call.tensor("x")
    if not array.shape.suffix:
        raise Undetermined("the last axis is not known")
    last = array.shape.suffix[-1]
    count = Axis(call.dim("N")) if call["N"] is not None else last
    size = call.facts.resolve(count.dim)
    if at_most(size, Dim.of(1)):
        raise Conflicting(wording.misused(call.name, f"{size} powers"))
    if size.value is None:
        raise Undetermined("one power is none")
    numbers = promotion.kinds(array.dtype)
    dtype = promotion.summed(call.framework, array.dtype)
    if numbers is None or "bool" in numbers:
        raise Undetermined("the dtype is not known")
    return Tensor(Shape((*array.shape.axes, count)), dtype)


_LOW = (example(Array("9 8")), example(Array("b 9 8"), 2), example(Array("3 5"), q=2))


@rule(
    "torch.svd_lowrank",
    params="A, q=6, niter=2, M=None",
    examples=_LOW,
)
@rule(
    "torch.pca_lowrank",
    params="A, q=None, center=True, niter=2",
    examples=(*_LOW, example(Array("3 5"), 4)),
)
def low_rank(call: Call) -> Value:
    """Thin factors on both sides of as many singular values as are asked for."""
    array, found = call.tensor("A"), matrices(call, "A")
    require_inexact(call, array)
    least = call.facts.resolve(found.smaller)
    asked = Dim.of(6) if call["q"] is None else call.dim("q")
    if least.value is None or asked.value is None or call.arguments.get("M") is not None:
        raise Undetermined("there may be fewer singular values")
    if asked.value < 0 or (call.name == "pca_lowrank" and call["q"] and asked.value > least.value):
        raise Conflicting(wording.misused(call.name, f"{asked} of {least} singular values"))
    count = smaller(asked, least)
    values = Tensor(found.shape(count), promotion.real(array.dtype))
    sides = (found.shape(side, count) for side in (found.rows, found.columns))
    left, right = map(array.with_shape, sides)
    return left, values, right


rule(
    "torch.frobenius_norm",
    params="input, dim, keepdim=False, *, out=None",
    examples=(example(Array("b n"), (1,)), example(Array("b n m"), (-2, -1), True)),
)(reduction(lambda _call, dtype: promotion.real(dtype)))


@rule(
    "torch.norm_except_dim",
    params="v, pow=2, dim=0",
    examples=(example(Array("b n m")), example(Array("b n"), 2, 1), example(Array("b n"), 2, -1)),
)
def norm_except(call: Call) -> Value:
    """One norm for each position along an axis; -1 stands for no axis."""
    array = call.tensor("v")
    require_inexact(call, array)
    array, dims = array.with_dtype(promotion.real(array.dtype)), _sizes(call, "v")
    at = literal(call["dim"])
    if at == -1:
        return array.with_shape(Shape(()))
    if at not in (0, len(dims) - 1) or not dims:
        raise Undetermined("torch takes the first axis or the last")
    kept = [size if place == at else Dim.of(1) for place, size in enumerate(dims)]
    return array.with_shape(Shape.of(*kept))


@rule(
    "torch.nuclear_norm",
    params="input, dim=None, keepdim=False, *, out=None",
    examples=(example(Array("n m")), example(Array("b n m"), (1, 2)), example(Array("b n m"))),
)
def nuclear_norm(call: Call) -> Value:
    """The sum of the singular values of each matrix."""
    array = call.tensor("input")
    require_inexact(call, array)
    dims = (Dim.of(-2), Dim.of(-1)) if call["dim"] is None else call["dim"]
    at = positions(call, array.shape, dims)
    if len(at) != 2 or call["keepdim"] is not False:
        raise Undetermined("the matrices are not known")
    kept = tuple(part for place, part in enumerate(array.shape.axes) if place not in at)
    return Tensor(Shape(kept), promotion.real(array.dtype))
