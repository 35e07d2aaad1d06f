# SPDX-License-Identifier: Apache-2.0
"""Operands that meet element by element: the shape they give, and the broadcast they make."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.call import Call, Framework
from typedtensors.ops.merging import higher
from typedtensors.ops.names import in_place
from typedtensors.ops.outcome import Broadcast, Conflicting, Undetermined
from typedtensors.ops.value import SOME_FLOAT, Unknown
from typedtensors.shapes import ANY, Axis, DType, Part, Shape, Tensor
from typedtensors.shapes.broadcast import broadcast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typedtensors.ops.value import Value


def elementwise(
    call: Call, *names: str, compared: tuple[str, ...] = (), dtype: DType | None = None
) -> Tensor:
    """The result of an op over the arguments `names`, elementwise with broadcasting.

    Optional arguments (None) are left out, Python scalars fit any shape. `compared` names what a
    loss compares. Raises Conflicting if the shapes do not broadcast.
    """
    operands = {name: call[name] for name in names if call[name] is not None}
    shape = meet(call, operands, compared)
    if dtype is None:
        dtype = promotion.promoted(call.framework, operands.values())
    first = call[names[0]]
    if not in_place(call.op):
        arrays = [value for value in operands.values() if isinstance(value, Tensor)]
        return Tensor(shape, dtype, trailing=any(a.trailing and a.shape == shape for a in arrays))
    if not isinstance(first, Tensor):
        raise Undetermined("the operand that is written is not known")
    return overwritten(call, first, Tensor(shape, dtype))


def meet(call: Call, operands: Mapping[str, Value], compared: tuple[str, ...] = ()) -> Shape:
    """The shape that operands broadcast to; records the broadcast if their shapes differ.

    An operand of which nothing is known may have any shape, but keeps the others' trailing axes.
    """
    arrays = {name: value for name, value in operands.items() if isinstance(value, Tensor)}
    if not arrays and not _may_be_arrays(call, operands):
        raise Undetermined("no operand is known to be an array")
    shapes = [_shape(value) for value in operands.values()]
    if any(array.parameter for array in arrays.values()):
        teach(call, tuple(arrays.values()))
    shape = _common(shapes) or _broadcast(call, shapes)
    if len({array.shape for array in arrays.values()}) > 1:
        call.broadcasts.append(Broadcast(call.op, arrays, Tensor(shape), compared))
    return shape


def _may_be_arrays(call: Call, operands: Mapping[str, Value]) -> bool:
    """Whether operands are arrays, by the op that takes them, though nothing is known of them."""
    unknown = any(isinstance(value, Unknown) for value in operands.values())
    return call.framework is Framework.TORCH and unknown


def teach(call: Call, arrays: Sequence[Tensor]) -> None:
    """Learn from weights the sizes of the axes they meet; a conflict is left to be found later.

    A weight that has the size of an axis which it does not meet was meant for that one: the mean of
    each channel, `(3,)`, against images `(b, 3, h, w)` does not teach that they are 3 wide.
    """
    for weight in (array for array in arrays if array.parameter):
        for other in (array for array in arrays if not array.parameter):
            together = zip(weight.shape.suffix[::-1], other.shape.suffix[::-1], strict=False)
            sizes = {part.dim for part in other.shape.suffix}
            for own, met in together:
                meets = not (own.flexible or met.flexible or own.is_one or met.is_one)
                if meets and own.dim not in sizes:
                    call.requires(met.dim, own.dim)


def _common(shapes: list[Shape]) -> Shape | None:
    """The one shape there is, besides numbers: the usual case, in which nothing has to be done."""
    found = {shape for shape in shapes if shape.axes}
    if len(found) > 1:
        return None
    return found.pop() if found else _SCALAR


def _broadcast(call: Call, shapes: list[Shape]) -> Shape:
    outcome = broadcast(shapes, call.facts)
    if outcome.shape is None:
        raise Conflicting(_disagreement(call, shapes))
    if not outcome.decided:
        _require_order(call, shapes)
        _require_rows(call, shapes)
    call.facts = outcome.facts
    return outcome.shape


def _require_order(call: Call, shapes: list[Shape]) -> None:
    """Reject two arrays of the same axes in another order, though these may be of one size.

    A matrix and its transpose meet where matrices are square, the axes in front of them never do.
    """
    dims = [shape.dims or () for shape in shapes if shape.axes]
    if len(dims) != 2 or len(dims[0]) != len(dims[1]):
        return
    pairs = list(zip(*([call.facts.resolve(dim) for dim in each] for each in dims), strict=True))
    met = [pair for pair in pairs if _ONE not in pair]
    apart = [at for at, pair in enumerate(pairs) if pair in met and pair[0] != pair[1]]
    several = [dim for dim, _ in met if dim.value is None]
    same = Counter(dim for dim, _ in met) == Counter(dim for _, dim in met)
    turned = same and len({*several}) == len(several)
    if turned and apart and apart[0] < len(dims[0]) - 2:
        names = str(dims[0][apart[0]]), str(dims[1][apart[0]])
        texts = [shape.text for shape in shapes if shape.axes]
        raise Conflicting(wording.operands_differ(call.name, (texts[0], texts[1]), names))


def _require_rows(call: Call, shapes: list[Shape]) -> None:
    """Reject one number for each row beside rows of a literal width: `x / x.norm(dim=-1)`.

    It fits where there happen to be as many rows as columns, or a single row.
    """
    dims = [shape.dims for shape in shapes if shape.axes]
    if len(dims) != 2 or dims[0] is None or dims[1] is None:
        return
    both = [[*map(call.facts.resolve, each)] for each in dims if each is not None]
    numbers, rows = sorted(both, key=len)
    for number, met in zip(numbers[::-1], rows[::-1], strict=False):
        fits_rows = len(numbers) < len(rows) and number in rows
        if fits_rows and number.value is None and met.value not in {None, 0, 1}:
            texts = [shape.text for shape in shapes if shape.axes]
            names = (str(number), str(met)) if both[0] is numbers else (str(met), str(number))
            raise Conflicting(wording.operands_differ(call.name, (texts[0], texts[1]), names))


_SCALAR = Shape(())
_ONE = Dim.of(1)


def _shape(operand: Value) -> Shape:
    if isinstance(operand, Tensor):
        return operand.shape
    guessed = isinstance(operand, Dim) and operand.guessed
    if isinstance(operand, (Dim, bool, int, float, complex)) and not guessed:
        return _SCALAR
    if guessed or isinstance(operand, Unknown):
        return Shape.unknown()
    raise Undetermined("an operand is neither an array nor a number")


def _disagreement(call: Call, shapes: list[Shape]) -> Diagnostic:
    """The first two operands that cannot meet, and the dims that do not."""
    for at, right in enumerate(shapes):
        for left in shapes[:at]:
            met = broadcast((left, right), call.facts).conflict
            if met is not None:
                dims = str(_axis(left, met.index)), str(_axis(right, met.index))
                return wording.operands_differ(call.name, (left.text, right.text), dims)
    met = broadcast(shapes, call.facts).conflict
    texts = " and ".join(f"({shape.text})" for shape in shapes)
    return wording.sizes_misused(call.name, f"{texts} do not broadcast at axis {met and met.index}")


def _axis(shape: Shape, index: int) -> Part:
    """The axis that meets others at `index`, from the right or, before a variadic, the left."""
    return shape.axes[index if index >= 0 else len(shape.axes) + index]


def overwritten(call: Call, target: Tensor, result: Tensor) -> Tensor:
    """The operand that an in-place op writes: its shape stays, and has to hold the result."""
    wider = target.shape.rank is not None and result.shape.least_rank > target.shape.rank
    together = zip(target.shape.axes[::-1], result.shape.axes[::-1], strict=False)
    for own, new in () if target.shape.rank is None else together:
        if not isinstance(own, Axis) or not isinstance(new, Axis):
            break
        wider |= (
            not (own.flexible or new.flexible)
            and call.facts.compare(own.dim, new.dim) is Verdict.DIFFERENT
        )
    if wider:
        where = f"`{call.name}` in place"
        raise Conflicting(wording.shape_differs(where, target.shape.text, result.shape.text))
    _require_holds(call, target.dtype, result.dtype)
    return target


def _require_holds(call: Call, own: DType, new: DType) -> None:
    """A result of a higher kind cannot be written: a float into integers."""
    held, given = promotion.kinds(own), promotion.kinds(new)
    if held and given and all(higher(g, h) for g in given for h in held):
        where = f"`{call.name}` in place"
        raise Conflicting(wording.dtype_differs(where, promotion.text(own), promotion.text(new)))


def over(*names: str, dtype: str = "promoted") -> Callable[[Call], Tensor]:
    """A rule: elementwise over these arguments, with a result `promoted`, `floating` or `bool`."""

    def apply(call: Call) -> Tensor:
        if dtype == "bool":
            return elementwise(call, *names, dtype=promotion.BOOL)
        if dtype == "floating":
            operands = [call[name] for name in names if call[name] is not None]
            plain = promotion.promoted(call.framework, operands)
            return elementwise(call, *names, dtype=promotion.floating(call.framework, plain))
        return elementwise(call, *names)

    return apply


def alike(dtype: str = "same") -> Callable[[Call], Value]:
    """A rule: the input's shape, for a function of one array; `dtype` names a change of dtype."""
    change = _CHANGES[dtype]

    def apply(call: Call) -> Value:
        if isinstance(call["input"], (Dim, float)) and dtype == "floating":
            # NumPy's functions take numbers: `np.sqrt(d)`.
            return SOME_FLOAT
        array = call.tensor("input")
        result = Tensor(array.shape, change(call, array.dtype), trailing=array.trailing)
        return overwritten(call, array, result) if in_place(call.op) else result

    return apply


def _unless_bool(_call: Call, dtype: DType) -> DType:
    """The same dtype; frameworks differ on what arithmetic makes of a bool."""
    return ANY if dtype.names is None or "bool" in dtype.names else dtype


def _same(_call: Call, dtype: DType) -> DType:
    return dtype


def _floating(call: Call, dtype: DType) -> DType:
    return promotion.floating(call.framework, dtype)


def _real(_call: Call, dtype: DType) -> DType:
    return promotion.real(dtype)


def _bool(_call: Call, _dtype: DType) -> DType:
    return promotion.BOOL


_CHANGES: Mapping[str, Callable[[Call, DType], DType]] = {
    "same": _same,
    "number": _unless_bool,
    "floating": _floating,
    "real": _real,
    "bool": _bool,
}
