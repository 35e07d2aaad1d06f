# SPDX-License-Identifier: Apache-2.0
"""Elements counted and looked up: as many as the data says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.indexing.picking import require_integers
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.loss import require_axis, require_one_rank
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _different(most: Dim | None) -> Axis:
    """How many of that many are different: all of them where there is at most one."""
    few = most is not None and most.value in (0, 1)
    return Axis(most if most is not None and few else Dim.fresh("unique"))


_UNIQUE = (
    example(Array("b n")),
    example(Array("*a n", "Int64")),
    example(Array("b n"), return_inverse=True),
    example(Array("b n"), return_inverse=True, return_counts=True),
    example(Array("b n"), return_counts=True, dim=0),
    example(Array("b n"), return_inverse=True, dim=1),
    example(Array("b n"), dim=2),
    example(Array("1 1"), return_counts=True),
    example(Array("0 n"), return_inverse=True),
    example(Array("b 1"), dim=1),
)


@rule(
    *torch_names("unique"),
    params="input, sorted=True, return_inverse=False, return_counts=False, dim=None",
    examples=_UNIQUE,
)
@rule(
    *torch_names("unique_consecutive"),
    params="input, return_inverse=False, return_counts=False, dim=None",
    examples=_UNIQUE,
)
def unique(call: Call) -> Value:
    """Each element or slice once; where each went, and how many there were, if asked for."""
    array = call.tensor("input")
    if call["dim"] is None:
        size = _different(array.shape.count)
        values, places = Shape((size,)), array.shape
    elif array.shape.rank == 0:
        raise Undetermined("torch may let a scalar pass")
    else:
        at = position(call, array.shape, call["dim"])
        axis = array.shape.axes[at]
        size = _different(axis.dim if isinstance(axis, Axis) else None)
        values, places = array.shape.replace(at, size), Shape((axis,))
        _require_elements(array.shape)
    found = [array.with_shape(values)]
    if call.flag("return_inverse"):
        found.append(Tensor(places, promotion.INT64))
    if call.flag("return_counts"):
        found.append(Tensor(Shape((size,)), promotion.INT64))
    return found[0] if len(found) == 1 else tuple(found)


def _require_elements(shape: Shape) -> None:
    if any(isinstance(part, Axis) and part.dim.value == 0 for part in shape.axes):
        raise Undetermined("there are no slices")


@rule(
    *torch_names("bincount"),
    params="input, weights=None, minlength=0",
    examples=(
        example(indices("n")),
        example(indices("n"), Array("n")),
        example(indices("n"), minlength=5),
        example(indices("b n")),
    ),
)
def bincount(call: Call) -> Value:
    """How often each number occurs, up to the largest."""
    array, weights = call.tensor("input"), call["weights"]
    require_integers(call, "input")
    if array.shape.rank not in (None, 1):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "n", array.shape.text))
    if isinstance(weights, Tensor):
        require_one_rank(call, "input", "weights")
        require_axis(call, ("input", 0), ("weights", 0))
    return Tensor(Shape((Axis(Dim.fresh("bins")),)), promotion.INT64 if weights is None else ANY)


@rule(
    *torch_names("histc"),
    params="input, bins=100, min=0, max=0, *, out=None",
    examples=(example(Array("b n")), example(Array("n"), Dim.name("k"), 0, 1)),
)
def histc(call: Call) -> Value:
    """A count for each bin."""
    bins = call.dim("bins")
    if at_most(bins, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"{bins} bins"))
    low, high = call["min"], call["max"]
    if isinstance(low, Dim) and isinstance(high, Dim) and at_most(high + 1, low):
        raise Conflicting(wording.misused(call.name, f"bins from {low} to {high}"))
    return call.tensor("input").with_shape(Shape((Axis(bins),)))


@rule(
    "torch.searchsorted",
    params="sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, "
    "out=None",
    examples=(
        example(Array("k"), Array("b n")),
        example(Array("b k"), Array("b n")),
        example(Array("b k"), Array("b n"), out_int32=True),
        example(Array("b k"), Array("c n")),
        example(Array("k"), 0.5),
    ),
)
def searchsorted(call: Call) -> Value:
    """Where each value would go: the shape of the values."""
    ordered, values = call.tensor("sorted_sequence"), call["input"]
    dtype = DType.exactly("int32") if call.flag("out_int32") else promotion.INT64
    if isinstance(values, (float, Dim)):
        if ordered.shape.rank is None:
            raise Undetermined("the rank is not known")
        if ordered.shape.rank == 1:
            return Tensor(Shape(()), dtype)
    array = call.tensor("input")
    names, own = ordered.dtype.names, array.dtype.names
    if (names and own and names.isdisjoint(own)) or ordered.shape.rank == 0:
        raise Undetermined("torch takes arrays of one dtype")
    if ordered.shape.rank in {None, 1}:
        return array.with_dtype(dtype)
    require_one_rank(call, "sorted_sequence", "input")
    for at in range(ordered.shape.rank - 1):
        if array.shape.rank is not None:
            require_axis(call, ("sorted_sequence", at), ("input", at))
    return array.with_dtype(dtype)


@rule(
    "torch.isin",
    params="elements, test_elements, *, assume_unique=False, invert=False",
    examples=(
        example(Array("b n"), Array("k")),
        example(Array("*a n"), Array("j k"), invert=True),
        example(Array("n"), 3),
    ),
)
def isin(call: Call) -> Value:
    """A bool for each element."""
    return call.tensor("elements").with_dtype(promotion.BOOL)


@rule(
    *torch_names("nonzero_static"),
    params="input, *, size, fill_value=-1",
    examples=(example(Array("b n"), size=7), example(Array("n"), size=Dim.name("k"))),
)
def nonzero_static(call: Call) -> Value:
    """As many rows of positions as are asked for."""
    rank, size = call.tensor("input").shape.rank, call.dim("size")
    if at_most(size, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"{size} rows"))
    columns = Axis(Dim.fresh() if rank is None else Dim.of(rank))
    return Tensor(Shape((Axis(size), columns)), promotion.INT64)


@rule(
    "torch.combinations",
    params="input, r=2, with_replacement=False",
    examples=(
        example(Array("n")),
        example(Array("5"), 3),
        example(Array("n"), with_replacement=True),
        example(Array("b n")),
    ),
)
def combinations(call: Call) -> Value:
    """A row for each way to choose elements."""
    array, count = call.tensor("input"), call.dim("r")
    if array.shape.least_rank > 1 or array.shape.rank == 0:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "n", array.shape.text))
    if at_most(count, Dim.of(0)):
        raise Undetermined("nothing is chosen")
    dims = array.shape.dims
    rows = Dim.fresh()
    if dims is not None and count.value == 2 and call["with_replacement"] in (True, False):
        more = 1 if call["with_replacement"] is True else -1
        rows = dims[0] * (dims[0] + more) // 2
    return array.with_shape(Shape((Axis(rows), Axis(count))))


@rule(
    "torch.vander",
    params="x, N=None, increasing=False",
    examples=(example(Array("n")), example(Array("n"), 3), example(Array("b n"))),
)
def vander(call: Call) -> Value:
    """A column for each power of a vector's elements."""
    array = call.tensor("x")
    if array.shape.rank not in (None, 1):
        where = wording.argument("x", call.name)
        raise Conflicting(wording.rank_differs(where, "n", array.shape.text))
    axis = array.shape.axis(0)
    if axis is None or axis.flexible or promotion.kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("the vector is not known")
    count = axis.dim if call["N"] is None else call.dim("N")
    if at_most(count, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"{count} powers"))
    return array.with_shape(Shape((axis, Axis(count))))
