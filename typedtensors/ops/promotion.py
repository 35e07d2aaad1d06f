# SPDX-License-Identifier: Apache-2.0
"""The dtype of a result, by each framework's own rules.

Sources: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc and
https://numpy.org/doc/stable/reference/arrays.promotion.html. An unknown dtype gives an unknown one.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.call import Framework
from typedtensors.ops.merging import MERGES, Merge, kind, lend, numpy_float
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typedtensors.ops.value import Value

    Names = frozenset[str]

BOOL = DType(frozenset({"bool"}))
INT64 = DType(frozenset({"int64"}))
# What `torch.set_default_dtype` may choose: the dtype of a Python float is not known exactly.
_DEFAULT_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
DEFAULT_FLOAT = DType(_DEFAULT_FLOATS)
_DEFAULT_COMPLEX = frozenset({"complex32", "complex64", "complex128"})
# What sums are in torch, and numbers in a row: neither bools nor uint8, which index as masks do.
LARGE = INT64.union(DType.named("Inexact")).union(DType(_DEFAULT_COMPLEX))


@cache
def kinds(dtype: DType) -> frozenset[str] | None:
    """The kinds that are possible, or None if they are not known."""
    if dtype.numbers is None:
        return None
    return frozenset(number.value for number in dtype.numbers)


def text(dtype: DType) -> str:
    """A dtype as a message names it: `float32`, `float`, `bool or int`."""
    names = sorted(dtype.names or ())
    if len(names) == 1:
        return names[0]
    found = kinds(dtype) or frozenset(names)
    return " or ".join(sorted(found)) or "unknown"


def promoted(framework: Framework, operands: Iterable[Value]) -> DType:
    """The dtype of an elementwise result over arrays and Python scalars."""
    merge = MERGES.get(framework)
    if merge is None:
        return ANY
    choices = [_tiers(framework, operand) for operand in operands]
    if any(None in choice for choice in choices):
        return ANY
    found: set[str] = set()
    for placed in product(*choices):
        found |= _across_tiers(merge, [each for each in placed if each is not None])
    return DType(frozenset(found)) if found else ANY


def combined(framework: Framework, dtypes: Iterable[DType]) -> DType:
    """The dtype of an elementwise result over arrays with axes."""
    vector = Shape.of(1)
    return promoted(framework, [Tensor(vector, dtype) for dtype in dtypes])


@cache
def floating(framework: Framework, dtype: DType) -> DType:
    """The dtype of a function such as exp or a true quotient: integers become floats."""
    if kinds(dtype) is None or dtype.names is None or framework not in MERGES:
        return ANY
    names = frozenset().union(*(_as_float(framework, name) for name in dtype.names))
    return DType(names)


@cache
def real(dtype: DType) -> DType:
    """The dtype of an absolute value."""
    if dtype.names is None:
        return ANY
    parts = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
    return DType(frozenset(parts.get(name, name) for name in dtype.names))


def unless_complex(dtype: DType) -> DType:
    """The same dtype; unknown where some results would be real and others not."""
    held = kinds(dtype)
    return ANY if held is None or "complex" in held else dtype


@cache
def summed(framework: Framework, dtype: DType) -> DType:
    """The dtype of a sum or product: small integers are added as large ones."""
    if dtype.names is None and framework is Framework.TORCH:
        return LARGE
    if dtype.names is None or kinds(dtype) is None or framework not in MERGES:
        return ANY
    return DType(frozenset(_accumulator(framework, name) for name in dtype.names))


def _accumulator(framework: Framework, name: str) -> str:
    if kind(name) not in ("bool", "int"):
        return name
    return "uint64" if framework is Framework.NUMPY and name.startswith("uint") else "int64"


def _as_float(framework: Framework, name: str) -> Names:
    if kind(name) in ("float", "complex"):
        return frozenset({name})
    if framework is Framework.TORCH:
        return _DEFAULT_FLOATS
    return frozenset({numpy_float(name)})


# In torch, arrays of rank 0 and Python scalars only lend their kind; in NumPy, scalars do.
_DIMENSIONED, _SCALAR, _PYTHON = range(3)


def _tiers(framework: Framework, operand: Value) -> tuple[tuple[int, Names] | None, ...]:
    """The tiers an operand may stand in, with its dtypes; None if they are not known."""
    if isinstance(operand, Tensor):
        if kinds(operand.dtype) is None or operand.dtype.names is None:
            return (None,)
        names = operand.dtype.names
        if framework is not Framework.TORCH or operand.shape.least_rank:
            return ((_DIMENSIONED, names),)
        scalar = (_SCALAR, names)
        return (scalar,) if operand.shape.rank == 0 else (scalar, (_DIMENSIONED, names))
    weak = _python_scalar(framework, operand)
    return (None if weak is None else (_PYTHON, weak),)


def _python_scalar(framework: Framework, operand: Value) -> Names | None:
    torch = framework is Framework.TORCH
    if isinstance(operand, bool):
        return frozenset({"bool"})
    if isinstance(operand, (Dim, int)):
        return frozenset({"int64"})
    if isinstance(operand, float):
        return _DEFAULT_FLOATS if torch else frozenset({"float64"})
    if isinstance(operand, complex):
        return _DEFAULT_COMPLEX if torch else frozenset({"complex128"})
    return None


def _across_tiers(merge: Merge, placed: list[tuple[int, Names]]) -> Names:
    """The dtypes of operands whose tiers are settled, weakest tier first."""
    result: Names = frozenset()
    for tier in (_PYTHON, _SCALAR, _DIMENSIONED):
        own: Names = frozenset()
        for _, names in (each for each in placed if each[0] == tier):
            own = _pairwise(merge, own, names) if own else names
        if own and result:
            own = _lent(merge, own, result)
        result = own or result
    return result


@cache
def _pairwise(merge: Merge, left: Names, right: Names) -> Names:
    """Every result of two dtypes; pairs that the framework rejects give none."""
    found = (merge(one, other) for one in left for other in right)
    return frozenset(each for each in found if each is not None)


@cache
def _lent(merge: Merge, high: Names, low: Names) -> Names:
    """Every result of a dtype beside one of a weaker operand."""
    found = (lend(merge, one, other) for one in high for other in low)
    return frozenset(each for each in found if each is not None)
