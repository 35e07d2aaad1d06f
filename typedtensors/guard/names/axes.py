# SPDX-License-Identifier: Apache-2.0
"""The axes of an array by name: what annotations call them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from typedtensors.dims import Dim
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from typedtensors.guard.report import Sizes

Names: TypeAlias = tuple[str | None, ...]
"""What annotations call each axis of an array, a name or arithmetic; None if they do not."""
ONE: Final = "1"
"""Stands for an axis that has one element and no name."""

_dims: Final[dict[str, Dim]] = {ONE: Dim.of(1)}


def text_of(dim: Dim) -> str:
    """The text by which a dim is one of `Names`: unlike a dim, it is compared in no time."""
    text = str(dim)
    _dims.setdefault(text, dim)
    return text


def dim_of(text: str) -> Dim:
    """The dim that a text stands for."""
    return _dims[text]


def shape_of(names: Names) -> Shape:
    """The shape that the names write; what has none is a size of its own."""
    return Shape(tuple(Axis(Dim.fresh() if name is None else _dims[name]) for name in names))


class Seen(NamedTuple):
    """An array as a rule sees it; `dtype` is the framework's own."""

    names: Names
    dtype: Hashable


@dataclass(frozen=True)
class Arrays:
    """How to ask the arrays of one framework.

    `kinds` are their classes. `sizes`: of an array, None for each that is not known; None if not
    even their number is. `is_plain`: whether an array has axes that could have names.
    """

    kinds: tuple[type[Any], ...]
    sizes: Callable[[Any], Sizes | None]
    is_plain: Callable[[Any], bool]


def seen(sizes: Sizes, dtype: Hashable, names: Names) -> Seen:
    """An array with these names, and a 1 for each axis that has one element and no name."""
    if 1 not in sizes:
        return Seen(names, dtype)
    pairs = zip(names, sizes, strict=True)
    ones = tuple([ONE if name is None and size == 1 else name for name, size in pairs])
    return Seen(ones, dtype)


@lru_cache(maxsize=4096)
def unnamed(sizes: Sizes, dtype: Hashable) -> Seen:
    """An array of which no axis has a name."""
    return seen(sizes, dtype, (None,) * len(sizes))
