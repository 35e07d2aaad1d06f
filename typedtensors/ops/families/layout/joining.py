# SPDX-License-Identifier: Apache-2.0
"""Several arrays in one: cat and stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import insertion, literal, position, with_rank
from typedtensors.ops.value import Many, Rounds, Unknown
from typedtensors.shapes import ANY, Axis, Shape, Tensor, Variadic
from typedtensors.shapes.matching.meeting import are_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


@rule(
    "torch.cat",
    "torch.concat",
    "torch.concatenate",
    "numpy.concatenate",
    "numpy.concat",
    params="tensors, dim=0, axis=None, out=None, dtype=None, casting='same_kind'",
    examples=(
        example([Array("b n"), Array("b m")], 1),
        example((Array("b n"), Array("c n"))),
        example([Array("b n"), Array("b n"), Array("b 1")], -1),
        example([Array("b n"), Array("m b")], 1),
        example([Array("b n"), Array("b")], 1),
        example([Array("b n"), Array("b n")], 2),
        example([Array("b n"), Array("b n", "Int64")], 1),
        example([Array("*batch n"), Array("*batch m")], -1),
        example([Array("*batch n d"), Array("*batch n d")], -3),
        example([Array("*batch n d"), Array("*batch d n")], -3),
        example([Array("*batch n"), Array("*batch")], -1),
        example([Array("b n"), Array("0")], 1),
    ),
)
def cat(call: Call) -> Value:
    """The arrays behind each other on one axis; the others must agree."""
    if _is_any(call):
        return Tensor(Shape.unknown(), ANY)
    if isinstance(call["tensors"], Many):
        return _cat_many(call, call["tensors"])
    arrays = tensors(call, "tensors")
    number = call["dim"] if call["axis"] is None else call["axis"]
    shapes = _joinable(call, arrays)
    if number is None:
        raise Undetermined("NumPy flattens the arrays first")
    at = literal(number)
    return Tensor(_cat(call, shapes, at), promotion.promoted(call.framework, arrays))


def _is_any(call: Call) -> bool:
    """Whether nothing is known of the arrays: torch joins nothing else."""
    given = call["tensors"]
    listed = given if isinstance(given, (tuple, list)) else (given,)
    held = [each.item if isinstance(each, Many) else each for each in listed]
    unknown = all(isinstance(each, Unknown) for each in held)
    return call.framework is Framework.TORCH and bool(held) and unknown


def _cat_many(call: Call, given: Many) -> Tensor:
    """Any number of arrays of one shape: not a single one, for which nobody joins them."""
    if not isinstance(given.item, Tensor):
        raise Undetermined("no sequence of arrays")
    number = call["dim"] if call["axis"] is None else call["axis"]
    shape = given.item.shape
    at = position(call, shape, number)
    return given.item.with_shape(shape.replace(at, Axis(_joined(shape.axes[at], given.rounds))))


def _joined(part: Part, rounds: Rounds | None) -> Dim:
    """The size of several pieces together, where one is as large as the other or they are a whole.

    How many there are may be told by a size; of which nothing is known, it is not only one.
    """
    if not isinstance(part, Axis) or part.flexible:
        return Dim.fresh()
    if rounds is not None and rounds.whole is not None and part.dim == rounds.piece:
        return rounds.whole
    if not part.dim.declared or not part.dim.atoms:
        return Dim.fresh()
    known = rounds is not None and rounds.number.declared
    return part.dim * (rounds.number if rounds is not None and known else Dim.several("len"))


def tensors(call: Call, name: str) -> list[Tensor]:
    """A sequence of arrays. Raises Undetermined if it is not known."""
    given = call[name]
    if not isinstance(given, (tuple, list)) or not given:
        raise Undetermined(given.reason if isinstance(given, Unknown) else "no sequence of arrays")
    if all(isinstance(each, Unknown) for each in given):
        raise Undetermined("none of the arrays is known")
    return [_array(each) for each in given]


def _array(value: Value) -> Tensor:
    """An item of a sequence of arrays: of one that is not known, no more than that."""
    if isinstance(value, Unknown):
        return Tensor(Shape.unknown(), ANY)
    if not isinstance(value, Tensor):
        raise Undetermined("one of the arrays is not known")
    return value


def _joinable(call: Call, arrays: Sequence[Tensor]) -> list[Shape]:
    """The shapes, brought to one rank where that is known.

    torch skips vectors of size 0, from times when every empty array was one.
    """
    shapes = [array.shape for array in arrays]
    if call.framework is Framework.TORCH:
        shapes = [shape for shape in shapes if shape != Shape.of(0)] or shapes
        if any(_may_be_empty(shape) for shape in shapes) and len({s.rank for s in shapes}) > 1:
            raise Undetermined("torch skips an empty vector")
    rank = next((shape.rank for shape in shapes if shape.rank is not None), None)
    if rank is None:
        _require_one_rank(call, shapes)
        return shapes
    known = [with_rank(shape, rank) for shape in shapes]
    for shape, filled in zip(shapes, known, strict=True):
        if filled is None:
            first = next(s for s in shapes if s.rank == rank)
            raise Conflicting(wording.rank_differs(f"`{call.name}`", first.text, shape.text))
    return [shape for shape in known if shape is not None]


def _require_one_rank(call: Call, shapes: Sequence[Shape]) -> None:
    """Reject `*batch` beside `*batch d`: however many axes these are, one has more."""
    first = shapes[0]
    for other in shapes[1:]:
        runs = {part for shape in (first, other) for part in shape.axes if _is_run(part)}
        if len(runs) == 1 and first.least_rank != other.least_rank:
            raise Conflicting(wording.rank_differs(f"`{call.name}`", first.text, other.text))


def _is_run(part: Part) -> bool:
    return isinstance(part, Variadic)


def _may_be_empty(shape: Shape) -> bool:
    axes = (*shape.prefix, *shape.suffix) if shape.rank is None else shape.prefix
    return len(axes) == 1 and (axes[0].dim.value == 0 or not axes[0].dim.declared)


def _cat(call: Call, shapes: Sequence[Shape], number: int) -> Shape:
    first = shapes[0]
    if any(shape.rank is None for shape in shapes):
        return _cat_around(call, shapes, number)
    at = position(call, first, Dim.of(number))
    columns = list(zip(*(shape.prefix for shape in shapes), strict=True))
    return Shape(
        tuple(
            _total(column) if index == at else agreed(call, index, column)
            for index, column in enumerate(columns)
        )
    )


def _cat_around(call: Call, shapes: Sequence[Shape], number: int) -> Shape:
    """Shapes of unknown rank: what is known beside the variadic, counted from the axis's side."""
    known = [shape.suffix if number < 0 else shape.prefix for shape in shapes]
    least = min(map(len, known))
    if not least:
        raise Undetermined("the axis is not known")
    indices = range(-least, 0) if number < 0 else range(least)
    columns = {index: tuple(axes[index] for axes in known) for index in indices}
    joined = [
        _total(column) if index == number else agreed(call, index, column)
        for index, column in columns.items()
    ]
    inside = not -least <= number < least
    spread = (Variadic.fresh(),) if inside else _other_side(shapes, least, number)
    return Shape((*spread, *joined) if number < 0 else (*joined, *spread))


