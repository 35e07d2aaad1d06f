# SPDX-License-Identifier: Apache-2.0
"""The same elements in another shape: view, reshape, flatten, unflatten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.elements import reshaped
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.steps.axes.sizes import parts, sizes
from typedtensors.shapes import Axis, DType, Intent, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


@rule(
    "torch.reshape",
    "torch.Tensor.reshape",
    "torch.Tensor.view",
    "torch.view_copy",
    "numpy.reshape",
    "numpy.ndarray.reshape",
    params="input, *sizes, shape=None, size=None, order='C', copy=None",
    examples=(
        example(Array("b t d"), (Dim.name("b"), -1)),
        example(Array("b t 6"), (-1, 2, 3)),
        example(Array("b t 6"), (Dim.name("b"), Dim.name("t"), 4)),
        example(Array("b n"), (Dim.name("b"), 1, Dim.name("n"))),
        example(Array("b n"), (Dim.name("n"), Dim.name("b"), 1)),
        example(Array("b n m"), (Dim.name("b"), Dim.name("m"))),
        example(Array("b d"), (Dim.name("b"), 2, -1)),
        example(Array("b d"), (-1, -1)),
        example(Array(""), (1, 1)),
    ),
)
def reshape(call: Call) -> Value:
    """The given sizes; a 1 among them is meant to broadcast."""
    array = call.tensor("input")
    given = call["sizes"]
    if isinstance(given, tuple) and any(isinstance(each, DType) for each in given):
        raise Undetermined("a view as another dtype")
    wanted = [meant(part) for part in sizes(call, "sizes", "shape", "size")]
    return array.with_shape(reshaped(call, array.shape, wanted))


def meant(part: Part) -> Part:
    """A size that is asked for: a 1 is meant to broadcast."""
    if isinstance(part, Axis) and part.is_one:
        return replace(part, intent=Intent.VIEW)
    return part


@rule(
    "torch.Tensor.view_as",
    "torch.Tensor.reshape_as",
    params="input, other",
    examples=(
        example(Array("b n d"), Array("d b n")),
        example(Array("b 6"), Array("b 2 3")),
        example(Array("b n"), Array("b m")),
    ),
)
def reshape_as(call: Call) -> Value:
    """The other's shape."""
    array, other = call.tensor("input"), call.tensor("other")
    return array.with_shape(reshaped(call, array.shape, other.shape.axes))


@rule(
    "torch.flatten",
    "torch.Tensor.flatten",
    params="input, start_dim=0, end_dim=-1",
    examples=(
        example(Array("b c h w")),
        example(Array("b c h w"), 1),
        example(Array("b c h w"), 1, 2),
        example(Array("b c h w"), start_dim=-2),
        example(Array("b c h w"), end_dim=-3),
        example(Array("b c"), 2),
        example(Array("b c"), 1, 0),
        example(Array("")),
    ),
)
def flatten(call: Call) -> Value:
    """The axes from `start_dim` to `end_dim` become one."""
    array = call.tensor("input")
    start, end = literal(call["start_dim"]), literal(call["end_dim"])
    return array.with_shape(flattened(call, array.shape, start, end))


def flattened(call: Call, shape: Shape, start: int, end: int) -> Shape:
    """The shape with the axes from number `start` to `end` merged."""
    if shape.rank == 0:
        for number in (start, end):
            if number not in (0, -1):
                raise Conflicting(wording.axis_missing(call.name, number, shape.text))
        return Shape.of(1)
    last = len(shape.axes) - 1 if end == -1 else position(call, shape, Dim.of(end))
    if shape.variadic is not None and start >= len(shape.prefix):
        first = shape.variadic
    else:
        first = position(call, shape, Dim.of(start))
    if first > last:
        raise Conflicting(wording.misused(call.name, f"axis {start} comes after axis {end}"))
    # A start among axes that are not known still says how many come before it.
    lead = tuple(Axis(Dim.fresh()) for _ in range(start - first)) if start > first else ()
    merged = _merged(call, shape.axes[first : last + 1])
    return Shape((*shape.axes[:first], *lead, merged, *shape.axes[last + 1 :]))


def _merged(call: Call, axes: tuple[Part, ...]) -> Part:
    if len(axes) == 1 and isinstance(axes[0], Axis):
        return axes[0]
    return reshaped(call, Shape(axes), (Axis(Dim.of(-1)),)).axes[0]


@rule(
    "torch.ravel",
    "torch.Tensor.ravel",
    "numpy.ravel",
    "numpy.ndarray.ravel",
    "numpy.ndarray.flatten",
    params="input, order='C'",
    examples=(example(Array("b n")), example(Array("n")), example(Array(""))),
)
def ravel(call: Call) -> Value:
    """One axis of all elements."""
    array = call.tensor("input")
    shape = array.shape
    return array.with_shape(Shape.of(1) if shape.rank == 0 else Shape((_merged(call, shape.axes),)))


@rule(
    "torch.unflatten",
    "torch.Tensor.unflatten",
    params="input, dim, sizes",
    examples=(
        example(Array("b 6"), 1, (2, 3)),
        example(Array("b 6"), -1, (2, -1)),
        example(Array("b 6"), 1, (2, 2)),
        example(Array("b 6"), 2, (2, 3)),
    ),
)
def unflatten(call: Call) -> Value:
    """One axis becomes several."""
    return unflattened(call, call["sizes"])


def unflattened(call: Call, sizes: Value) -> Tensor:
    """The array with the axis `dim` of the call split."""
    array = call.tensor("input")
    at = position(call, array.shape, call["dim"])
    axis = Shape((array.shape.axes[at],))
    split = reshaped(call, axis, [meant(part) for part in parts(sizes)])
    return array.with_shape(array.shape.replace(at, *split.axes))


@layer(
    "torch.nn.Flatten",
    params="start_dim=1, end_dim=-1",
    examples=(
        example(Array("b c h w")).on(),
        example(Array("b c h w")).on(0, 2),
        example(Array("b c h w")).on(start_dim=2),
        example(Array("b")).on(),
    ),
)
def flatten_layer(call: Call) -> Value:
    """The axes from `start_dim` to `end_dim` become one."""
    return flatten(call)


@layer(
    "torch.nn.Unflatten",
    params="dim, unflattened_size",
    examples=(
        example(Array("b 6")).on(1, (2, 3)),
        example(Array("b 6 n")).on(1, (2, 2)),
    ),
)
def unflatten_layer(call: Call) -> Value:
    """One axis becomes several."""
    return unflattened(call, call["unflattened_size"])
