# SPDX-License-Identifier: Apache-2.0
"""`DType`, the set of element types an array may have."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from typedtensors.dims.quick import dataclass

_BOOLS = ("bool",)
_UINTS = ("uint2", "uint4", "uint8", "uint16", "uint32", "uint64")
_INTS = ("int2", "int4", "int8", "int16", "int32", "int64")
_FLOATS = (
    "float4_e2m1fn",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "bfloat16",
    "float16",
    "float32",
    "float64",
)
_COMPLEXES = ("complex64", "complex128")

# jaxtyping's names for several element types, narrow ones first. bool is no number there.
_GROUPS: dict[str, tuple[str, ...]] = {
    "Bool": _BOOLS,
    "UInt": _UINTS,
    "Int": _INTS,
    "Integer": (*_UINTS, *_INTS),
    "Float": _FLOATS,
    "Complex": _COMPLEXES,
    "Inexact": (*_FLOATS, *_COMPLEXES),
    "Real": (*_FLOATS, *_UINTS, *_INTS),
    "Num": (*_UINTS, *_INTS, *_FLOATS, *_COMPLEXES),
    "Key": ("prng_key",),
}


def _class_name(name: str) -> str:
    """The name in jaxtyping of one element type: `UInt8`, `BFloat16`, `Float8e4m3fn`."""
    for prefix, capital in (("uint", "UInt"), ("bfloat", "BFloat")):
        if name.startswith(prefix):
            return capital + name.removeprefix(prefix)
    return name.capitalize().replace("_", "")


# Every name that jaxtyping has, single element types first; `Shaped` is any at all.
NAMED: dict[str, frozenset[str] | None] = {
    **{_class_name(name): frozenset({name}) for name in _GROUPS["Num"]},
    **{name: frozenset(members) for name, members in _GROUPS.items()},
    "Shaped": None,
}


class Number(Enum):
    """What kind of number an element is; the kinds that people mix up with consequences."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    COMPLEX = "complex"


_FAMILY = re.compile(r"[ub]?(bool|int|float|complex)(?=\d|$)")


@dataclass(frozen=True)
class DType:
    """The element types that are possible, by name (`float32`); None if nothing is known.

    Invariant: names are NumPy's, as jaxtyping compares them, without aliases: `bool`, not `bool_`.
    """

    names: frozenset[str] | None

    @staticmethod
    def named(name: str) -> DType:
        """The dtype that jaxtyping calls `name` (`Float`, `Int64`); a user's own may be any."""
        return DType(NAMED.get(name))

    @staticmethod
    def exactly(name: str) -> DType:
        """One element type, `float32`."""
        return DType(frozenset({"bool" if name == "bool_" else name}))

    @property
    def exact(self) -> str | None:
        """The element type, if there is only one."""
        return next(iter(self.names)) if self.names is not None and len(self.names) == 1 else None

    @property
    def numbers(self) -> frozenset[Number] | None:
        """The kinds of number that are possible; None if some element type is of no kind."""
        return None if self.names is None else _numbers(self.names)

    def union(self, other: DType) -> DType:
        """What either of two values may hold."""
        if self.names is None or other.names is None:
            return ANY
        return DType(self.names | other.names)

    def covers(self, other: DType) -> bool:
        """Whether every element type of the other is one of these."""
        if self.names is None or other.names is None:
            return self.names is None
        return self.names >= other.names

    def intersection(self, other: DType) -> DType:
        """What both of two annotations allow, as a nested annotation does; empty if nothing."""
        if self.names is None or other.names is None:
            return other if self.names is None else self
        return DType(self.names & other.names)

    def may_be(self, other: DType) -> bool:
        """Whether values of both may hold the same element type."""
        return self.intersection(other).names != frozenset()

    def conflicts(self, other: DType, *, precision: bool = True) -> bool:
        """Whether no value can be both.

        Kinds of number conflict with each other. Precisions do only where both are exact, and not
        at all without `precision` (where autocast may choose it): `Int` takes a `uint8`.
        """
        mine, theirs = self.numbers, other.numbers
        if not mine or not theirs:
            return False
        if mine.isdisjoint(theirs):
            return True
        exact = self.exact is not None and other.exact is not None
        return precision and exact and self.exact != other.exact

    @property
    def text(self) -> str:
        """The narrowest jaxtyping name that allows it: `Float32`, `Float`, `Shaped`."""
        if self.names is None:
            return "Shaped"
        wide = (name for name, names in NAMED.items() if names is not None and names >= self.names)
        return min(wide, key=_breadth, default="Shaped")

    def __str__(self) -> str:
        """As an annotation names it."""
        return self.text


ANY = DType(None)


@cache
def _numbers(names: frozenset[str]) -> frozenset[Number] | None:
    found = [_number(name) for name in names]
    known = frozenset(kind for kind in found if kind is not None)
    return known if None not in found else None


def _number(name: str) -> Number | None:
    family = _FAMILY.match(name)
    return None if family is None else Number(family[1])


def _breadth(name: str) -> int:
    return len(NAMED[name] or ())
