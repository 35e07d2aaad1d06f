# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes and norms of NumPy, in its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops import promotion
from typedtensors.ops.names import numpy_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import NUMPY, averaged, int64, reduction, same, summed

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.shapes import DType

_X = Array("b n d")
_RUN = Array("*a d")
_INTEGER = (example(Array("b n", "Int64"), 1), example(Array("b n", "Bool")))
_NUMPY_ONE = (
    *(example(_X), example(_X, -1), example(_X, axis=1, keepdims=True), example(_RUN, -1)),
    *_INTEGER,
)
_NUMPY_MANY = (*_NUMPY_ONE, example(_X, (0, -1)), example(_X, axis=(0, 2), keepdims=True))
_METHODS = "numpy.ndarray."


def _bool(_call: Call, _dtype: DType) -> DType:
    return promotion.BOOL


def _mean(_call: Call, dtype: DType) -> DType:
    return averaged(dtype)


_FOLDS: tuple[tuple[str, Callable[[Call, DType], DType]], ...] = (
    ("sum", summed),
    ("prod", summed),
    ("mean", _mean),
)
for _name, _fold in _FOLDS:
    rule(
        *numpy_names(_name),
        f"{_METHODS}{_name}",
        params="a, axis=None, dtype=None, out=None, keepdims=False",
        examples=_NUMPY_MANY,
    )(reduction(_fold, NUMPY))

for _name in ("std", "var"):
    rule(
        *numpy_names(_name),
        f"{_METHODS}{_name}",
        params="a, axis=None, dtype=None, out=None, ddof=0, keepdims=False",
        examples=_NUMPY_MANY,
    )(reduction(lambda _call, dtype: promotion.real(averaged(dtype)), NUMPY))

for _names, _dtype in (
    (("max", "amax"), same),
    (("min", "amin"), same),
    (("any",), _bool),
    (("all",), _bool),
):
    rule(
        *numpy_names(*_names),
        f"{_METHODS}{_names[0]}",
        params="a, axis=None, out=None, keepdims=False",
        examples=_NUMPY_MANY,
    )(reduction(_dtype, NUMPY))

for _name in ("argmax", "argmin"):
    rule(
        *numpy_names(_name),
        f"{_METHODS}{_name}",
        params="a, axis=None, out=None, *, keepdims=False",
        examples=_NUMPY_ONE,
    )(reduction(int64, NUMPY))

rule(
    "numpy.linalg.norm",
    params="a, ord=None, axis=None, keepdims=False",
    examples=(example(_X), example(_X, axis=-1), example(_X, None, (0, 1), True)),
)(reduction(lambda _call, dtype: promotion.real(averaged(dtype)), NUMPY))
