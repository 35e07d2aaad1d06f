# SPDX-License-Identifier: Apache-2.0
"""How many elements fall between boundaries, and one value for each run of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import folded, require_inexact
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_UINT64 = DType.exactly("uint64")


def _bins(call: Call, given: Value, array: Tensor) -> Axis:
    """How many bins there are: a number, or one less than boundaries."""
    if isinstance(given, Tensor):
        if given.dtype != array.dtype or given.shape.rank != 1:
            raise Undetermined("the boundaries are not known to be a vector")
        (axis,) = given.shape.prefix
        if axis.flexible or at_most(call.facts.resolve(axis.dim), Dim.of(1)):
            raise Undetermined("there may be no bin")
        return Axis(axis.dim - 1)
    if not isinstance(given, Dim):
        raise Undetermined("the bins are not known")
    if at_most(given, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"{given} bins"))
    return Axis(given)


def _edges(array: Tensor, bins: Axis) -> Tensor:
    return Tensor(Shape((Axis(bins.dim + 1),)), array.dtype)


def _require_plain(call: Call, array: Tensor) -> None:
    require_inexact(call, array)
    weight = call["weight"]
    each = array.shape if call.name == "histogram" else Shape(array.shape.axes[:-1])
    fits = isinstance(weight, Tensor) and weight.shape == each and weight.dtype == array.dtype
    if (weight is not None and not fits) or promotion.kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("weights have to fit")


@rule(
    *torch_names("histogram"),
    params="input, bins=100, *, range=None, weight=None, density=False, out=None",
    examples=(
        example(Array("b n"), 5),
        example(Array("*a"), Dim.name("k"), range=(0.0, 2.0)),
        example(Array("n"), Array("k")),
        example(Array("n"), 0),
    ),
)
def histogram(call: Call) -> Value:
    """The counts, and the boundaries of the bins."""
    array = call.tensor("input")
    _require_plain(call, array)
    bins = _bins(call, call["bins"], array)
    return Fields.of(hist=Tensor(Shape((bins,)), array.dtype), bin_edges=_edges(array, bins))


@rule(
    "torch.histogramdd",
    params="input, bins, range=None, weight=None, density=False",
    examples=(
        example(Array("n 3"), [2, 3, 4]),
        example(Array("n 2"), 3),
        example(Array("n 2"), [Array("k"), Array("j")]),
        example(Array("n 3"), [2, 3]),
    ),
)
def histogram_of_points(call: Call) -> Value:
    """The counts in a box for each dimension of the points, which the last axis holds."""
    array, given = call.tensor("input"), call["bins"]
    _require_plain(call, array)
    if array.shape.least_rank < 2 or array.shape.suffix[-1:] == ():
        raise Undetermined("the points are not known")
    count = call.facts.resolve(array.shape.suffix[-1].dim).value
    if count is None or array.shape.suffix[-1].flexible:
        raise Undetermined("how many dimensions the points have is not known")
    several = given if isinstance(given, (tuple, list)) else (given,) * count
    if len(several) != count:
        problem = f"bins for {len(several)} dimensions of points that have {count}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    bins = [_bins(call, each, array) for each in several]
    edges = [_edges(array, each) for each in bins]
    return Fields.of(hist=Tensor(Shape(tuple(bins)), array.dtype), bin_edges=edges)


@rule(
    *torch_names("hash_tensor"),
    params="input, dim=(), keepdim=False, mode=0, *, out=None",
    examples=(example(Array("b n")), example(Array("b n"), dim=1, keepdim=True)),
)
def hashed(call: Call) -> Value:
    """A number for all elements that are folded."""
    return folded(call, _UINT64)


@rule(
    "torch.segment_reduce",
    params="data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, "
    "initial=None",
    examples=(
        example(Array("2*k n"), "sum", offsets=Array("2", "Int64", 0), initial=0),
        example(Array("b n"), "max", offsets=Array("2", "Int64", 0), initial=1),
    ),
)
def segment_reduce(call: Call) -> Value:
    """One row for each segment: as many as lengths, or one less than offsets."""
    array, lengths, offsets = call.tensor("data"), call["lengths"], call["offsets"]
    rank = array.shape.rank
    if rank is None or not rank or promotion.kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("the rows are not known")
    given = offsets if lengths is None else lengths
    if not isinstance(given, Tensor) or not given.shape.suffix:
        raise Undetermined("the segments are not known")
    axis = given.shape.suffix[-1]
    lead = Shape(given.shape.axes[:-1])
    at = 0 if call["axis"] is None else call.integer("axis")
    if axis.flexible or lead.axes != array.shape.axes[:at] or at != len(lead.axes):
        raise Undetermined("the segments are not known to be those of the axis")
    count = axis if lengths is not None else Axis(axis.dim - 1)
    return array.with_shape(array.shape.replace(at, count))
