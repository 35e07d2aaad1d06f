# SPDX-License-Identifier: Apache-2.0
"""Products of arrays other than the matrix product."""

from __future__ import annotations

from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.families.layout.joining import tensors
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal, position, positions
from typedtensors.ops.steps.axes.reduction import fold
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import require_one_rank
from typedtensors.ops.steps.matmul import contract, require_one_kind, without_last
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _promoted(call: Call, *names: str) -> DType:
    """The dtype of a product of arrays of one dtype."""
    found = {call.tensor(name).dtype for name in names}
    return found.pop() if len(found) == 1 else ANY


@rule(
    *torch_names("inner"),
    params="input, other, *, out=None",
    examples=(
        example(Array("n"), Array("n")),
        example(Array("b n"), Array("m n")),
        example(Array("*a n"), Array("n")),
        example(Array("b n"), Array("n m")),
    ),
)
def inner(call: Call) -> Value:
    """Each row of one with each row of the other."""
    one, other = call.tensor("input"), call.tensor("other")
    if not (one.shape.least_rank and other.shape.least_rank):
        raise Undetermined("a number times an array")
    contract(call, ("input", -1), ("other", -1))
    lead = (*without_last(one.shape).axes, *without_last(other.shape).axes)
    if None in (one.shape.rank, other.shape.rank) and len(lead) > 1:
        raise Undetermined("the ranks are not known")
    return Tensor(Shape(lead), _promoted(call, "input", "other"))


@rule(
    *torch_names("kron"),
    params="input, other, *, out=None",
    examples=(
        example(Array("m n"), Array("j k")),
        example(Array("n"), Array("m k")),
        example(Array("b n"), Array("m"), out=None),
    ),
)
def kron(call: Call) -> Tensor:
    """Every element of one times all of the other: sizes are multiplied."""
    one, other = call.tensor("input"), call.tensor("other")
    if one.shape.fixed is None or other.shape.fixed is None:
        raise Undetermined("the ranks are not known")
    pairs = zip_longest(one.shape.fixed[::-1], other.shape.fixed[::-1], fillvalue=Axis(Dim.of(1)))
    axes = [_times(*pair) for pair in pairs]
    dtype = promotion.promoted(call.framework, (one, other))
    return Tensor(Shape(tuple(axes[::-1])), dtype if one.dtype == other.dtype else ANY)


def _times(one: Axis, other: Axis) -> Axis:
    return Axis(Dim.fresh() if one.flexible or other.flexible else one.dim * other.dim)


@rule(
    "torch.tensordot",
    params="a, b, dims=2, out=None",
    examples=(
        example(Array("b m n"), Array("m n k")),
        example(Array("b n"), Array("n k"), 1),
        example(Array("b n"), Array("m k"), dims=0),
        example(Array("b m n"), Array("n k"), dims=([2], [0])),
        example(Array("b m n"), Array("n m k"), ([1, 2], [1, 0])),
        example(Array("b n"), Array("k n"), 1),
    ),
)
def tensordot(call: Call) -> Tensor:
    """The sum over pairs of axes, of the last of one and the first of the other by default."""
    one, other = call.tensor("a"), call.tensor("b")
    if one.shape.rank is None or other.shape.rank is None:
        raise Undetermined("the ranks are not known")
    require_one_kind(call, "a", "b")
    left, right = _contracted(call, one.shape, other.shape)
    for pair in zip(left, right, strict=True):
        _require_pair(call, *pair)
    kept = [part for at, part in enumerate(one.shape.axes) if at not in left]
    kept += [part for at, part in enumerate(other.shape.axes) if at not in right]
    return Tensor(Shape(tuple(kept)), _promoted(call, "a", "b"))


