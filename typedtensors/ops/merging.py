# SPDX-License-Identifier: Apache-2.0
"""What two element types give, in each framework: the tables behind `promotion`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from typedtensors.ops.call import Framework
from typedtensors.shapes import DType

Merge: TypeAlias = Callable[[str, str], str | None]

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


def higher(left: str, right: str) -> bool:
    """Whether a kind ranks above another one."""
    return _KINDS.index(left) > _KINDS.index(right)


def lend(merge: Merge, high: str, low: str) -> str | None:
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
        low = numpy_float(low) if kinds_[0] == "int" else "float16"
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


def numpy_float(name: str) -> str:
    """The float that holds an integer or bool in NumPy."""
    if name in ("bool", "int8", "uint8"):
        return "float16"
    return "float32" if name in ("int16", "uint16") else "float64"


def _rank(name: str) -> tuple[int, int]:
    order = _KINDS.index(kind(name) or "complex")
    width = next((names.index(name) for names in _WIDTHS.values() if name in names), 0)
    return order, width


def _merge_tensorflow(left: str, right: str) -> str | None:
    """TensorFlow converts nothing: one dtype, or an error."""
    return left if left == right else None


MERGES: dict[Framework, Merge] = {
    Framework.TORCH: _merge_torch,
    Framework.NUMPY: _merge_numpy,
    Framework.TENSORFLOW: _merge_tensorflow,
}