def _other_side(shapes: Sequence[Shape], known: int, number: int) -> tuple[Part, ...]:
    """The variadic and what is beyond it, if all shapes agree in that."""
    rests = {shape.axes[:-known] if number < 0 else shape.axes[known:] for shape in shapes}
    return rests.pop() if len(rests) == 1 else (Variadic.fresh(),)


def _total(column: Sequence[Axis]) -> Axis:
    if any(axis.flexible for axis in column):
        return Axis(Dim.fresh())
    total = Dim.of(0)
    for axis in column:
        total = total + axis.dim
    return Axis(total)


def agreed(call: Call, index: int, column: Sequence[Axis]) -> Axis:
    """The one axis that all of a column are; learns from it. Raises Conflicting if they differ."""
    rigid = [axis for axis in column if not axis.flexible]
    if not rigid:
        return column[0] if all(axis == column[0] for axis in column) else Axis(Dim.fresh())
    for axis in rigid[1:]:
        if call.same(rigid[0].dim, axis.dim) is Verdict.DIFFERENT:
            where = f"`{call.name}`"
            expected, actual = str(rigid[0].dim), str(axis.dim)
            raise Conflicting(wording.axis_differs(where, index, expected, actual))
    loose = next((axis for axis in column if are_apart(rigid[0], axis, call.facts)), None)
    if loose is not None:
        where = f"`{call.name}`"
        raise Conflicting(wording.axis_differs(where, index, str(rigid[0]), str(loose)))
    declared = (axis for axis in rigid if axis.dim.declared)
    return Axis(next(declared, rigid[0]).dim)


