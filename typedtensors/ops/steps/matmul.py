# SPDX-License-Identifier: Apache-2.0
"""The matrix product, with NumPy's and torch's reading of vectors and batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.elementwise import meet
from typedtensors.shapes import Shape, Tensor, Variadic

if TYPE_CHECKING:
    from typedtensors.dims import Dim
    from typedtensors.ops.call import Call


def matmul(call: Call, left: str, right: str) -> Tensor:
    """The product of two arguments.

    A vector on the left is a row, on the right a column, and loses that axis again; axes in front
    of matrices are batches, which broadcast.
    Source: https://numpy.org/doc/stable/reference/generated/numpy.matmul.html
    """
    one, two = call.tensor(left), call.tensor(right)
    for name, array in ((left, one), (right, two)):
        require_axes(call, name, array.shape, 1)
    require_one_kind(call, left, right)
    contract(call, (left, -1), (right, -1 if two.shape.rank == 1 else -2))
    dtype = promotion.promoted(call.framework, (one, two))
    return Tensor(_product(call, {left: one, right: two}), dtype)


def _product(call: Call, operands: dict[str, Tensor]) -> Shape:
    """The shape of a product whose contracted axes agree."""
    one, two = (array.shape for array in operands.values())
    if two.rank == 1:
        return without_last(one)
    if not two.suffix or (two.rank is None and len(two.suffix) < 2):
        return Shape.unknown()
    column = two.suffix[-1]
    if one.rank == 1:
        return Shape((*two.axes[:-2], column))
    if two.rank == 2:
        return Shape((*without_last(one).axes, column))
    if len(one.suffix) < 2:
        # A vector or a matrix: both leave the column last.
        return Shape((Variadic.fresh(), column))
    batches = {name: Tensor(Shape(array.shape.axes[:-2])) for name, array in operands.items()}
    return Shape((*meet(call, batches).axes, one.suffix[-2], column))


def without_last(shape: Shape) -> Shape:
    """The shape but for its last axis."""
    return Shape(shape.axes[:-1]) if shape.suffix else Shape.unknown()


def contract(call: Call, left: tuple[str, int], right: tuple[str, int]) -> None:
    """Require that an axis of one argument and an axis of another one agree; learn from it.

    Raises Conflicting if they differ, with a transposition as hint where that would do.
    """
    (left_name, left_at), (right_name, right_at) = left, right
    one, two = call.tensor(left_name), call.tensor(right_name)
    own, other = one.shape.axis(left_at), two.shape.axis(right_at)
    if own is None or other is None or own.flexible or other.flexible:
        return
    if _agree(call, one, own.dim, two, other.dim):
        return
    flipped = two.shape.axis(-1) if right_at == -2 else None
    fits = flipped is not None and call.facts.compare(own.dim, flipped.dim) is Verdict.EQUAL
    raise Conflicting(
        wording.axis_differs(
            wording.argument(right_name, call.name),
            _index(two.shape, right_at),
            str(own.dim),
            str(other.dim),
            bound_by=f"axis {_index(one.shape, left_at)} of `{left_name}`",
            hint=_transposed(call, right_name) if fits else None,
        )
    )


def _transposed(call: Call, name: str) -> str:
    """How to transpose a factor, in the framework's words."""
    if call.framework is not Framework.TENSORFLOW:
        return f"transpose `{name}` with `.mT`"
    if f"transpose_{name}" in call.arguments:
        return f"`transpose_{name}=True`"
    return f"transpose the last two axes of `{name}`"


def _agree(call: Call, one: Tensor, own: Dim, two: Tensor, other: Dim) -> bool:
    """Whether two sizes may be one; a weight teaches the size of what it consumes."""
    if two.parameter:
        return call.requires(own, other) is not Verdict.DIFFERENT
    if one.parameter:
        return call.requires(other, own) is not Verdict.DIFFERENT
    return call.same(own, other) is not Verdict.DIFFERENT


def _index(shape: Shape, index: int) -> int:
    """An axis as people count it: from the left where that is known."""
    return index if shape.rank is None else index % shape.rank


def require_axes(call: Call, name: str, shape: Shape, least: int) -> None:
    """Require a number of axes. Raises Conflicting if there are fewer."""
    if shape.rank is not None and shape.rank < least:
        where = wording.argument(name, call.name)
        wanted = " ".join(("...", *"nm"[2 - least :]))
        raise Conflicting(wording.rank_differs(where, wanted, shape.text))


def require_one_kind(call: Call, left: str, right: str) -> None:
    """Torch multiplies matrices of one dtype only; kinds are what nothing converts."""
    one, two = call.tensor(left).dtype, call.tensor(right).dtype
    own, other = promotion.kinds(one), promotion.kinds(two)
    if call.framework is Framework.TORCH and own and other and own.isdisjoint(other):
        where = wording.argument(right, call.name)
        raise Conflicting(wording.dtype_differs(where, promotion.text(one), promotion.text(two)))


def linear(call: Call) -> Tensor:
    """`input @ weight.T + bias`, with a weight of shape `out in`."""
    array, weight = call.tensor("input"), call.tensor("weight")
    require_axes(call, "input", array.shape, 1)
    require_axes(call, "weight", weight.shape, 1)
    if weight.shape.least_rank > 2:
        where = wording.argument("weight", call.name)
        raise Conflicting(wording.rank_differs(where, "out in", weight.shape.text))
    require_one_kind(call, "input", "weight")
    contract(call, ("input", -1), ("weight", -1))
    dtype = promotion.promoted(call.framework, (array, weight))
    if weight.shape.rank is None:
        return Tensor(Shape.unknown(), dtype)
    rest = without_last(array.shape).axes
    bias = call["bias"]
    if isinstance(bias, Tensor) and (bias.shape.rank or 0) > 1:
        raise Undetermined("the bias is no vector")
    if bias is not None and weight.shape.rank == 1:
        raise Undetermined("torch takes a bias beside a vector of weights in some cases only")
    if weight.shape.rank == 1:
        return Tensor(Shape(rest), dtype)
    if isinstance(bias, Tensor) and not all(axis.is_one for axis in bias.shape.suffix):
        contract(call, ("weight", 0), ("bias", -1))
    return Tensor(Shape((*rest, *weight.shape.axes[:-1])), dtype)
