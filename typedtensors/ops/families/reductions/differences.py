# SPDX-License-Identifier: Apache-2.0
"""Neighbouring elements along an axis: differences, areas, running extremes, slopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.layout.joining import cat
from typedtensors.ops.fields import Fields
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.steps.axes.reduction import folded
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *torch_names("diff"),
    params="input, n=1, dim=-1, prepend=None, append=None, *, out=None",
    examples=(
        example(Array("b n")),
        example(Array("b 7"), 2),
        example(Array("n b"), dim=0),
        example(Array("*a n")),
        example(Array("b n"), prepend=Array("b 1")),
        example(Array("b n"), prepend=Array("b k"), append=Array("b 1")),
        example(Array("b n"), 1, 2),
    ),
)
def diff(call: Call) -> Value:
    """One element less for each time that neighbours are subtracted."""
    array, times = call.tensor("input"), literal(call["n"])
    if array.shape.rank == 0 or times < 0:
        raise Undetermined("a scalar has no neighbours")
    if times == 0:
        position(call, array.shape, call["dim"])
        return array
    joined = [call[name] for name in ("prepend", "input", "append") if call[name] is not None]
    if len(joined) > 1:
        more = {**call.arguments, "tensors": joined, "axis": None}
        found = cat(replace_arguments(call, more))
        if not isinstance(found, Tensor):
            raise Undetermined("the arrays may not be joined")
        array = found
    at = position(call, array.shape, call["dim"])
    axis = array.shape.axes[at]
    if not isinstance(axis, Axis) or axis.flexible:
        return array.with_shape(array.shape.replace(at, Axis(Dim.fresh())))
    return array.with_shape(array.shape.replace(at, Axis(_less(axis.dim, times))))


def _less(size: Dim, times: int) -> Dim:
    """The size less a number, and never below 0."""
    if size.value is not None:
        return Dim.of(max(size.value - times, 0))
    return size - times if times < 2 or at_most(Dim.of(times), size) else Dim.fresh()


_ALONG = (
    example(Array("b n")),
    example(Array("b n"), Array("n")),
    example(Array("b n"), dx=0.5, dim=0),
    example(Array("*a n"), dim=-1),
)


@rule(
    *("torch.trapezoid", "torch.trapz"),
    params="y, x=None, *, dx=1.0, dim=-1",
    examples=_ALONG,
)
def trapezoid(call: Call) -> Value:
    """The area along an axis, which goes."""
    call.arguments = {**call.arguments, "input": call["y"]}
    _require_positions(call)
    array = call.tensor("y")
    if array.shape.rank == 0:
        raise Undetermined("a scalar has no area")
    return folded(call, _float(array))


def _float(array: Tensor) -> DType:
    return array.dtype if promotion.kinds(array.dtype) == frozenset({"float"}) else ANY


def _require_positions(call: Call) -> None:
    """Positions that are given are those of the values; others may broadcast."""
    given, array = call["x"], call.tensor("y")
    if given is None:
        return
    if not isinstance(given, Tensor) or array.shape.rank is None or given.dtype != array.dtype:
        raise Undetermined("the positions are not known")
    last = position(call, array.shape, call["dim"]) == array.shape.rank - 1
    if given.shape != Shape(array.shape.axes[-1:]) or not last:
        raise Undetermined("the positions may widen the values")


@rule(
    "torch.cumulative_trapezoid",
    params="y, x=None, *, dx=1.0, dim=-1",
    examples=_ALONG,
)
def cumulative_trapezoid(call: Call) -> Value:
    """The area so far along an axis, which has one element less."""
    _require_positions(call)
    array = call.tensor("y")
    if array.shape.rank == 0:
        raise Undetermined("a scalar has no area")
    at = position(call, array.shape, call["dim"])
    axis = array.shape.axes[at]
    known = isinstance(axis, Axis) and not axis.flexible
    size = _less(axis.dim, 1) if known and isinstance(axis, Axis) else Dim.fresh()
    return Tensor(array.shape.replace(at, Axis(size)), _float(array))


@rule(
    *torch_names("cummax", "cummin"),
    params="input, dim, *, out=None",
    examples=(
        example(Array("b n"), -1),
        example(Array("b n", "Int64"), 0),
        example(Array("*a n"), dim=-1),
        example(Array("b n"), 2),
    ),
)
def running_extreme(call: Call) -> Value:
    """The largest so far, and where it was."""
    array = call.tensor("input")
    if array.shape.rank == 0:
        raise Undetermined("torch lets a scalar pass")
    position(call, array.shape, call["dim"])
    return Fields.of(values=array, indices=array.with_dtype(promotion.INT64))


@rule(
    "torch.gradient",
    params="input, *, spacing=1, dim=None, edge_order=1",
    examples=(
        example(Array("5 6")),
        example(Array("b 6"), dim=1),
        example(Array("5 6"), dim=(0, 1)),
        example(Array("b n"), dim=2),
    ),
)
def gradient(call: Call) -> Value:
    """The slope along each of the axes, which have two elements or more."""
    array, dims = call.tensor("input"), call["dim"]
    if array.shape.rank in (None, 0):
        raise Undetermined("the rank is not known")
    if dims is None:
        dims = tuple(Dim.of(at) for at in range(len(array.shape.axes)))
    several = dims if isinstance(dims, (tuple, list)) else (dims,)
    found = [position(call, array.shape, dim) for dim in several]
    for at in found:
        axis = array.shape.axes[at]
        size = axis.dim.value if isinstance(axis, Axis) and not axis.flexible else None
        if size is None:
            raise Undetermined("the axis may have one element")
        if size < 2:
            raise Conflicting(wording.misused(call.name, f"a slope of {size} elements"))
    if (
        len(set(found)) < len(found)
        or call["spacing"] != Dim.of(1)
        or call["edge_order"] != Dim.of(1)
    ):
        raise Undetermined("the axes or what is between them are not known")
    dtype = array.dtype if promotion.kinds(array.dtype) == frozenset({"float"}) else ANY
    return (array.with_dtype(dtype),) * len(found)


@rule(
    *torch_names("kthvalue"),
    params="input, k, dim=-1, keepdim=False, *, out=None",
    examples=(example(Array("b n"), 1), example(Array("b n d"), 1, 1, True)),
)
def kthvalue(call: Call) -> Value:
    """The `k`th smallest along an axis, and where it stands."""
    array = call.tensor("input")
    if literal(call["k"]) < 1:
        raise Conflicting(wording.misused(call.name, f"number {call['k']} in order"))
    _require_place(call, array)
    found = folded(call, array.dtype)
    return Fields.of(values=found, indices=found.with_dtype(promotion.INT64))


def _require_place(call: Call, array: Tensor) -> None:
    """The axis has as many elements. Raises Conflicting if it certainly has fewer."""
    wanted = literal(call["k"])
    if wanted == 1:
        return
    if array.shape.rank == 0:
        raise Conflicting(wording.misused(call.name, f"number {wanted} of one"))
    axis = array.shape.axes[position(call, array.shape, call["dim"])]
    size = axis.dim.value if isinstance(axis, Axis) and not axis.flexible else None
    if size is not None and size < wanted:
        raise Conflicting(wording.misused(call.name, f"number {wanted} of {size}"))
    if size is None:
        raise Undetermined("the axis may have fewer elements")


@rule(
    *torch_names("msort"),
    params="input, *, out=None",
    examples=(example(Array("b n")), example(Array("*a n"))),
)
def msort(call: Call) -> Value:
    """In order along the first axis."""
    return call.tensor("input")


@rule(
    *torch_names("renorm", in_place=True),
    params="input, p, dim, maxnorm, *, out=None",
    examples=(example(Array("b n"), 2, 0, 1.0), example(Array("b n"), 1, -1, maxnorm=5)),
)
def renorm(call: Call) -> Value:
    """Slices along an axis, none of them longer than a number."""
    array = call.tensor("input")
    if array.shape.rank is None or array.shape.rank < 2:
        raise Undetermined("the rank is not known")
    if isinstance(call["p"], Dim) and at_most(call["p"], Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"a norm of {call['p']}"))
    position(call, array.shape, call["dim"])
    return array


@rule(
    *torch_names("rot90"),
    params="input, k=1, dims=(0, 1)",
    examples=(
        example(Array("h w")),
        example(Array("b h w"), 1, (1, 2)),
        example(Array("b h w"), 2, [-2, -1]),
        example(Array("b h w"), k=-1, dims=(0, 3)),
    ),
)
def rot90(call: Call) -> Value:
    """A plane turned by right angles: an odd number of them swaps its axes."""
    array, times, dims = call.tensor("input"), literal(call["k"]), call["dims"]
    if not isinstance(dims, (tuple, list)) or len(dims) != 2:
        raise Undetermined("the plane is not known")
    if array.shape.rank is None:
        raise Undetermined("the rank is not known")
    one, other = (position(call, array.shape, dim) for dim in dims)
    if one == other:
        raise Conflicting(wording.misused(call.name, "names an axis twice"))
    if times % 2 == 0:
        return array
    parts = list(array.shape.axes)
    parts[one], parts[other] = parts[other], parts[one]
    return array.with_shape(Shape(tuple(parts)))
