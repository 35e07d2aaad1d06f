# SPDX-License-Identifier: Apache-2.0
"""Medians, weighted means, quantiles, and what ignores NaN.

Source: https://numpy.org/doc/stable/reference/routines.statistics.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.reduction import (
    NUMPY,
    averaged,
    folded,
    int64,
    reduced,
    reduction,
    same,
    summed,
)
from typedtensors.ops.steps.matmul import contract
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X = Array("b n d")
_ALONG = (
    example(_X),
    example(_X, axis=-1),
    example(_X, axis=1, keepdims=True),
    example(Array("*a d"), axis=-1),
    example(Array("b n", "Int64"), axis=1),
    example(Array("b n"), axis=2),
)
_MANY = (*_ALONG, example(_X, axis=(0, -1)))


def _mean(_call: Call, dtype: DType) -> DType:
    return averaged(dtype)


def _spread(_call: Call, dtype: DType) -> DType:
    return promotion.real(averaged(dtype))


_FOLDS: tuple[tuple[str, str, Callable[[Call, DType], DType]], ...] = (
    ("nansum", "dtype=None, out=None, keepdims=False", summed),
    ("nanprod", "dtype=None, out=None, keepdims=False", summed),
    ("nanmean", "dtype=None, out=None, keepdims=False", _mean),
    ("nanstd", "dtype=None, out=None, ddof=0, keepdims=False", _spread),
    ("nanvar", "dtype=None, out=None, ddof=0, keepdims=False", _spread),
    ("nanmax", "out=None, keepdims=False", same),
    ("nanmin", "out=None, keepdims=False", same),
    ("ptp", "out=None, keepdims=False", same),
    ("median", "out=None, overwrite_input=False, keepdims=False", _mean),
    ("nanmedian", "out=None, overwrite_input=False, keepdims=False", _mean),
    ("count_nonzero", "*, keepdims=False", int64),
)
for _name, _rest, _dtype in _FOLDS:
    rule(f"numpy.{_name}", params=f"a, axis=None, {_rest}", examples=_MANY)(
        reduction(_dtype, NUMPY)
    )
for _name in ("nanargmax", "nanargmin"):
    rule(f"numpy.{_name}", params="a, axis=None, out=None, *, keepdims=False", examples=_ALONG)(
        reduction(int64, NUMPY)
    )


@rule(
    *("numpy.quantile", "numpy.percentile", "numpy.nanquantile", "numpy.nanpercentile"),
    params="a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False",
    examples=(
        example(_X, 0.5),
        example(_X, 0.5, axis=1),
        example(_X, Array("q", fill=0), axis=1),
        example(_X, Array("q", fill=0), axis=-1, keepdims=True),
    ),
)
def quantile(call: Call) -> Tensor:
    """A vector of quantiles makes one more axis, in front."""
    asked_for, shape = call["q"], reduced(call, NUMPY)
    if isinstance(asked_for, (float, Dim)):
        return Tensor(shape)
    if isinstance(asked_for, (tuple, list)):
        return Tensor(Shape((Axis(Dim.of(len(asked_for))), *shape.axes)))
    if not isinstance(asked_for, Tensor) or asked_for.shape.rank is None:
        return Tensor(Shape.unknown())
    return Tensor(Shape((*asked_for.shape.axes, *shape.axes)))


@rule(
    "numpy.average",
    params="a, axis=None, weights=None, returned=False, *, keepdims=False",
    examples=(
        *_ALONG[:4],
        example(Array("b n"), axis=1, weights=Array("n")),
        example(Array("b n"), axis=0, weights=Array("b n")),
    ),
)
def average(call: Call) -> Value:
    """The mean, of weighted elements where there are weights."""
    if call["returned"] is not False:
        raise Undetermined("the sum of the weights is returned too")
    if call["weights"] is None:
        return folded(call, averaged(call.tensor("a").dtype), NUMPY)
    _require_weights(call)
    return folded(call, ANY, NUMPY)


def _require_weights(call: Call) -> None:
    """There is a weight for each element, or for each place along the axis."""
    array, weights = call.tensor("a").shape, call.tensor("weights").shape
    if array == weights:
        return
    if weights.rank != 1 or not isinstance(call["axis"], Dim):
        raise Undetermined("which elements the weights are of is not known")
    contract(call, ("a", position(call, array, call["axis"])), ("weights", 0))


@rule(
    *("numpy.cov", "numpy.corrcoef"),
    params="m, y=None, rowvar=True, bias=False",
    examples=(example(Array("n m")), example(Array("n m"), rowvar=False)),
)
def covariance(call: Call) -> Value:
    """Of each row with each, or of each column."""
    array, rows = call.tensor("m"), call["rowvar"]
    if array.shape.rank != 2 or call["y"] is not None or not isinstance(rows, bool):
        raise Undetermined("what varies is not known")
    axis = (array.shape.fixed or ())[0 if rows else 1]
    if axis.is_one or axis.flexible:
        raise Undetermined("of one variable there is a number")
    return Tensor(Shape((axis, axis)))


@rule(
    "numpy.interp",
    params="x, xp, fp, left=None, right=None, period=None",
    examples=(
        example(Array("m"), Array("n"), Array("n")),
        example(Array("a b"), Array("n"), Array("n")),
    ),
)
def interpolated(call: Call) -> Value:
    """A value for each place that is asked for, from known ones."""
    _require_vectors(call, "xp", "fp")
    contract(call, ("xp", 0), ("fp", 0))
    return Tensor(call.tensor("x").shape)


@rule(
    "numpy.digitize",
    params="x, bins, right=False",
    examples=(example(Array("a b"), Array("n")),),
)
@rule(
    "numpy.searchsorted",
    params="bins, x, side='left', sorter=None",
    examples=(example(Array("n"), Array("a b")),),
)
def placed(call: Call) -> Value:
    """For each element the place among sorted ones."""
    found = call["x"]
    _require_vectors(call, "bins")
    if not isinstance(found, Tensor):
        raise Undetermined("a number has one place")
    return Tensor(found.shape, promotion.INT64)


def _require_vectors(call: Call, *names: str) -> None:
    if any(call.tensor(name).shape.rank != 1 for name in names):
        raise Undetermined("what is no vector NumPy may reject")
