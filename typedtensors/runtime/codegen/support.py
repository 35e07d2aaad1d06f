# SPDX-License-Identifier: Apache-2.0
"""What generated code calls.

A function that is pickled by value takes these along: each can be pickled.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from typedtensors.shapes.arrays.tracing import is_tracing, unconverted


class Misfit(ValueError):  # noqa: N818  it says "not sure", and no user sees it
    """The fast path does not accept a value; the full check decides.

    A `ValueError`, as unpacking a shape of another rank is.
    """


class _Absent:
    """Stands for an argument that was not passed."""


ABSENT: Any = _Absent

Run = tuple[bool, tuple[int, ...]]
"""What `*name` or `*#name` stands for, and whether it was `#`: as jaxtyping keeps it."""

# A framework has a few dozen dtypes; structured ones are made at will.
_REMEMBERED = 256


class DtypeTable(dict[Any, bool]):
    """Says which dtypes an annotation accepts; each dtype is looked at once.

    Args:
        dtypes: names and patterns, as an annotation's `dtypes`.
    """

    def __init__(self, dtypes: tuple[str | re.Pattern[str], ...]) -> None:
        super().__init__()
        self.dtypes = dtypes

    def __missing__(self, dtype: Any) -> bool:
        if len(self) > _REMEMBERED:
            self.clear()
        text = _text(dtype)
        fits = self[dtype] = any(
            known == text if isinstance(known, str) else known.match(text) is not None
            for known in self.dtypes
        )
        return fits

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype_table, (self.dtypes,)


@lru_cache(maxsize=256)
def dtype_table(dtypes: tuple[str | re.Pattern[str], ...]) -> DtypeTable:
    """Return the one table of these dtypes."""
    return DtypeTable(dtypes)


def _text(dtype: Any) -> str:
    """Name a dtype as jaxtyping does, if it is an ordinary one."""
    name = getattr(getattr(dtype, "type", None), "__name__", None)
    if name == "void":
        raise Misfit  # a structured dtype of NumPy is named by its fields
    if name is not None:
        return str(name)
    if is_tensorflow_dtype(dtype):
        return str(dtype.name)
    return dtype if isinstance(dtype, str) else repr(dtype).rsplit(".", 1)[-1]


def is_tensorflow_dtype(dtype: object) -> bool:
    """Say whether a dtype is one of TensorFlow's: NumPy has no name, or none at all, for some."""
    return hasattr(type(dtype), "as_numpy_dtype")


@unconverted
def is_concrete(value: object, kind: type) -> bool:
    """Say whether `value` is of a subclass of `kind`, and not a stand-in while code is traced."""
    return isinstance(value, kind) and not is_tracing()


@unconverted
def join(run: Run | None, shape: list[int], flexible: bool) -> Run:  # noqa: FBT001  generated
    """Return what a variadic name stands for once it has met another run of axes.

    Raises:
        Misfit: they do not go together.
    """
    given = tuple(shape)
    if run is None:
        return flexible, given
    known_flexible, known = run
    joint = _broadcast(known, given) if known_flexible or flexible else given
    # A run without `#` is not stretched.
    if (not flexible and joint != given) or (not known_flexible and joint != known):
        raise Misfit
    return (flexible, joint) if known_flexible else run


def _broadcast(one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
    longer, shorter = (one, two) if len(one) >= len(two) else (two, one)
    skipped = len(longer) - len(shorter)
    return (*longer[:skipped], *map(_meet, longer[skipped:], shorter))


def _meet(one: int, two: int) -> int:
    if two in (one, 1):
        return one
    if one == 1:
        return two
    raise Misfit
