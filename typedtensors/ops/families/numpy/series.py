# SPDX-License-Identifier: Apache-2.0
"""Series: convolved, counted, continued at their ends; and tables of all pairs of two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most, maximum, minimum, product
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_ARITHMETIC = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "greater")


@rule(
    *(f"numpy.{name}.outer" for name in _ARITHMETIC),
    params="a, b",
    examples=(
        example(Array("n"), Array("m")),
        example(Array("b n"), Array("m")),
        example(Array("n"), 2.0),
    ),
)
def outer_of(call: Call) -> Value:
    """The axes of one array, and then those of the other."""
    shapes = [
        value.shape if isinstance(value, Tensor) else Shape(())
        for value in (call["a"], call["b"])
        if isinstance(value, (Tensor, Dim, float))
    ]
    if len(shapes) < 2 or any(shape.rank is None for shape in shapes):
        raise Undetermined("the axes are not known")
    return Tensor(Shape((*shapes[0].axes, *shapes[1].axes)), ANY)


@rule(
    "numpy.convolve",
    params="a, v, mode='full'",
    examples=(
        example(Array("n"), Array("m")),
        example(Array("n"), Array("5"), "same"),
        example(Array("n"), Array("m"), mode="valid"),
        example(Array("b n"), Array("m")),
    ),
)
def convolve(call: Call) -> Value:
    """Each position at which two series overlap; or as many as the longer has, or fits in."""
    longer, shorter = _size(call, "a"), _size(call, "v")
    modes = {
        "full": longer + shorter - 1,
        "same": maximum(longer, shorter),
        "valid": maximum(longer, shorter) - minimum(longer, shorter) + 1,
    }
    mode = call["mode"]
    if not isinstance(mode, str) or mode not in modes:
        raise Undetermined("the mode is not known")
    dtype = promotion.promoted(call.framework, (call["a"], call["v"]))
    return Tensor(Shape((Axis(modes[mode]),)), dtype)


def _size(call: Call, name: str) -> Dim:
    array = call.tensor(name)
    if array.shape.rank is None or array.shape.rank == 0:
        raise Undetermined("the length of a series is not known")
    if array.shape.rank > 1:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, "n", array.shape.text))
    axis = array.shape.axis(0)
    if axis is None or axis.flexible or at_most(axis.dim, Dim.of(0)):
        raise Undetermined("the length of a series is not known")
    return axis.dim


@rule(
    "numpy.histogram",
    params="a, bins=10, range=None, density=None, weights=None",
    examples=(
        example(Array("n")),
        example(Array("b n"), 5),
        example(Array("n"), Dim.name("k")),
    ),
)
def histogram(call: Call) -> Value:
    """A count for each bin, and the edges of the bins."""
    bins = call.dim("bins")
    if at_most(bins, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"{bins} bins"))
    return Tensor(Shape((Axis(bins),)), ANY), Tensor(Shape((Axis(bins + 1),)), ANY)


@rule(
    "numpy.pad",
    params="array, pad_width, mode='constant', **kwargs",
    examples=(
        example(Array("n"), 2),
        example(Array("b n"), (1, 2)),
        example(Array("b n"), ((0, 0), (1, 3))),
        example(Array("b n"), ((0, 0), (1, 1)), "edge"),
    ),
)
def pad(call: Call) -> Value:
    """Each axis is continued before and after."""
    array = call.tensor("array")
    if array.shape.rank is None:
        raise Undetermined("the axes are not known")
    widths = _widths(call["pad_width"], array.shape.rank)
    axes = zip(array.shape.axes, widths, strict=True)
    return array.with_shape(Shape(tuple(_padded(part, width) for part, width in axes)))


def _widths(given: Value, rank: int) -> Sequence[Dim]:
    """How much is added to each of the axes."""
    if isinstance(given, Dim):
        return [_sum((given, given))] * rank
    if not isinstance(given, (tuple, list)) or not given:
        raise Undetermined("what is added is not known")
    if isinstance(given[0], Dim):
        pairs: Sequence[Value] = [given if len(given) > 1 else (given[0], given[0])] * rank
    else:
        pairs = list(given) * rank if len(given) == 1 else list(given)
    if len(pairs) != rank:
        raise Undetermined("as many pairs as axes are needed")
    return [_sum(pair) for pair in pairs]


def _sum(pair: Value) -> Dim:
    """Both ends of one axis together."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise Undetermined("what is added is not known")
    before, after = pair
    if not isinstance(before, Dim) or not isinstance(after, Dim):
        raise Undetermined("what is added is not known")
    if at_most(before, Dim.of(-1)) or at_most(after, Dim.of(-1)):
        raise Undetermined("nothing is added that is less than nothing")
    return before + after


def _padded(part: Part, width: Dim) -> Axis:
    if not isinstance(part, Axis) or part.flexible:
        raise Undetermined("an axis of which little is known")
    return Axis(part.dim + width) if width != Dim.of(0) else part


@rule(
    "numpy.append",
    params="arr, values, axis=None",
    examples=(
        example(Array("n"), Array("m")),
        example(Array("n"), 1.0),
        example(Array("b n"), Array("c n"), 0),
        example(Array("b n"), Array("b m"), axis=1),
    ),
)
def append(call: Call) -> Value:
    """One array after another, flat unless an axis is given."""
    array, values = call.tensor("arr"), call["values"]
    # A number becomes an array of 64 bits first.
    known = isinstance(values, Tensor)
    dtype = promotion.promoted(call.framework, (array, values)) if known else ANY
    if call["axis"] is None:
        more = Dim.of(1) if isinstance(values, (Dim, float)) else _count(values)
        return Tensor(Shape((Axis(_count(array) + more),)), dtype)
    other = call.tensor("values")
    at = position(call, array.shape, call["axis"])
    if array.shape.rank is None or other.shape.rank != array.shape.rank:
        raise Undetermined("the axes are not known to agree")
    own, added = array.shape.axes[at], other.shape.axes[at]
    rest = array.shape.replace(at), other.shape.replace(at)
    if rest[0] != rest[1] or not isinstance(own, Axis) or not isinstance(added, Axis):
        raise Undetermined("the other axes are not known to agree")
    if own.flexible or added.flexible:
        raise Undetermined("an axis of which little is known")
    return Tensor(array.shape.replace(at, Axis(own.dim + added.dim)), dtype)


def _count(array: Value) -> Dim:
    """How many elements an array has."""
    if not isinstance(array, Tensor) or array.shape.dims is None:
        raise Undetermined("the number of elements is not known")
    return product(array.shape.dims)
