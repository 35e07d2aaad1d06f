# SPDX-License-Identifier: Apache-2.0
"""Axes in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.call import Framework
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position, positions, with_rank
from typedtensors.shapes import Shape, Variadic

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    "torch.transpose",
    "torch.Tensor.transpose",
    "torch.Tensor.transpose_",
    "torch.transpose_copy",
    "torch.swapaxes",
    "torch.Tensor.swapaxes",
    "torch.Tensor.swapaxes_",
    "torch.swapdims",
    "torch.Tensor.swapdims",
    "torch.Tensor.swapdims_",
    "numpy.swapaxes",
    "numpy.ndarray.swapaxes",
    params="input, dim0, dim1",
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
    "torch.t_copy",
    params="input",
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
    "torch.permute_copy",
    "numpy.transpose",
    "numpy.permute_dims",
    "numpy.ndarray.transpose",
    params="input, *axes, dims=None",
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
    if given in (None, ()) and call.framework is not Framework.TORCH:
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
