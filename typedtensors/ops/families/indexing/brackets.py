# SPDX-License-Identifier: Apache-2.0
"""`x[...]`: by integers, slices, None, Ellipsis, arrays and masks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most, nonnegative
from typedtensors.ops.call import Framework
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Broadcast, Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.index import Mask, Pick, items, take, width
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import shape_of
from typedtensors.ops.steps.axes.slicing import sliced
from typedtensors.shapes import Axis, DType, Intent, Shape, Tensor, Variadic
from typedtensors.shapes.broadcast import broadcast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.dims import Facts
    from typedtensors.ops.call import Call
    from typedtensors.ops.steps.axes.index import Item
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_ALL = slice(None)
_IDS = Array("k", "Int64")
_N = Dim.name("n")
_POSITIONS = DType.exactly("int64")


@dataclass
class _Indexed:
    """The axes of a result while an index is read from left to right.

    `marks` are the places in `axes` where arrays stand, `arrays` their shapes. `apart`: something
    stands between them, even if it takes no axis.
    """

    axes: list[Part] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    arrays: list[Shape] = field(default_factory=list)
    apart: bool = False

    def mark(self, shape: Shape) -> None:
        """An array of positions stands here."""
        self.marks.append(len(self.axes))
        self.arrays.append(shape)


@rule(
    "torch.Tensor.__getitem__",
    "numpy.ndarray.__getitem__",
    params="input, key",
    examples=(
        example(Array("b n"), 0),
        example(Array("b n"), -1),
        example(Array("3 n"), 3),
        example(Array("3 n"), -4),
        example(Array("b n"), (0, 0, 0)),
        example(Array(""), 0),
        example(Array("b n"), (..., 0)),
        example(Array("b n"), (_ALL, None)),
        example(Array("b n"), (None, ..., None)),
        example(Array("b n"), slice(1, None)),
        example(Array("b n"), (_ALL, slice(None, -1))),
        example(Array("b n"), (_ALL, slice(None, None, 2))),
        example(Array("b n"), (_ALL, slice(1, None, 2))),
        example(Array("b n"), (_ALL, slice(None, 3))),
        example(Array("b n"), (_ALL, slice(-3, None))),
        example(Array("b n"), (_ALL, slice(2, -2))),
        example(Array("b n"), (slice(None, _N), slice(_N // 2, None))),
        example(Array("b 7"), (_ALL, slice(1, 20, 3))),
        example(Array("b n"), (_ALL, slice(None, None, -1))),
        example(Array("b n d"), _IDS),
        example(Array("b n d"), (_ALL, _IDS)),
        example(Array("b n"), Array("*a k", "Int64")),
        example(Array("b n d"), (_ALL, Array("*a", "Int64"))),
        example(Array("b n d"), (_IDS, _ALL, _IDS)),
        example(Array("b n d"), (_ALL, _IDS, Array("j 1", "Int64"))),
        example(Array("b n d"), (_IDS, Array("j", "Int64"))),
        example(Array("b n d"), (0, _ALL, _IDS)),
        example(Array("b n d"), (0, None, _IDS)),
        example(Array("b n d"), (_IDS, 0)),
        example(Array("b n d"), (_ALL, _IDS, ..., _IDS)),
        example(Array("b n d"), (_ALL, [0, 0, 0])),
        example(Array("b n d"), Array("b n", "Bool")),
        example(Array("b n d"), (_ALL, Array("n", "Bool"))),
        example(Array("b n d"), (_ALL, Array("m", "Bool"))),
        example(Array("b n d"), Array("b", "Float32")),
    ),
)
def getitem(call: Call) -> Value:
    """The axes that the index leaves, the new ones it asks for, and those of its arrays."""
    array = call.tensor("input")
    return array.with_shape(indexed(call, array.shape))


def indexed(call: Call, shape: Shape) -> Shape:
    """The shape of `x[key]`."""
    parts = items(call, call["key"])
    at = parts.index(Ellipsis) if Ellipsis in parts else len(parts)
    before, behind = parts[:at], parts[at + 1 :]
    taken = take(shape, sum(map(width, before)), sum(map(width, behind)))
    found = _Indexed()
    _read(call, before, taken.left, found)
    found.axes += taken.middle
    split = len(found.marks)
    _read(call, behind, taken.right, found)
    # An Ellipsis over no axes holds arrays apart in NumPy, but not in torch.
    found.apart = call.framework is Framework.NUMPY and 0 < split < len(found.marks)
    return _with_arrays(call, found)


def _read(call: Call, parts: Sequence[Item], axes: tuple[Axis, ...], found: _Indexed) -> None:
    for part in parts:
        own, axes = axes[: width(part)], axes[width(part) :]
        if part is None:
            found.axes.append(Axis(Dim.of(1), intent=Intent.INDEX))
        elif isinstance(part, Mask):
            _check_mask(call, part, own)
            found.mark(Shape((Axis(Dim.fresh()),)))
        elif isinstance(part, Pick):
            _check_points(part.points, own[0])
            found.mark(part.shape)
        elif isinstance(part, Dim):
            _check_points((part,), own[0])
        elif isinstance(part, slice):
            _check_step(call, part)
            found.axes.append(sliced(own[0], part, call.facts))


def _with_arrays(call: Call, found: _Indexed) -> Shape:
    """Put the axes of the arrays where the first of them stands; in front if they are apart."""
    if not found.arrays:
        return shape_of(tuple(found.axes))
    outcome = broadcast(found.arrays, call.facts)
    if outcome.shape is None:
        texts = " and ".join(map(str, found.arrays))
        raise Conflicting(wording.sizes_misused("index", f"arrays of {texts} do not broadcast"))
    call.facts = outcome.facts
    if len({*found.arrays}) > 1:
        arrays = {f"key[{at}]": Tensor(each, _POSITIONS) for at, each in enumerate(found.arrays)}
        result = Tensor(outcome.shape, _POSITIONS)
        call.broadcasts.append(Broadcast(call.op, arrays, result, indirect=True))
    first, last = found.marks[0], found.marks[-1]
    between = found.axes[first:last]
    if between and not found.apart and all(isinstance(part, Variadic) for part in between):
        raise Undetermined("index arrays may stand apart")
    at = 0 if between or found.apart else first
    return shape_of((*found.axes[:at], *outcome.shape.axes, *found.axes[at:]))


def _check_points(points: Sequence[Dim], axis: Axis) -> None:
    size = axis.dim
    for point in points:
        if axis.flexible or not (point.declared and size.declared):
            continue
        if at_most(size, point) or at_most(size + point, Dim.of(-1)):
            raise Conflicting(wording.misused("index", f"{point} is out of range for size {size}"))


def _check_mask(call: Call, mask: Mask, axes: tuple[Axis, ...]) -> None:
    for own, axis in zip(mask.axes, axes, strict=True):
        if own.flexible or axis.flexible:
            continue
        if call.same(axis.dim, own.dim) is Verdict.DIFFERENT:
            problem = f"a mask of size {own.dim} on an axis of size {axis.dim}"
            raise Conflicting(wording.sizes_misused("index", problem))


def _check_step(call: Call, part: slice) -> None:
    step = part.step.value if isinstance(part.step, Dim) else 1
    if step is None:
        return
    if step == 0 or (step < 0 and call.framework is Framework.TORCH):
        raise Conflicting(wording.misused("index", f"a slice's step is {step}"))


@rule(
    "torch.Tensor.__setitem__",
    "numpy.ndarray.__setitem__",
    params="input, key, value",
    examples=(
        example(Array("b n"), 0, Array("n")),
        example(Array("b n"), 0, Array("b")),
        example(Array("b n"), (_ALL, 0), Array("b")),
        example(Array("b n"), (_ALL, slice(1, None)), Array("b 1")),
        example(Array("b n"), 0, Array("1 1 n")),
        example(Array("b n"), (0, 0, 0), 1),
        example(Array("b n"), 0, 1),
    ),
)
def setitem(call: Call) -> Value:
    """Nothing; the value has to broadcast to the part that it fills."""
    target, value = call.tensor("input"), call["value"]
    part = indexed(call, target.shape)
    if not isinstance(value, Tensor):
        return None
    if call.framework is Framework.NUMPY and not part.axes and value.shape.axes:
        raise Undetermined("NumPy sets an element from an array only if it holds one")
    outcome = broadcast((part, _without_leading_ones(value.shape, part, call.facts)), call.facts)
    wider = outcome.shape is None or _wider(outcome.shape, part)
    if wider:
        problem = f"a value of {value.shape} does not fit a part of {part}"
        raise Conflicting(wording.sizes_misused("index", problem))
    if outcome.facts == call.facts and not outcome.decided:
        raise Undetermined("the value may not fit")
    call.facts = outcome.facts
    if value.shape != part:
        filled = target.with_shape(part)
        call.broadcasts.append(Broadcast(call.op, {"input": filled, "value": value}, filled))
    return None


def _wider(shape: Shape, part: Shape) -> bool:
    """Whether the broadcast has axes that the part certainly lacks."""
    if part.rank is None or shape.rank is None:
        return False
    return shape.rank > part.rank or any(
        own.is_one and not (axis.is_one or axis.flexible) and axis.dim.declared
        for own, axis in zip(part.prefix, shape.prefix, strict=True)
    )


def _without_leading_ones(shape: Shape, part: Shape, facts: Facts) -> Shape:
    """A shape without axes in front that are 1, or have to be because the part has fewer."""
    axes = list(shape.axes)
    known = None not in (shape.rank, part.rank)
    while axes and isinstance(axes[0], Axis):
        excess = known and len(axes) > len(part.axes)
        may_be_one = facts.compare(axes[0].dim, Dim.of(1)) is Verdict.UNDECIDED
        if not axes[0].is_one and not (excess and (may_be_one or axes[0].flexible)):
            break
        axes.pop(0)
    return Shape(tuple(axes))


@rule(
    "torch.select",
    "torch.Tensor.select",
    "torch.select_copy",
    params="input, dim, index",
    examples=(
        example(Array("b n"), 1, 0),
        example(Array("b 3"), 1, 3),
        example(Array("b n"), 2, 0),
    ),
)
def select(call: Call) -> Value:
    """Without the axis from which one element is taken."""
    array = call.tensor("input")
    at = position(call, array.shape, call["dim"])
    axis, index = array.shape.axes[at], call["index"]
    if isinstance(index, Dim) and isinstance(axis, Axis):
        _check_points((index,), axis)
    return array.with_shape(array.shape.replace(at))


@rule(
    "torch.narrow",
    "torch.Tensor.narrow",
    *torch_names("narrow_copy"),
    params="input, dim, start, length",
    examples=(
        example(Array("b n"), 1, 0, 1),
        example(Array("b 3"), -1, 1, 2),
        example(Array("b 3"), -1, 1, 3),
    ),
)
def narrow(call: Call) -> Value:
    """One axis of the given length."""
    array = call.tensor("input")
    at = position(call, array.shape, call["dim"])
    length, axis = call.dim("length"), array.shape.axes[at]
    start = call["start"]
    if at_most(length, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"the length {length} is negative"))
    if isinstance(start, Dim) and isinstance(axis, Axis):
        _check_extent(call, start, length, axis)
    return array.with_shape(array.shape.replace(at, Axis(length)))


def _check_extent(call: Call, start: Dim, length: Dim, axis: Axis) -> None:
    size, last = axis.dim, Dim.of(-1)
    beyond = size.value is not None and nonnegative(start) and at_most(size + 1, start + length)
    before = at_most(size + start, last)
    if beyond or before or (at_most(start, last) and nonnegative(start + length + last)):
        problem = f"elements {start} to {start + length} of an axis of size {size}"
        raise Conflicting(wording.misused(call.name, problem))
