# SPDX-License-Identifier: Apache-2.0
"""What losses share: which arguments are compared, which shapes they need, what is returned."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.steps.elementwise import meet, overwritten
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typedtensors.ops.call import Call

_REDUCED = ("mean", "sum", "batchmean")


def returned(call: Call, shape: Shape, dtype: DType) -> Tensor:
    """The losses themselves, or one number, as the argument `reduction` says."""
    legacy = call.arguments.get("reduce"), call.arguments.get("size_average")
    if legacy == (None, None) and call["reduction"] == "none":
        return Tensor(shape, dtype)
    if legacy == (None, None) and call["reduction"] in _REDUCED:
        return Tensor(Shape(()), dtype)
    return Tensor(Shape.unknown(), dtype)


def compared(
    *names: str, weights: tuple[str, ...] = (), exact: bool = False
) -> Callable[[Call], Tensor]:
    """A rule: a loss that compares the arguments `names` element by element.

    `weights` scale the elements and may broadcast to them. With `exact` the framework takes
    compared arguments of one shape only, and no integers.
    """

    def apply(call: Call) -> Tensor:
        arrays = {name: call.tensor(name) for name in names}
        if exact:
            for other in names[1:]:
                require_same_shape(call, names[0], other)
                _require_floats(call, other)
        scales = {name: call.arguments.get(name) for name in weights}
        given = {name: scale for name, scale in scales.items() if scale is not None}
        shape = meet(call, {**arrays, **given}, names)
        if "weight" in given and exact:
            # The weight is multiplied in place.
            overwritten(call, arrays[names[0]], Tensor(shape))
        return returned(call, shape, dtype_of(array.dtype for array in arrays.values()))

    return apply


def _require_floats(call: Call, name: str) -> None:
    """Labels are compared with probabilities, and are floats too."""
    found = promotion.kinds(call.tensor(name).dtype)
    if found and found <= {"bool", "int"}:
        where, actual = wording.argument(name, call.name), promotion.text(call.tensor(name).dtype)
        raise Conflicting(
            wording.dtype_differs(where, "Float", actual, hint="convert with `.float()`")
        )


def dtype_of(dtypes: Iterable[DType]) -> DType:
    """The dtype of a loss over floats: one of its arguments', or what they promote to."""
    found = set(dtypes)
    if any(promotion.kinds(dtype) != frozenset({"float"}) for dtype in found):
        return ANY
    return reduce(DType.union, found, promotion.combined(Framework.TORCH, found))


def require_same_shape(call: Call, name: str, other: str) -> None:
    """Require that two arguments agree axis by axis, without broadcasting; learn from it.

    Raises Conflicting if they do not.
    """
    require_one_rank(call, name, other)
    wanted, given = call.tensor(name).shape, call.tensor(other).shape
    for index in _common_axes(wanted, given):
        require_axis(call, (name, index), (other, index))


def require_one_rank(call: Call, name: str, *others: str) -> None:
    """Require that arguments have as many axes as the first. Raises Conflicting if one has not."""
    wanted = call.tensor(name).shape
    for other in others:
        given = call.tensor(other).shape
        if not may_have_one_rank(wanted, given):
            where, hint = wording.argument(other, call.name), _last_axis(call, other, wanted, given)
            raise Conflicting(wording.rank_differs(where, wanted.text, given.text, hint=hint))


def _last_axis(call: Call, name: str, wanted: Shape, given: Shape) -> str | None:
    """What to write where one shape is a column of the other: a trailing 1 too many or missing."""
    more, less = (wanted, given) if wanted.least_rank > given.least_rank else (given, wanted)
    last, rest = more.axis(-1), Shape(more.axes[:-1])
    if last is None or not last.is_one or rest.dims is None or less.dims is None:
        return None
    same = [call.facts.compare(*pair) for pair in zip(rest.dims, less.dims, strict=False)]
    if len(rest.dims) != len(less.dims) or any(each is not Verdict.EQUAL for each in same):
        return None
    if call.framework is Framework.TENSORFLOW:
        return f"`{name}[..., {'None' if more is wanted else '0'}]`"
    return f"`{name}.{'unsqueeze' if more is wanted else 'squeeze'}(-1)`"


def may_have_one_rank(one: Shape, other: Shape) -> bool:
    """Whether two shapes may have the same number of axes."""
    if one.rank is None:
        return other.rank is None or one.least_rank <= other.rank
    return one.rank == other.rank or (other.rank is None and other.least_rank <= one.rank)


def _common_axes(one: Shape, other: Shape) -> list[int]:
    """The axes, as Python indexes them, that are known in both shapes if their ranks agree."""
    if one.rank is not None and one.rank == other.rank:
        return list(range(one.rank))
    front = min(len(one.prefix), len(other.prefix))
    back = min(len(one.suffix), len(other.suffix))
    return [*range(front), *range(-back, 0)]


def require_axis(call: Call, left: tuple[str, int], right: tuple[str, int]) -> None:
    """Require that an axis of one argument has the size of an axis of another one.

    Raises Conflicting if it has another one; an axis that is not known may be any.
    """
    (name, at), (other, index) = left, right
    own, given = call.tensor(name).shape.axis(at), call.tensor(other).shape.axis(index)
    if own is None or given is None or own.flexible or given.flexible:
        return
    if call.same(own.dim, given.dim) is Verdict.DIFFERENT:
        where = wording.argument(other, call.name)
        origin = f"axis {at} of `{name}`"
        raise Conflicting(wording.axis_differs(where, index, str(own), str(given), bound_by=origin))
