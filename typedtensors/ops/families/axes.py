# SPDX-License-Identifier: Apache-2.0
"""Axes in another order, and axes of size 1 that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.positions import insertion, position, positions, with_rank
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.shapes import Axis, Intent, Shape, Variadic

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

FAMILY = "layout"


@rule(
    "torch.transpose",
    "torch.Tensor.transpose",
    "torch.Tensor.transpose_",
    "torch.swapaxes",
    "torch.Tensor.swapaxes",
    "torch.Tensor.swapaxes_",
    "torch.swapdims",
    "torch.Tensor.swapdims",
    "torch.Tensor.swapdims_",
    "numpy.swapaxes",
    "numpy.ndarray.swapaxes",
    params="input, dim0, dim1",
    family=FAMILY,
    examples=(
        example(Array("b n d"), 1, 2),
        example(Array("b n d"), -1, -2),
        example(Array("b n d"), 0, 0),
        example(Array("b n"), 0, 2),
    ),
)
def transpose(call: Call) -> Value:
    """Two axes change places."""
    array = call.tensor("input")
    one, other = (position(call, array.shape, call[name]) for name in ("dim0", "dim1"))
    axes = list(array.shape.axes)
    axes[one], axes[other] = axes[other], axes[one]
    return array.with_shape(Shape(tuple(axes)))


@rule(
    "torch.t",
    "torch.Tensor.t",
    "torch.Tensor.t_",
    params="input",
    family=FAMILY,
    examples=(
        example(Array("n m")),
        example(Array("n")),
        example(Array("")),
        example(Array("b n m")),
    ),
)
def t(call: Call) -> Value:
    """The transpose of a matrix; a vector as it is."""
    array = call.tensor("input")
    if array.shape.least_rank > 2:
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "n m", array.shape.text))
    return array.with_shape(_reversed(array.shape))


@rule(
    "torch.Tensor.T",
    "torch.Tensor.H",
    "numpy.ndarray.T",
    params="input",
    family=FAMILY,
    examples=(example(Array("n m")), example(Array(""))),
)
def reverse(call: Call) -> Value:
    """The axes in reverse order."""
    array = call.tensor("input")
    if call.op == "torch.Tensor.H" and array.shape.rank not in (0, 2):
        raise Undetermined("H is for matrices")
    return array.with_shape(_reversed(array.shape))


@rule(
    "torch.Tensor.mT",
    "torch.Tensor.mH",
    "torch.adjoint",
    "torch.Tensor.adjoint",
    "numpy.ndarray.mT",
    "numpy.matrix_transpose",
    params="input",
    family=FAMILY,
    examples=(example(Array("b n m")), example(Array("n m")), example(Array("n"))),
)
def matrix_transpose(call: Call) -> Value:
    """The last two axes change places."""
    array = call.tensor("input")
    shape = array.shape
    if shape.rank == 0:
        raise Undetermined("torch lets a scalar pass for a matrix")
    if shape.rank == 1:
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "... n m", shape.text))
    last, before = (position(call, shape, Dim.of(number)) for number in (-1, -2))
    return array.with_shape(Shape((*shape.axes[:before], shape.axes[last], shape.axes[before])))


def _reversed(shape: Shape) -> Shape:
    """The parts from right to left; the axes of a variadic are others in reverse."""
    parts = (Variadic.fresh() if isinstance(part, Variadic) else part for part in shape.axes[::-1])
    return Shape(tuple(parts))


@rule(
    "torch.permute",
    "torch.Tensor.permute",
    "numpy.transpose",
    "numpy.permute_dims",
    "numpy.ndarray.transpose",
    params="input, *axes, dims=None",
    family=FAMILY,
    examples=(
        example(Array("b n d"), (2, 0, 1)),
        example(Array("b n d"), (0, -1, 1)),
        example(Array("b n d"), (0, 1)),
        example(Array("b n d"), (0, 1, 1)),
        example(Array("b n d"), (0, 1, 3)),
    ),
)
def permute(call: Call) -> Value:
    """The axes in the given order; NumPy reverses them if none is given."""
    array = call.tensor("input")
    order = _order(call)
    if order is None:
        return array.with_shape(_reversed(array.shape))
    shape = with_rank(array.shape, len(order))
    if shape is None:
        expected = " ".join(["_"] * len(order))
        raise Conflicting(wording.rank_differs(f"`{call.name}`", expected, array.shape.text))
    places = positions(call, shape, order)
    return array.with_shape(Shape(tuple(shape.axes[at] for at in places)))


def _order(call: Call) -> tuple[Value, ...] | None:
    given = call["axes"] or call["dims"]
    if isinstance(given, tuple) and len(given) == 1 and not isinstance(given[0], Dim):
        given = given[0]
    if given in (None, ()) and call.framework is Framework.NUMPY:
        return None
    if not isinstance(given, (tuple, list)):
        raise Undetermined("the order of the axes is not known")
    return tuple(given)


@rule(
    "torch.movedim",
    "torch.Tensor.movedim",
    "torch.moveaxis",
    "torch.Tensor.moveaxis",
    "numpy.moveaxis",
    params="input, source, destination",
    family=FAMILY,
    examples=(
        example(Array("b c h w"), 1, -1),
        example(Array("b c h w"), -1, 0),
        example(Array("b c h w"), (1, 2), (-1, 0)),
        example(Array("b c"), (0, 0), (0, 1)),
        example(Array("b c"), 2, 0),
    ),
)
def movedim(call: Call) -> Value:
    """Axes go to the given places, the others keep their order."""
    array = call.tensor("input")
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank is not known")
    sources = positions(call, array.shape, call["source"])
    targets = positions(call, array.shape, call["destination"])
    if len(sources) != len(targets):
        problem = f"moves {len(sources)} axes to {len(targets)} places"
        raise Conflicting(wording.misused(call.name, problem))
    placed = dict(zip(targets, sources, strict=True))
    others = iter(at for at in range(len(axes)) if at not in sources)
    order = (placed[at] if at in placed else next(others) for at in range(len(axes)))
    return array.with_shape(Shape(tuple(axes[at] for at in order)))


@rule(
    "torch.unsqueeze",
    "torch.Tensor.unsqueeze",
    "torch.Tensor.unsqueeze_",
    params="input, dim",
    family=FAMILY,
    examples=(
        example(Array("b n"), 0),
        example(Array("b n"), 2),
        example(Array("b n"), -1),
        example(Array("b n"), -3),
        example(Array("b n"), 3),
        example(Array("b n"), -4),
        example(Array(""), 0),
    ),
)
def unsqueeze(call: Call) -> Value:
    """A new axis of size 1 that is meant to broadcast."""
    array = call.tensor("input")
    at = insertion(call, array.shape, call["dim"])
    axes = array.shape.axes
    return array.with_shape(Shape((*axes[:at], _unit(), *axes[at:])))


def _unit() -> Axis:
    return Axis(Dim.of(1), intent=Intent.UNSQUEEZE)


@rule(
    "numpy.expand_dims",
    params="input, axis",
    family=FAMILY,
    examples=(
        example(Array("b n"), 0),
        example(Array("b n"), (0, -1)),
        example(Array("b n"), 4),
    ),
)
def expand_dims(call: Call) -> Value:
    """New axes of size 1, at the numbers they have in the result."""
    array = call.tensor("input")
    given = call["axis"]
    numbers = given if isinstance(given, (tuple, list)) else (given,)
    if len(numbers) == 1:
        at = insertion(call, array.shape, numbers[0])
        return array.with_shape(Shape((*array.shape.axes[:at], _unit(), *array.shape.axes[at:])))
    if array.shape.fixed is None:
        raise Undetermined("the rank is not known")
    rank = len(array.shape.fixed) + len(numbers)
    new = positions(call, Shape.of(*[1] * rank), tuple(numbers))
    old = iter(array.shape.axes)
    return array.with_shape(Shape(tuple(_unit() if at in new else next(old) for at in range(rank))))


@rule(
    "torch.squeeze",
    "torch.Tensor.squeeze",
    "torch.Tensor.squeeze_",
    "numpy.squeeze",
    "numpy.ndarray.squeeze",
    params="input, dim=None, axis=None",
    family=FAMILY,
    examples=(
        example(Array("b 1 d 1")),
        example(Array("b 1 d 1"), 1),
        example(Array("b 1 d 1"), -1),
        example(Array("b 1 d 1"), (1, 3)),
        example(Array("b 3 1"), 1),
        example(Array("b 1"), 2),
        example(Array("1 1")),
    ),
)
def squeeze(call: Call) -> Value:
    """Without axes of size 1: all of them, or those that are named.

    A size that is no literal may be 1. An axis that is named may go then. Where none is named and
    literal ones go, the others are taken to stay; where there is no literal one, the author must
    have thought of another.
    """
    array = call.tensor("input")
    named = call["axis"] if call["dim"] is None else call["dim"]
    if named is None:
        return array.with_shape(_without_ones(array.shape))
    dropped = positions(call, array.shape, named)
    kept: list[Part] = []
    for at, part in enumerate(array.shape.axes):
        kept += [part] if at not in dropped else _squeezed(call, part)
    if sum(isinstance(part, Variadic) for part in kept) > 1:
        raise Undetermined("a squeezed axis may be of size 1")
    return array.with_shape(Shape(tuple(kept)))


def _without_ones(shape: Shape) -> Shape:
    axes = shape.fixed
    if axes is None or any(axis.flexible or not axis.dim.declared for axis in axes):
        raise Undetermined("an axis may be of size 1")
    kept = tuple(axis for axis in axes if not axis.is_one)
    if len(kept) == len(axes) and any(axis.dim.value is None for axis in axes):
        raise Undetermined("a squeezed axis may be of size 1")
    return Shape(kept)


def _squeezed(call: Call, part: Part) -> list[Part]:
    """What is left of one axis that is named."""
    size = part.dim.value if isinstance(part, Axis) and not part.flexible else None
    if size is None:
        return [Variadic.fresh()]
    if size == 1:
        return []
    if call.framework is Framework.NUMPY:
        raise Conflicting(wording.misused(call.name, f"the axis to remove has size {size}, not 1"))
    return [part]


@rule(
    "torch.atleast_1d",
    "torch.atleast_2d",
    "torch.atleast_3d",
    "numpy.atleast_1d",
    "numpy.atleast_2d",
    "numpy.atleast_3d",
    params="input",
    family=FAMILY,
    examples=(example(Array("")), example(Array("n")), example(Array("b n"))),
)
def atleast(call: Call) -> Value:
    """New axes of size 1 until there are as many as the name says."""
    array = call.tensor("input")
    least = int(call.op[-2])
    if array.shape.least_rank >= least:
        return array
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank is not known")
    # A matrix among three axes stands in front of the new one, a vector in the middle.
    behind = 1 if least == 3 and axes else 0
    before = least - len(axes) - behind
    return array.with_shape(Shape((*[_unit()] * before, *axes, *[_unit()] * behind)))
