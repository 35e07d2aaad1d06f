# SPDX-License-Identifier: Apache-2.0
"""What stands between the brackets of `x[...]`, and which axes it takes.

Sources: https://numpy.org/doc/stable/user/basics.indexing.html; torch differs in that an integer
takes its axis first, and is then no index array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.value import Many, Unknown
from typedtensors.shapes import Axis, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from types import EllipsisType

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


@dataclass(frozen=True)
class Pick:
    """An array of positions on one axis; `points` are the literal ones among them."""

    shape: Shape
    points: tuple[Dim, ...] = ()


@dataclass(frozen=True)
class Mask:
    """An array of bools over as many axes as it has."""

    axes: tuple[Axis, ...]


Item = Union[Dim, slice, None, "EllipsisType", Pick, Mask]


def items(call: Call, key: Value) -> tuple[Item, ...]:
    """The parts of an index. Raises Undetermined if it is not known what one of them is."""
    parts = key if isinstance(key, tuple) else (key,)
    if isinstance(key, Many):
        raise Undetermined("as many indices as there are in a tuple, or a list of positions")
    found = tuple(_item(call, part) for part in parts)
    if sum(part is Ellipsis for part in found) > 1:
        if call.framework is Framework.TORCH:
            raise Undetermined("torch accepts a second `...`")
        raise Conflicting(wording.misused("index", "`...` stands twice"))
    arrays = [part for part in found if isinstance(part, (Pick, Mask))]
    if len(arrays) > 1 and any(isinstance(p, Pick) and p.shape.rank is None for p in arrays):
        raise Undetermined("how many axes an index array has")
    if arrays and call.framework is Framework.NUMPY:
        return tuple(Pick(Shape(()), (p,)) if isinstance(p, Dim) else p for p in found)
    return found


def _item(call: Call, part: Value) -> Item:
    if part is None or part is Ellipsis or isinstance(part, (Dim, slice)):
        return part
    if isinstance(part, Tensor):
        return _array(call, part)
    if isinstance(part, Many) and isinstance(part.item, Dim):
        return Pick(Shape((Axis(Dim.fresh()),)))
    if isinstance(part, (list, tuple)):
        return _sequence(part)
    raise Undetermined(part.reason if isinstance(part, Unknown) else "an index is not known")


def _array(call: Call, array: Tensor) -> Item:
    names, shape = array.dtype.names, array.shape
    torch = call.framework is Framework.TORCH
    # torch still takes uint8 for a mask.
    if names is None or (torch and "uint8" in names):
        raise Undetermined("an index array may hold positions or be a mask")
    if names == {"bool"}:
        if shape.rank is None:
            raise Undetermined("a mask over nobody knows how many axes")
        if not shape.axes:
            raise Undetermined("a mask of no axes")
        return Mask(shape.prefix)
    if "bool" in names:
        raise Undetermined("an index array may hold positions or be a mask")
    if any("int" in name for name in names):
        # Of the others none is an index.
        return Dim.fresh() if torch and not shape.axes else Pick(shape)
    raise Conflicting(wording.misused("index", f"an array of {array.dtype.text} is no index"))


def _sequence(part: list[Value] | tuple[Value, ...]) -> Item:
    points = tuple(each for each in part if isinstance(each, Dim))
    # Beside an integer there are no others than integers, bools, and arrays of one of them.
    if points and all(isinstance(each, (Dim, Unknown)) for each in part):
        return Pick(Shape.of(len(part)), points)
    if part and all(isinstance(each, bool) for each in part):
        return Mask((Axis(Dim.of(len(part))),))
    raise Undetermined("a list of indices is not known")


@dataclass(frozen=True)
class Taken:
    """The axes that an index takes from the left, those it leaves, and those from the right."""

    left: tuple[Axis, ...]
    middle: tuple[Part, ...]
    right: tuple[Axis, ...]


def take(shape: Shape, left: int, right: int) -> Taken:
    """Split a shape for an index that takes so many axes from its left and right end.

    Raises Conflicting if the shape has fewer axes.
    """
    total = left + right
    if shape.rank is not None:
        axes, end = shape.prefix, len(shape.axes) - right
        if total > len(axes):
            problem = "1 index" if total == 1 else f"{total} indices"
            raise Conflicting(wording.too_many_indices(problem, shape.text))
        return Taken(axes[:left], axes[left:end], axes[end:])
    return _take_around(shape, shape.axes[len(shape.prefix)], left, right)


def _take_around(shape: Shape, spread: Part, left: int, right: int) -> Taken:
    """An axis that reaches into the variadic is of unknown size.

    The other side loses one for it: there may be nothing in the variadic.
    """
    over_left = max(0, left - len(shape.prefix))
    over_right = max(0, right - len(shape.suffix))
    rest = max(0, len(shape.prefix) - over_right)
    cut = max(0, len(shape.suffix) - right)
    return Taken(
        (*shape.prefix[:left], *_unknown(over_left)),
        (
            *shape.prefix[left:rest],
            Variadic.fresh() if over_left or over_right else spread,
            *shape.suffix[over_left:cut],
        ),
        (*_unknown(over_right), *shape.suffix[cut:]),
    )


def _unknown(count: int) -> tuple[Axis, ...]:
    return tuple(Axis(Dim.fresh()) for _ in range(count))


def width(item: Item) -> int:
    """How many axes a part of an index takes."""
    if isinstance(item, Mask):
        return len(item.axes)
    return 0 if item is None or item is Ellipsis else 1
