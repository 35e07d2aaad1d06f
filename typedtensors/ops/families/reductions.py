# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes, norms: ops that fold axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops import promotion
from typedtensors.ops.elementwise import elementwise
from typedtensors.ops.names import numpy_names, torch_names
from typedtensors.ops.reduction import NUMPY, asked, reduced, reduction, require_inexact
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.value import Fields
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_FAMILY = "reductions"
_X = Array("b n d")
_RUN = Array("*a d")
_ONE = (example(_X), example(_X, -1), example(_X, 1, keepdim=True), example(_RUN, -1))
_MANY = (*_ONE, example(_X, (0, -1)), example(_X, dim=(0, 2), keepdim=True))
_INTEGER = (example(Array("b n", "Int64"), 1), example(Array("b n", "Bool")))


def _summed(call: Call, dtype: DType) -> DType:
    return promotion.summed(call.framework, dtype)


def _same(_call: Call, dtype: DType) -> DType:
    return dtype


def _int64(_call: Call, _dtype: DType) -> DType:
    return promotion.INT64


def _truth(_call: Call, dtype: DType) -> DType:
    """A bool, except that torch keeps uint8, its bool of old."""
    return ANY if dtype.names is None or "uint8" in dtype.names else promotion.BOOL


def _real(call: Call, dtype: DType) -> DType:
    return promotion.real(promotion.floating(call.framework, dtype))


for _name, _extra in (("sum", _INTEGER), ("nansum", ())):
    rule(
        *torch_names(_name),
        params="input, dim=None, keepdim=False, *, dtype=None, out=None",
        family=_FAMILY,
        examples=(*_MANY, *_extra, example(_X, 1, dtype=DType(frozenset({"float64"})))),
    )(reduction(_summed))

rule(
    *torch_names("prod"),
    params="input, dim=None, keepdim=False, *, dtype=None, out=None",
    family=_FAMILY,
    examples=(*_ONE, *_INTEGER),
)(reduction(_summed))


@rule(
    *torch_names("mean", "nanmean"),
    params="input, dim=None, keepdim=False, *, dtype=None, out=None",
    family=_FAMILY,
    examples=(*_MANY, example(_X, axis=1, keepdims=True)),
)
def mean(call: Call) -> Tensor:
    """A mean of integers needs a dtype."""
    array = call.tensor("input")
    if call["dtype"] is None:
        require_inexact(call, array)
    return Tensor(reduced(call), asked(call, array.dtype))


rule(
    *torch_names("amax", "amin"),
    params="input, dim=(), keepdim=False, *, out=None",
    family=_FAMILY,
    examples=(*_MANY, *_INTEGER),
)(reduction(_same))

rule(
    *torch_names("argmax", "argmin"),
    params="input, dim=None, keepdim=False",
    family=_FAMILY,
    examples=(*_ONE, example(Array("b n", "Int64"), 1)),
)(reduction(_int64))

rule(
    *torch_names("any", "all"),
    params="input, dim=None, keepdim=False, *, out=None",
    family=_FAMILY,
    examples=(*_MANY, *_INTEGER),
)(reduction(_truth))

rule(
    *torch_names("count_nonzero"),
    params="input, dim=None",
    family=_FAMILY,
    examples=(example(_X), example(_X, -1), example(_X, (0, 1)), example(_RUN, dim=-1)),
)(reduction(_int64))

rule(
    *torch_names("logsumexp"),
    "torch.special.logsumexp",
    params="input, dim, keepdim=False, *, out=None",
    family=_FAMILY,
    examples=(example(_X, -1), example(_X, (0, 2), keepdim=True), example(_RUN, -1, True)),
)(reduction(lambda call, dtype: promotion.floating(call.framework, dtype)))


def _spread_dims(call: Call) -> Value:
    """`x.std(False)` is about the estimator, not an axis."""
    return None if isinstance(call["dim"], bool) else call["dim"]


_SPREAD = "input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None"


@rule(
    *torch_names("std", "var"),
    params=_SPREAD,
    family=_FAMILY,
    examples=(*_MANY, example(_X, 1, False), example(_X, False), example(_X, 0, correction=0)),
)
def spread(call: Call) -> Tensor:
    """The deviation or variance over axes."""
    array = call.tensor("input")
    require_inexact(call, array)
    call.arguments = {**call.arguments, "dim": _spread_dims(call)}
    return Tensor(reduced(call), promotion.real(array.dtype))


@rule(
    *("torch.std_mean", "torch.var_mean"),
    params=_SPREAD,
    family=_FAMILY,
    examples=(*_MANY, example(_X, 1, False), example(_X, False)),
)
def spread_and_mean(call: Call) -> tuple[Tensor, Tensor]:
    """The deviation or variance, and the mean."""
    found = spread(call)
    return found, found.with_dtype(call.tensor("input").dtype)


rule(
    *torch_names("norm"),
    params="input, p='fro', dim=None, keepdim=False, out=None, dtype=None",
    family=_FAMILY,
    examples=(
        *(example(_X), example(_X, 2), example(_X, dim=-1), example(_X, p=2, dim=1, keepdim=True)),
        *(example(_RUN, dim=-1), example(_X, 2, (0, 1))),
    ),
)(reduction(_real))

rule(
    *("torch.linalg.norm", "torch.linalg.vector_norm"),
    params="input, ord=None, dim=None, keepdim=False, *, dtype=None, out=None",
    family=_FAMILY,
    examples=(
        *(example(_X), example(_X, dim=-1), example(_X, 2, 1, True), example(_RUN, dim=-1)),
        example(_X, dim=(0, 1), keepdim=True),
    ),
)(reduction(_real))


