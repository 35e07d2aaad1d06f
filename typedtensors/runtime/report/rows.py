# SPDX-License-Identifier: Apache-2.0
"""One row of the table: an array argument, its annotation, and what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from typedtensors.runtime.hints.nodes import Leaf
from typedtensors.runtime.report.dtype_text import dtype_name, short_dtype
from typedtensors.runtime.symbolic.values import is_array_of
from typedtensors.shapes import Argument, Spec, SpecAxis, SpecError, parse_spec
from typedtensors.shapes.arrays.sizes import Sizes, as_shape, size_text, sizes_of

_MODULES = re.compile(r"\b(typing|typing_extensions|jaxtyping|collections\.abc|builtins)\.")
_RESULT = re.compile(r"(return|yield)\b")
_FRAMEWORKS = frozenset({"torch", "numpy", "jax", "jaxlib", "tensorflow", "keras"})


@dataclass(frozen=True)
class Row:
    """A value that meets an array annotation.

    Invariant: `dtype` is None for a value that is no array, and `shape` is then too; it is also
    where not even the rank is known. A size that is not known is None. Only facts are kept, never
    the array. `framework` is the top-level module of its class.
    """

    argument: str
    annotation: Any
    spec: Spec
    type_name: str
    framework: str
    is_instance: bool
    shape: Sizes | None = None
    dtype: str | None = None

    @property
    def fits_dtype(self) -> bool:
        """Whether the annotation accepts the dtype."""
        return self.dtype is not None and accepts_dtype(self.annotation, self.dtype)

    @property
    def fits_but_for_shape(self) -> bool:
        """Whether only the shape is left to compare."""
        return self.is_instance and self.fits_dtype

    @property
    def declared(self) -> str:
        """The annotation as a column shows it: the spec alone if only that is of interest."""
        if self.fits_but_for_shape:
            return self.spec.text or '""'
        kind, array = self.annotation.dtype.__name__, type_text(self.annotation.array_type)
        return f'{kind}[{array}, "{self.spec.text}"]'

    @property
    def actual(self) -> str:
        """The value as a column shows it: `f32[2, 4]`, or the class of what does not fit."""
        if self.dtype is None:
            return self.type_name
        prefix = "" if self.is_instance else f"{self.framework} "
        return f"{prefix}{short_dtype(self.dtype)}[{_sizes_text(self.shape)}]"

    def as_argument(self, *, same: bool = False) -> Argument:
        """The row as `match_all` takes it; `same` takes all unknown sizes to be one."""
        return Argument(self.argument, self.spec, as_shape(self.shape, same=same))

    def spans(self) -> list[tuple[SpecAxis, int, int]] | None:
        """Pair each word of the spec with the axes it covers; None if the rank does not fit."""
        if self.shape is None:
            return None
        rank, least = len(self.shape), self.spec.least_rank
        if rank < least or (rank > least and self.spec.variadic is None):
            return None
        found, start = [], 0
        for axis in self.spec.axes:
            stop = start + (rank - least if axis.variadic else 1)
            found.append((axis, start, stop))
            start = stop
        return found


def make_row(argument: str, leaf: Leaf) -> Row | None:
    """Describe one value; None if its annotation holds no spec that can be read."""
    annotation, value = leaf.annotation, leaf.value
    try:
        spec = parse_spec(annotation.dim_str)
    except SpecError:
        return None
    kind, wanted = type(value), annotation.array_type
    row = Row(
        argument=argument + leaf.path,
        annotation=annotation,
        spec=spec,
        type_name=class_name(value),
        framework=_framework(kind),
        is_instance=wanted is Any or is_array_of(value, wanted),
    )
    shape, dtype = shape_and_dtype(value) or (None, None)
    return replace(row, shape=shape, dtype=dtype)


def shape_and_dtype(value: Any) -> tuple[Sizes | None, str] | None:
    """Read what is shown of an array; None of what is none, or does not tell."""
    try:
        return sizes_of(value), dtype_name(value)
    except Exception:  # noqa: BLE001  such as a mock, which has any attribute
        return None


def _framework(kind: type) -> str:
    """The library that a class is of, also where a user has derived it."""
    roots = [base.__module__.partition(".")[0] for base in kind.__mro__]
    return next((root for root in roots if root in _FRAMEWORKS), roots[0])


def accepts_dtype(annotation: Any, dtype: str) -> bool:
    """Say whether an array annotation accepts a dtype by name."""
    dtypes = annotation.dtype.dtypes
    if not isinstance(dtypes, tuple | list):  # jaxtyping's mark for "any"
        return True
    return any(
        bool(known.match(dtype)) if isinstance(known, re.Pattern) else known == dtype
        for known in dtypes
    )


def is_result(argument: str) -> bool:
    """Say whether this is a result or a part of one, `return[0]`: no parameter is named so."""
    return _RESULT.match(argument) is not None


def class_name(value: Any) -> str:
    """Name the class of a value; None is its own."""
    return "None" if value is None else type(value).__name__


def value_text(value: Any) -> str:
    """Name the class of a value, and what else is known of an array."""
    known = shape_and_dtype(value)
    if known is None:
        return class_name(value)
    shape, dtype = known
    return f"{class_name(value)} {short_dtype(dtype)}[{_sizes_text(shape)}]"


def _sizes_text(sizes: Sizes | None) -> str:
    return "..." if sizes is None else ", ".join(map(size_text, sizes))


def type_text(annotation: Any) -> str:
    """Write a type hint as its author would."""
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return annotation.__name__
    return _MODULES.sub("", str(annotation))