def _contracted(call: Call, one: Shape, other: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The positions of the axes that are summed over, in pairs."""
    dims = call["dims"]
    if isinstance(dims, Dim):
        count = literal(dims)
        if not 0 <= count <= min(len(one.axes), len(other.axes)):
            problem = f"{count} axes of {one} and {other}"
            raise Conflicting(wording.misused(call.name, problem))
        return tuple(range(len(one.axes) - count, len(one.axes))), tuple(range(count))
    if not isinstance(dims, (tuple, list)) or len(dims) != 2:
        raise Undetermined("the axes are not known")
    left, right = positions(call, one, dims[0]), positions(call, other, dims[1])
    if len(left) != len(right):
        raise Conflicting(wording.misused(call.name, f"{len(left)} axes with {len(right)}"))
    return left, right


def _require_pair(call: Call, at: int, index: int) -> None:
    """Two axes that are summed over agree; in torch a size of 1 goes with every other."""
    left, right = call.tensor("a").shape.axis(at), call.tensor("b").shape.axis(index)
    torch = call.framework is Framework.TORCH
    one = [axis is None or (torch and axis.is_one) or axis.flexible for axis in (left, right)]
    if not any(one):
        contract(call, ("a", at), ("b", index))


@rule(
    "torch.linalg.cross",
    params="input, other, *, dim=-1, out=None",
    examples=(
        example(Array("b 3"), Array("b 3")),
        example(Array("3 n"), Array("3 n"), dim=0),
        example(Array("b 3"), Array("1 3")),
        example(Array("b n 4"), Array("b n 4")),
        example(Array("b 3"), Array("3")),
    ),
)
@rule(
    *torch_names("cross"),
    params="input, other, dim=None, *, out=None",
    examples=(
        example(Array("b 3"), Array("b 3"), 1),
        example(Array("b 3"), Array("b 3")),
        example(Array("b 4"), Array("b 4"), -1),
    ),
)
def cross(call: Call) -> Value:
    """Vectors of three along an axis; the rest broadcasts between arrays of one rank."""
    require_one_rank(call, "input", "other")
    arrays = {name: call.tensor(name) for name in ("input", "other")}
    if any(array.shape.rank in (None, 0) for array in arrays.values()):
        raise Undetermined("the ranks are not known")
    if call["dim"] is None and any(_without_three(array.shape) for array in arrays.values()):
        raise Undetermined("which axis holds the vectors is not known")
    for name in arrays if call["dim"] is not None else ():
        _require_three(call, name)
    return Tensor(meet(call, arrays), _promoted(call, "input", "other"))


def _without_three(shape: Shape) -> bool:
    return all(axis.flexible or axis.dim.value != 3 for axis in shape.fixed or ())


def _require_three(call: Call, name: str) -> None:
    shape = call.tensor(name).shape
    at = position(call, shape, call["dim"])
    axis = shape.axes[at]
    if not isinstance(axis, Axis) or axis.flexible:
        raise Undetermined("the size of the vectors is not known")
    if call.requires(axis.dim, Dim.of(3)) is Verdict.DIFFERENT:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.axis_differs(where, at, "3", str(axis)))


@rule(
    "torch.linalg.vecdot",
    params="x, y, *, dim=-1, out=None",
    examples=(
        example(Array("b n"), Array("b n")),
        example(Array("b n"), Array("n")),
        example(Array("n b"), Array("n b"), dim=0),
        example(Array("n"), Array("n")),
        example(Array("b n"), Array("b m")),
    ),
)
def vecdot(call: Call) -> Value:
    """The inner products of vectors along an axis; the rest broadcasts."""
    arrays = {name: call.tensor(name) for name in ("x", "y")}
    if {array.shape.rank for array in arrays.values()} == {1}:
        contract(call, ("x", -1), ("y", -1))
    shape = meet(call, arrays)
    return Tensor(fold(call, shape, call["dim"], keep=False), _promoted(call, *arrays))


@rule(
    "torch.chain_matmul",
    params="*tensors, out=None",
    examples=(
        example(Array("m n"), Array("n k")),
        example(Array("m n"), Array("n k"), Array("k j")),
        example(Array("m n"), Array("m k")),
    ),
)
@rule(
    "torch.linalg.multi_dot",
    params="tensors, *, out=None",
    examples=(
        example([Array("m n"), Array("n k")]),
        example([Array("m n"), Array("n k"), Array("k j")]),
        example([Array("n"), Array("n k"), Array("k")]),
        example([Array("m n"), Array("m k")]),
    ),
)
def multi_dot(call: Call) -> Value:
    """The product of matrices; the first one and the last one may be vectors."""
    given = tensors(call, "tensors")
    vectors = given[0].shape.rank == 1, given[-1].shape.rank == 1
    if call.name == "chain_matmul" and any(vectors):
        raise Undetermined("the factors are not known to be matrices")
    inside = given[vectors[0] : len(given) - vectors[1]]
    if len(given) < 2 or any(array.shape.rank != 2 for array in inside):
        raise Undetermined("the factors are not known to be matrices")
    if len({array.dtype for array in given}) > 1:
        raise Undetermined("the dtypes may differ")
    for at, (left, right) in enumerate(pairwise(given)):
        _require_chain(call, at, left.shape.axis(-1), right.shape.axis(0))
    first = () if vectors[0] else given[0].shape.axes[:1]
    last = () if vectors[1] else given[-1].shape.axes[-1:]
    return given[0].with_shape(Shape((*first, *last)))


def _require_chain(call: Call, at: int, left: Axis | None, right: Axis | None) -> None:
    if left is None or right is None or left.flexible or right.flexible:
        return
    if call.same(left.dim, right.dim) is Verdict.DIFFERENT:
        where, texts = f"factor {at + 1} of `{call.name}`", (str(left), str(right))
        bound = f"axis -1 of factor {at}"
        raise Conflicting(wording.axis_differs(where, 0, *texts, bound_by=bound))
