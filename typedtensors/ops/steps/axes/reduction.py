# SPDX-License-Identifier: Apache-2.0
"""Axes that an op folds into one value: dropped, or kept with size 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.merging import kind
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.axes.positions import positions
from typedtensors.shapes import ANY, Axis, DType, Intent, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

KEPT = Axis(Dim.of(1), intent=Intent.KEEPDIM)


@dataclass(frozen=True)
class Words:
    """What a framework calls the array, its axes and the flag that keeps them."""

    array: str = "input"
    dim: str = "dim"
    keepdim: str = "keepdim"


TORCH = Words()
NUMPY = Words("a", "axis", "keepdims")
TENSORFLOW = Words("input_tensor", "axis", "keepdims")


def reduced(call: Call, words: Words = TORCH) -> Shape:
    """The shape of the array once the axes are folded; unknown if the axes are."""
    shape, dims = call.tensor(words.array).shape, call[words.dim]
    keep = call.arguments.get(words.keepdim, False)
    try:
        return fold(call, shape, dims, keep)
    except Undetermined:
        return Shape((Variadic.fresh(), *_behind(shape, dims)))


def _behind(shape: Shape, dims: Value) -> tuple[Axis, ...]:
    """The last axes, where the one that is folded is known to be in front of them: -3 of `... d`.

    With an axis that is reduced among them, or in front of the variadic, these are not known.
    """
    at = dims.value if isinstance(dims, Dim) else None
    inside = shape.rank is None and at is not None and at < -len(shape.suffix)
    return shape.suffix if inside else ()


def folded(call: Call, dtype: DType, words: Words = TORCH) -> Tensor:
    """The array once the axes are folded."""
    return Tensor(reduced(call, words), dtype, trailing=_folds_the_first(call, words))


def _folds_the_first(call: Call, words: Words) -> bool:
    """Whether the axes that are folded are the first ones, however many."""
    try:
        at = positions(call, call.tensor(words.array).shape, call[words.dim])
    except (Conflicting, Undetermined):
        return False
    return bool(at) and sorted(at) == list(range(len(at)))


def fold(call: Call, shape: Shape, dims: Value, keep: Value) -> Shape:
    """The shape without the axes `dims`; all of them for None. Raises as `positions` does."""
    if not isinstance(keep, bool):
        raise Undetermined("whether the axes are kept is not known")
    everything = dims is None or (dims == () and call.framework is Framework.TORCH)
    if everything and not keep:
        return Shape(())
    if everything:
        if shape.rank is None:
            raise Undetermined("the number of axes is not known")
        return Shape((KEPT,) * shape.rank)
    if shape.rank == 0 and _of_scalar(call, dims):
        return shape
    folded = positions(call, shape, dims)
    if keep:
        return Shape(tuple(KEPT if at in folded else part for at, part in enumerate(shape.axes)))
    return Shape(tuple(part for at, part in enumerate(shape.axes) if at not in folded))


def _of_scalar(call: Call, dims: Value) -> bool:
    """Whether torch takes these axes of an array without any: it lets 0 and -1 pass."""
    numbers = dims if isinstance(dims, (tuple, list)) else (dims,)
    return call.framework is Framework.TORCH and numbers in ((Dim.of(0),), (Dim.of(-1),))


def require_inexact(call: Call, array: Tensor) -> None:
    """Reject integers and bools where torch has no answer for them."""
    found = promotion.kinds(array.dtype)
    if found and found <= {"bool", "int"}:
        actual = promotion.text(array.dtype)
        raise Conflicting(
            wording.dtype_differs(f"`{call.name}`", "Float", actual, hint="convert with `.float()`")
        )


def asked(call: Call, otherwise: DType) -> DType:
    """The dtype that the argument `dtype` asks for, if it does."""
    wanted = call.arguments.get("dtype")
    if wanted is None:
        return otherwise
    return wanted if isinstance(wanted, DType) else ANY


def reduction(
    result: Callable[[Call, DType], DType], words: Words = TORCH
) -> Callable[[Call], Tensor]:
    """A rule: the array with axes folded, and what becomes of its dtype."""

    def apply(call: Call) -> Tensor:
        array = call.tensor(words.array)
        return folded(call, asked(call, result(call, array.dtype)), words)

    return apply


def averaged(dtype: DType) -> DType:
    """The dtype of what NumPy computes in floats: of every integer it is float64."""
    if dtype.names is None:
        return ANY
    found = {"float64" if kind(name) in ("int", "bool") else name for name in dtype.names}
    return DType(frozenset(found))


def summed(call: Call, dtype: DType) -> DType:
    """A sum's dtype."""
    return promotion.summed(call.framework, dtype)


def same(_call: Call, dtype: DType) -> DType:
    """The array's own dtype."""
    return dtype


def int64(_call: Call, _dtype: DType) -> DType:
    """Positions and counts."""
    return promotion.INT64