def _extreme(call: Call) -> Fields:
    """The extreme values along one axis, and where they are."""
    array, shape = call.tensor("input"), reduced(call)
    return Fields.of(values=Tensor(shape, array.dtype), indices=Tensor(shape, promotion.INT64))


@rule(
    *torch_names("max", "min"),
    params="input, dim=None, keepdim=False, *, other=None, out=None",
    family=_FAMILY,
    examples=(*_ONE, *_INTEGER, example(_X, Array("n d")), example(_X, other=_X)),
)
def extreme(call: Call) -> Value:
    """Three ops of one name: over everything, along an axis, and of two arrays."""
    other = call["dim"] if call["other"] is None else call["other"]
    if other is None:
        return Tensor(reduced(call), call.tensor("input").dtype)
    if isinstance(other, Tensor):
        call.arguments = {**call.arguments, "other": other}
        return elementwise(call, "input", "other")
    # Only an integer or a name can be an axis here; a value that is not known may be an array.
    call.dim("dim")
    return _extreme(call)


@rule(
    *torch_names("median", "nanmedian"),
    params="input, dim=None, keepdim=False",
    family=_FAMILY,
    examples=(*_ONE, example(Array("b n", "Int64"), 1)),
)
def median(call: Call) -> Value:
    """Over everything, or along an axis with the places."""
    if call["dim"] is None:
        return Tensor(reduced(call), call.tensor("input").dtype)
    return _extreme(call)


rule(
    *torch_names("mode"),
    params="input, dim=-1, keepdim=False",
    family=_FAMILY,
    examples=_ONE,
)(_extreme)


@rule(
    *torch_names("aminmax"),
    params="input, *, dim=None, keepdim=False, out=None",
    family=_FAMILY,
    examples=(example(_X), example(_X, dim=1), example(_RUN, dim=-1, keepdim=True)),
)
def aminmax(call: Call) -> Fields:
    """The smallest and the largest."""
    found = Tensor(reduced(call), call.tensor("input").dtype)
    return Fields.of(min=found, max=found)


@rule(
    *torch_names("quantile", "nanquantile"),
    params="input, q, dim=None, keepdim=False, *, interpolation='linear', out=None",
    family=_FAMILY,
    examples=(
        *(example(_X, 0.5), example(_X, 0.5, dim=1), example(_X, Array("q", fill=0), dim=1)),
        example(_X, Array("q", fill=0), dim=-1, keepdim=True),
    ),
)
def quantile(call: Call) -> Tensor:
    """A vector of quantiles makes one more axis, in front."""
    array, asked_for, shape = call.tensor("input"), call["q"], reduced(call)
    require_inexact(call, array)
    if isinstance(asked_for, float):
        return Tensor(shape, array.dtype)
    if not isinstance(asked_for, Tensor) or asked_for.shape.rank is None:
        return Tensor(Shape.unknown(), array.dtype)
    return Tensor(Shape((*asked_for.shape.axes, *shape.axes)), array.dtype)


_NUMPY_ONE = (
    *(example(_X), example(_X, -1), example(_X, axis=1, keepdims=True), example(_RUN, -1)),
    *_INTEGER,
)
_NUMPY_MANY = (*_NUMPY_ONE, example(_X, (0, -1)), example(_X, axis=(0, 2), keepdims=True))
_METHODS = "numpy.ndarray."


def _bool(_call: Call, _dtype: DType) -> DType:
    return promotion.BOOL


def _averaged(_call: Call, dtype: DType) -> DType:
    """NumPy averages every integer as float64."""
    if dtype.names is None:
        return ANY
    found = {"float64" if promotion.kind(n) in ("int", "bool") else n for n in dtype.names}
    return DType(frozenset(found))


_FOLDS: tuple[tuple[str, Callable[[Call, DType], DType]], ...] = (
    ("sum", _summed),
    ("prod", _summed),
    ("mean", _averaged),
)
for _name, _fold in _FOLDS:
    rule(
        *numpy_names(_name),
        f"{_METHODS}{_name}",
        params="a, axis=None, dtype=None, out=None, keepdims=False",
        family=_FAMILY,
        examples=_NUMPY_MANY,
    )(reduction(_fold, NUMPY))

for _name in ("std", "var"):
    rule(
        *numpy_names(_name),
        f"{_METHODS}{_name}",
        params="a, axis=None, dtype=None, out=None, ddof=0, keepdims=False",
        family=_FAMILY,
        examples=_NUMPY_MANY,
    )(reduction(lambda call, dtype: promotion.real(_averaged(call, dtype)), NUMPY))

for _names, _dtype in (
    (("max", "amax"), _same),
    (("min", "amin"), _same),
    (("any",), _bool),
    (("all",), _bool),
):
    rule(
        *numpy_names(*_names),
        f"{_METHODS}{_names[0]}",
        params="a, axis=None, out=None, keepdims=False",
        family=_FAMILY,
        examples=_NUMPY_MANY,
    )(reduction(_dtype, NUMPY))

for _name in ("argmax", "argmin"):
    rule(
        *numpy_names(_name),
        f"{_METHODS}{_name}",
        params="a, axis=None, out=None, *, keepdims=False",
        family=_FAMILY,
        examples=_NUMPY_ONE,
    )(reduction(_int64, NUMPY))

rule(
    "numpy.linalg.norm",
    params="a, ord=None, axis=None, keepdims=False",
    family=_FAMILY,
    examples=(example(_X), example(_X, axis=-1), example(_X, None, (0, 1), True)),
)(reduction(lambda call, dtype: promotion.real(_averaged(call, dtype)), NUMPY))
