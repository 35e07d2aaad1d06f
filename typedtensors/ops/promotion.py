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
from typedtensors.shapes import ANY, DType, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typedtensors.ops.value import Value

    Names = frozenset[str]
    _Merge = Callable[[str, str], str | None]

BOOL = DType(frozenset({"bool"}))
INT64 = DType(frozenset({"int64"}))
# What `torch.set_default_dtype` may choose: the dtype of a Python float is not known exactly.
_DEFAULT_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
DEFAULT_FLOAT = DType(_DEFAULT_FLOATS)
_DEFAULT_COMPLEX = frozenset({"complex32", "complex64", "complex128"})
_KINDS = ("bool", "int", "float", "complex")
_WIDTHS = {
    "int": ("int8", "int16", "int32", "int64"),
    "uint": ("uint8", "uint16", "uint32", "uint64"),
    "float": ("float16", "float32", "float64"),
    "complex": ("complex32", "complex64", "complex128"),
}


@cache
def kind(name: str) -> str | None:
    """The kind of a dtype: bool, int, float or complex; None for one that holds no numbers."""
    numbers = DType.exactly(name).numbers
    return next((number.value for number in numbers), None) if numbers else None


@cache
def kinds(dtype: DType) -> frozenset[str] | None:
    """The kinds that are possible, or None if they are not known."""
    if dtype.numbers is None:
        return None
    return frozenset(number.value for number in dtype.numbers)


def higher(left: str, right: str) -> bool:
    """Whether a kind ranks above another one."""
    return _KINDS.index(left) > _KINDS.index(right)


def text(dtype: DType) -> str:
    """A dtype as a message names it: `float32`, `float`, `bool or int`."""
    names = sorted(dtype.names or ())
    if len(names) == 1:
        return names[0]
    found = kinds(dtype) or frozenset(names)
    return " or ".join(sorted(found)) or "unknown"


def promoted(framework: Framework, operands: Iterable[Value]) -> DType:
    """The dtype of an elementwise result over arrays and Python scalars."""
    merge = _MERGES.get(framework)
    if merge is None:
        return ANY
    choices = [_tiers(framework, operand) for operand in operands]
    if any(None in choice for choice in choices):
        return ANY
    found: set[str] = set()
    for placed in product(*choices):
        found |= _across_tiers(merge, [each for each in placed if each is not None])
    return DType(frozenset(found)) if found else ANY


@cache
def floating(framework: Framework, dtype: DType) -> DType:
    """The dtype of a function such as exp or a true quotient: integers become floats."""
    if kinds(dtype) is None or dtype.names is None or framework not in _MERGES:
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
    if dtype.names is None or kinds(dtype) is None or framework not in _MERGES:
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
    return frozenset({_numpy_float(name)})


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


def _across_tiers(merge: _Merge, placed: list[tuple[int, Names]]) -> Names:
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
def _pairwise(merge: _Merge, left: Names, right: Names) -> Names:
    """Every result of two dtypes; pairs that the framework rejects give none."""
    found = (merge(one, other) for one in left for other in right)
    return frozenset(each for each in found if each is not None)


@cache
def _lent(merge: _Merge, high: Names, low: Names) -> Names:
    """Every result of a dtype beside one of a weaker operand."""
    found = (_lend(merge, one, other) for one in high for other in low)
    return frozenset(each for each in found if each is not None)


def _lend(merge: _Merge, high: str, low: str) -> str | None:
    """What a dtype becomes beside a weaker operand, which only lends its kind."""
    own, lent = kind(high), kind(low)
    if own is None or lent is None:
        return None
    if not higher(lent, own):
        return high
    if own == "float":
        width = _WIDTHS["float"].index(high) if high in _WIDTHS["float"] else 1
        return _WIDTHS["complex"][width if merge is _merge_torch else max(width, 1)]
    return low if own == "bool" or lent != "int" else high


@cache
def _merge_torch(left: str, right: str) -> str | None:
    """`torch.promote_types`."""
    if left == right:
        return left
    low, high = sorted((left, right), key=_rank)
    kinds_ = kind(low), kind(high)
    if kinds_ == ("int", "int"):
        return _merge_integers(low, high, torch=True)
    if kinds_ == ("float", "float"):
        return _merge_floats(low, high)
    if kinds_ == ("float", "complex"):
        width = {"float64": 2, "float32": 1, "bfloat16": 1}.get(low, 0)
        return _WIDTHS["complex"][max(width, _WIDTHS["complex"].index(high))]
    return high


def _merge_floats(low: str, high: str) -> str | None:
    if {low, high} == {"float16", "bfloat16"}:
        return "float32"
    # float8 and float4 mix with nothing.
    return high if {low, high} <= {*_WIDTHS["float"], "bfloat16"} else None


@cache
def _merge_numpy(left: str, right: str) -> str | None:
    """`numpy.promote_types`."""
    if left == right:
        return left
    low, high = sorted((left, right), key=_rank)
    kinds_ = kind(low), kind(high)
    if kinds_ == ("int", "int"):
        return _merge_integers(low, high, torch=False)
    if kinds_[1] == "float" and high not in _WIDTHS["float"]:
        return None
    if kinds_[0] in ("int", "bool") and kinds_[1] in ("float", "complex"):
        low = _numpy_float(low) if kinds_[0] == "int" else "float16"
    if kind(low) == "float" and low not in _WIDTHS["float"]:
        return None
    if kind(low) == "float" and kind(high) == "float":
        return max(low, high, key=_rank)
    if kind(low) == "float" and kind(high) == "complex":
        width = max(_WIDTHS["float"].index(low), _WIDTHS["complex"].index(high))
        return _WIDTHS["complex"][width]
    return high


def _merge_integers(low: str, high: str, *, torch: bool) -> str | None:
    """Mixed signs need the next larger signed integer."""
    if not {low, high} <= {*_WIDTHS["int"], *_WIDTHS["uint"]}:
        return None
    signed = [name for name in (low, high) if name in _WIDTHS["int"]]
    if len(signed) != 1:
        return None if torch and not signed else high
    unsigned = low if signed[0] == high else high
    needed = _WIDTHS["uint"].index(unsigned) + 1
    if torch and unsigned != "uint8":
        return None
    if needed == len(_WIDTHS["int"]):
        return "float64"
    return _WIDTHS["int"][max(needed, _WIDTHS["int"].index(signed[0]))]


def _numpy_float(name: str) -> str:
    """The float that holds an integer or bool in NumPy."""
    if name in ("bool", "int8", "uint8"):
        return "float16"
    return "float32" if name in ("int16", "uint16") else "float64"


def _rank(name: str) -> tuple[int, int]:
    order = _KINDS.index(kind(name) or "complex")
    width = next((names.index(name) for names in _WIDTHS.values() if name in names), 0)
    return order, width


_MERGES: dict[Framework, _Merge] = {
    Framework.TORCH: _merge_torch,
    Framework.NUMPY: _merge_numpy,
}
