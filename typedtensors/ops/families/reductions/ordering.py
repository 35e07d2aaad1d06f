# SPDX-License-Identifier: Apache-2.0
"""Elements in another order along their axes, and running totals."""

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
from typedtensors.ops.steps.axes.positions import literal, position, positions
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ALONG = (
    example(Array("b n"), -1),
    example(Array("b n"), 0),
    example(Array("b n"), 2),
    example(Array("*batch n"), -1),
)


def _along(call: Call, name: str = "dim") -> Tensor:
    """The array, once it has the axis that the call names."""
    array = call.tensor("input")
    if array.shape.rank == 0 and literal(call[name]) in (0, -1):
        return array
    position(call, array.shape, call[name])
    return array


@rule(
    *torch_names("sort"),
    params="input, dim=-1, descending=False, stable=False, *, out=None",
    examples=(*_ALONG, example(Array("b n")), example(Array("b n"), 1, descending=True)),
)
def sort(call: Call) -> Value:
    """The values in order, and where they stood."""
    array = _along(call)
    return Fields.of(values=array, indices=array.with_dtype(promotion.INT64))


@rule(
    *torch_names("argsort"),
    params="input, dim=-1, descending=False, stable=False",
    examples=(*_ALONG, example(Array("b n"))),
)
def argsort(call: Call) -> Value:
    """Where the values stand in order."""
    return _along(call).with_dtype(promotion.INT64)


@rule(
    "numpy.sort",
    "numpy.argsort",
    params="input, axis=-1, kind=None, order=None, stable=None",
    examples=(*_ALONG, example(Array("b n"))),
)
def sort_numpy(call: Call) -> Value:
    """The values in order, or where they stand."""
    if call["axis"] is None or call.tensor("input").shape.rank == 0:
        raise Undetermined("NumPy flattens the array first")
    array = _along(call, "axis")
    return array.with_dtype(promotion.INT64) if call.op.endswith("argsort") else array


@rule(
    *torch_names("topk"),
    params="input, k, dim=-1, largest=True, sorted=True, *, out=None",
    examples=(
        example(Array("b 9"), 3),
        example(Array("b n"), 1, 0),
        example(Array("b 3"), 4),
        example(Array("b n"), 1, 2),
    ),
)
def topk(call: Call) -> Value:
    """The `k` largest along an axis, and where they stand."""
    array, count = call.tensor("input"), call["k"]
    at = position(call, array.shape, call["dim"])
    axis = array.shape.axes[at]
    size = count if isinstance(count, Dim) else Dim.fresh()
    fixed = axis.dim if isinstance(axis, Axis) and not axis.flexible else Dim.fresh()
    beyond = fixed.declared and size.declared and at_most(fixed + 1, size)
    if beyond or at_most(size, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"{size} of an axis of {axis}"))
    values = array.with_shape(array.shape.replace(at, Axis(size)))
    return Fields.of(values=values, indices=values.with_dtype(promotion.INT64))


@rule(
    *torch_names("cumsum", "cumprod", in_place=True),
    params="input, dim, *, dtype=None, out=None",
    examples=(*_ALONG, example(Array("b n", "Int32"), 1)),
)
def cumulate(call: Call) -> Value:
    """A running total; of small integers as large ones."""
    array, dtype = _along(call), call["dtype"]
    if call.op.endswith("_"):
        return array
    if dtype is None:
        return array.with_dtype(promotion.summed(call.framework, array.dtype))
    return array.with_dtype(dtype if isinstance(dtype, DType) else DType(None))


@rule(
    "numpy.cumsum",
    "numpy.cumprod",
    "numpy.ndarray.cumsum",
    "numpy.ndarray.cumprod",
    params="input, axis=None, dtype=None, out=None",
    examples=(*_ALONG, example(Array("b n"))),
)
def cumulate_numpy(call: Call) -> Value:
    """A running total; of all elements if no axis is named."""
    array = call.tensor("input")
    dtype = promotion.summed(call.framework, array.dtype) if call["dtype"] is None else DType(None)
    if call["axis"] is None:
        count = array.shape.count
        return Tensor(Shape((Axis(Dim.fresh() if count is None else count),)), dtype)
    position(call, array.shape, call["axis"])
    return array.with_dtype(dtype)


@rule(
    *torch_names("logcumsumexp"),
    params="input, dim, *, out=None",
    examples=_ALONG,
)
def logcumsumexp(call: Call) -> Value:
    """A running total in log space."""
    return _along(call)


@rule(
    *torch_names("flip"),
    params="input, *axes, dims=None",
    examples=(
        example(Array("b n"), (0,)),
        example(Array("b n"), dims=(0,)),
        example(Array("b n"), (0, -1)),
        example(Array("b n"), (0, 0)),
        example(Array("b n"), (2,)),
    ),
)
def flip(call: Call) -> Value:
    """Axes in reverse."""
    array, given = call.tensor("input"), call["axes"] or call["dims"]
    if isinstance(given, tuple) and len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    if array.shape.rank == 0:
        raise Undetermined("torch lets a scalar pass")
    positions(call, array.shape, given)
    return array


@rule(
    *torch_names("fliplr", "flipud"),
    "numpy.fliplr",
    "numpy.flipud",
    params="input",
    examples=(example(Array("b n")), example(Array("b n d"))),
)
def flip_named(call: Call) -> Value:
    """The first or second axis in reverse."""
    array = call.tensor("input")
    if array.shape.least_rank < 2:
        raise Undetermined("the rank may be too small")
    return array


@rule(
    *torch_names("roll"),
    params="input, shifts, dims=None",
    examples=(
        example(Array("b n"), 1),
        example(Array("b n"), 1, 0),
        example(Array("b n"), (1, 2), (0, 1)),
        example(Array("b n"), 1, 2),
        example(Array("b n"), (1, 2), (0,)),
    ),
)
def roll(call: Call) -> Value:
    """Elements moved along axes; what falls off comes back at the other end."""
    array, shifts, dims = call.tensor("input"), call["shifts"], call["dims"]
    if dims is None or array.shape.rank == 0:
        if isinstance(shifts, (tuple, list)) or dims is not None:
            raise Undetermined("several shifts without axes")
        return array
    for dim in dims if isinstance(dims, (tuple, list)) else (dims,):
        position(call, array.shape, dim)
    counts = [len(each) if isinstance(each, (tuple, list)) else 1 for each in (shifts, dims)]
    if counts[0] != counts[1]:
        raise Conflicting(wording.misused(call.name, f"{counts[0]} shifts for {counts[1]} axes"))
    return array
