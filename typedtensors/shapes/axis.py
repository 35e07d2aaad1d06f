# SPDX-License-Identifier: Apache-2.0
"""What stands at one position of a shape."""

from __future__ import annotations

import itertools
from dataclasses import field
from enum import Enum

from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass

_serials = itertools.count(1)


class Intent(Enum):
    """Where a size-1 axis came from, when its author asked for it: a broadcast is then meant."""

    KEEPDIM = "keepdim"
    UNSQUEEZE = "unsqueeze"
    INDEX = "None in an index"
    VIEW = "a 1 in view or reshape"
    SPEC = "a literal 1 in an annotation"
    ALIGN = "align"


@dataclass(frozen=True)
class Axis:
    """One axis of known position.

    `flexible` is jaxtyping's `#`: the size is `dim` or 1. `intent` says where a size of 1 was
    asked for, and axes of one `origin` number the same things, such as the eigenvectors of one
    matrix. `merged` are the sizes of which it was made, the slowest first: `(b, t)` for rows that
    were viewed as `b*t`. None of these is a part of equality, which is about sizes.
    """

    dim: Dim
    flexible: bool = False
    intent: Intent | None = field(default=None, compare=False)
    origin: int | None = field(default=None, compare=False, repr=False)
    merged: tuple[Dim, ...] = field(default=(), compare=False, repr=False)

    def with_dim(self, dim: Dim) -> Axis:
        """The same axis with another size."""
        return Axis(dim, self.flexible, self.intent, self.origin, self.merged)

    def of_origin(self, origin: int) -> Axis:
        """The same axis, which numbers what all axes of that origin do."""
        return Axis(self.dim, self.flexible, self.intent, origin, self.merged)

    @property
    def is_one(self) -> bool:
        """Whether the size is the literal 1."""
        return self.dim.value == 1

    def __str__(self) -> str:
        """As a spec writes it."""
        return f"#{self.dim}" if self.flexible else str(self.dim)


def new_origin() -> int:
    """An origin that no axis has yet."""
    return next(_serials)


@dataclass(frozen=True)
class Variadic:
    """Any number of axes: `*name`, or `...` when it has no name.

    Invariant: two variadics are the same axes if they are equal. A name is rigid in the function
    that declares it; `serial` keeps apart nameless ones, so that a value keeps its own prefix
    through operations that leave it alone. `written`: an annotation has them, so they are not left
    open because nothing is known of the array; that is no part of equality.
    """

    name: str | None = None
    flexible: bool = False
    serial: int = 0
    written: bool = field(default=False, compare=False, repr=False)

    @staticmethod
    def fresh(*, written: bool = False) -> Variadic:
        """A nameless run of axes that equals no other one."""
        return Variadic(serial=next(_serials), written=written)

    def __str__(self) -> str:
        """As a spec writes it."""
        mark = "#" if self.flexible else ""
        return f"*{mark}{self.name}" if self.name else "..."
