# SPDX-License-Identifier: Apache-2.0
"""Axes of size 1 that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import insertion, position, positions
from typedtensors.shapes import Axis, Intent, Shape, Variadic

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


@rule(
    "torch.unsqueeze",
    "torch.Tensor.unsqueeze",
    "torch.Tensor.unsqueeze_",
    "torch.unsqueeze_copy",
    params="input, dim",
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
    return array.with_shape(Shape((*axes[:at], unit(), *axes[at:])))


def unit() -> Axis:
    """A new axis of size 1 that is meant to broadcast."""
    return Axis(Dim.of(1), intent=Intent.UNSQUEEZE)


@rule(
    "numpy.expand_dims",
    params="input, axis",
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
        return array.with_shape(Shape((*array.shape.axes[:at], unit(), *array.shape.axes[at:])))
    if array.shape.fixed is None:
        raise Undetermined("the rank is not known")
    rank = len(array.shape.fixed) + len(numbers)
    new = positions(call, Shape.of(*[1] * rank), tuple(numbers))
    old = iter(array.shape.axes)
    return array.with_shape(Shape(tuple(unit() if at in new else next(old) for at in range(rank))))


@rule(
    "torch.squeeze",
    "torch.Tensor.squeeze",
    "torch.Tensor.squeeze_",
    "torch.squeeze_copy",
    "numpy.squeeze",
    "numpy.ndarray.squeeze",
    params="input, dim=None, axis=None",
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
    if call.framework is Framework.TENSORFLOW and isinstance(named, (tuple, list)):
        # It takes an axis that is named twice.
        dropped = tuple(position(call, array.shape, number) for number in named)
    else:
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
    if call.framework is not Framework.TORCH:
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
    return array.with_shape(Shape((*[unit()] * before, *axes, *[unit()] * behind)))