@rule(
    "torch.stack",
    "numpy.stack",
    params="tensors, dim=0, axis=None, out=None, dtype=None, casting='same_kind'",
    examples=(
        example([Array("b n"), Array("b n")]),
        example((Array("b n"), Array("b n"), Array("b n")), -1),
        example([Array("b n"), Array("n b")], 1),
        example([Array("b n"), Array("b")], 0),
        example([Array("b n"), Array("b n")], 3),
        example([Array("*batch n"), Array("*batch n")], -1),
        example([Array("*batch n"), Array("*batch")], -1),
        example([Array(""), Array("")]),
    ),
)
def stack(call: Call) -> Value:
    """The arrays beside each other on a new axis; all others must agree."""
    given, number = call["tensors"], call["dim"] if call["axis"] is None else call["axis"]
    many = given.item if isinstance(given, Many) else None
    several = given.number if isinstance(given, Many) else Dim.fresh("len")
    if _is_any(call):
        given, many = Many(None), Tensor(Shape.unknown(), ANY)
    arrays = [many] if isinstance(many, Tensor) else tensors(call, "tensors")
    common = together(call, [array.shape for array in arrays])
    at = insertion(call, common, number)
    new = Axis(several if isinstance(many, Tensor) else Dim.of(len(arrays)))
    shape = Shape((*common.axes[:at], new, *common.axes[at:]))
    return Tensor(shape, promotion.promoted(call.framework, arrays))


def together(call: Call, shapes: Sequence[Shape]) -> Shape:
    """The one shape that all of them are."""
    rank = next((shape.rank for shape in shapes if shape.rank is not None), None)
    if rank is None:
        _require_one_rank(call, shapes)
        if any(shape != shapes[0] for shape in shapes):
            raise Undetermined("the ranks are not known")
        return shapes[0]
    axes = []
    for shape in shapes:
        filled = with_rank(shape, rank)
        if filled is None:
            first = next(each for each in shapes if each.rank == rank)
            raise Conflicting(wording.rank_differs(f"`{call.name}`", first.text, shape.text))
        axes.append(filled.prefix)
    columns = enumerate(zip(*axes, strict=True))
    return Shape(tuple(agreed(call, index, column) for index, column in columns))


@rule(
    "torch.hstack",
    "torch.vstack",
    "torch.row_stack",
    "numpy.hstack",
    "numpy.vstack",
    params="tensors, out=None, dtype=None, casting='same_kind'",
    examples=(
        example([Array("b n"), Array("b n")]),
        example([Array("b n d"), Array("b n d")]),
        example([Array("n"), Array("n")]),
        example([Array("b n"), Array("n d")]),
    ),
)
def hstack(call: Call) -> Value:
    """Joined on the second axis, or for vstack on the first of arrays of two."""
    arrays = tensors(call, "tensors")
    shapes = [array.shape for array in arrays]
    if any(shape.rank is None or shape.rank == 0 for shape in shapes):
        raise Undetermined("the ranks are not known")
    vertical = not call.op.endswith("hstack")
    if vertical:
        one = Axis(Dim.of(1))
        shapes = [Shape((one, *s.axes)) if s.rank == 1 else s for s in shapes]
    joinable = _joinable(call, [Tensor(shape) for shape in shapes])
    at = 0 if vertical or joinable[0].rank == 1 else 1
    return Tensor(_cat(call, joinable, at), promotion.promoted(call.framework, arrays))


@rule(
    "torch.column_stack",
    params="tensors, *, out=None",
    examples=(
        example([Array("b"), Array("b")]),
        example((Array("b n"), Array("b"))),
        example([Array("b n d"), Array("b m d")]),
        example([Array("b"), Array("c")]),
    ),
)
@rule(
    "torch.dstack",
    params="tensors, *, out=None",
    examples=(
        example([Array("b n"), Array("b n")]),
        example([Array("b n d"), Array("b n k")]),
        example([Array("n"), Array("n")]),
        example([Array("b n"), Array("b m")]),
    ),
)
def columns(call: Call) -> Value:
    """Vectors as columns of a matrix, or what each of them holds along a third axis."""
    arrays, one = tensors(call, "tensors"), Axis(Dim.of(1))
    if any(array.shape.rank in (None, 0) for array in arrays):
        raise Undetermined("the ranks are not known")
    shapes = [array.shape.axes for array in arrays]
    if call.name == "dstack":
        shapes = [(one, *axes) if len(axes) == 1 else axes for axes in shapes]
        shapes = [(*axes, one) if len(axes) == 2 else axes for axes in shapes]
    else:
        shapes = [(*axes, one) if len(axes) == 1 else axes for axes in shapes]
    joinable = _joinable(call, [Tensor(Shape(axes)) for axes in shapes])
    at = 2 if call.name == "dstack" else 1
    return Tensor(_cat(call, joinable, at), promotion.promoted(call.framework, arrays))
