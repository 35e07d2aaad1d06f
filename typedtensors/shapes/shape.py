# SPDX-License-Identifier: Apache-2.0
"""`Shape`, a sequence of axes of which some may be unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from typedtensors.dims import Dim, product
from typedtensors.dims.quick import cached_property, dataclass
from typedtensors.shapes.axis import Axis, Variadic

if TYPE_CHECKING:
    from collections.abc import Iterable

Part: TypeAlias = Axis | Variadic


@dataclass(frozen=True)
class Shape:
    """The shape of an array.

    Invariant: at most one part is a `Variadic`. A shape of which nothing is known is one nameless
    variadic; an axis of unknown size holds an opaque dim. So there is no separate "unknown".
    """

    axes: tuple[Part, ...]

    def __post_init__(self) -> None:
        """Reject a second variadic: which axes would belong to which?"""
        first = self.variadic
        if first is not None and len(self.suffix) < len(self.axes) - first - 1:
            msg = f"a shape holds at most one variadic: {self.axes}"
            raise ValueError(msg)

    @staticmethod
    def of(*sizes: Dim | int | str) -> Shape:
        """A shape of known rank: dims, literals, or names of declared dims."""
        return Shape(tuple(Axis(_dim(size)) for size in sizes))

    @staticmethod
    def unknown() -> Shape:
        """A shape of unknown rank."""
        return Shape((Variadic.fresh(),))

    @cached_property
    def variadic(self) -> int | None:
        """The position of the variadic, if there is one."""
        for position, part in enumerate(self.axes):
            if isinstance(part, Variadic):
                return position
        return None

    @property
    def rank(self) -> int | None:
        """The number of axes, or None if it is unknown."""
        return None if self.variadic is not None else len(self.axes)

    @property
    def least_rank(self) -> int:
        """The smallest possible number of axes."""
        return sum(isinstance(part, Axis) for part in self.axes)

    @property
    def fixed(self) -> tuple[Axis, ...] | None:
        """The axes, if the rank is known."""
        return self.suffix if self.variadic is None else None

    @cached_property
    def prefix(self) -> tuple[Axis, ...]:
        """The axes before the variadic; all of them if there is none."""
        if self.variadic is None:
            return self.suffix
        return tuple([part for part in self.axes[: self.variadic] if isinstance(part, Axis)])

    @cached_property
    def suffix(self) -> tuple[Axis, ...]:
        """The axes after the variadic; all of them if there is none."""
        start = 0 if self.variadic is None else self.variadic + 1
        return tuple([part for part in self.axes[start:] if isinstance(part, Axis)])

    def position(self, index: int) -> int | None:
        """Where in `axes` Python's `shape[index]` stands; None if out of range or undecided."""
        known = self.suffix if index < 0 else self.prefix
        if not -len(known) <= index < len(known):
            return None
        return index if index >= 0 else len(self.axes) + index

    def axis(self, index: int) -> Axis | None:
        """The axis at Python's `shape[index]`; None if out of range or undecided."""
        position = self.position(index)
        part = None if position is None else self.axes[position]
        return part if isinstance(part, Axis) else None

    def numbered(self, index: int, origin: int) -> Shape:
        """The shape whose axis at Python's `shape[index]`, if it is known, is of that origin."""
        position, axis = self.position(index), self.axis(index)
        if position is None or axis is None:
            return self
        return self.replace(position, axis.of_origin(origin))

    def replace(self, position: int, *parts: Part) -> Shape:
        """The shape with the part at a position of `axes` replaced by any number of parts."""
        return Shape((*self.axes[:position], *parts, *self.axes[position + 1 :]))

    @property
    def dims(self) -> tuple[Dim, ...] | None:
        """The sizes, if the rank is known and no axis is flexible."""
        axes = self.fixed
        if axes is None or any(axis.flexible for axis in axes):
            return None
        return tuple(axis.dim for axis in axes)

    @property
    def count(self) -> Dim | None:
        """The number of elements, if the sizes are known."""
        return None if self.dims is None else product(self.dims)

    @property
    def text(self) -> str:
        """As a spec writes it: `batch heads 4`, `... d`; empty for rank 0."""
        return " ".join(map(str, self.axes))

    def __str__(self) -> str:
        """As people write shapes: `(batch, heads, 4)`, `(n,)`, `()`."""
        inner = ", ".join(map(str, self.axes))
        return f"({inner},)" if len(self.axes) == 1 else f"({inner})"


def _dim(size: Dim | int | str) -> Dim:
    if isinstance(size, Dim):
        return size
    return Dim.of(size) if isinstance(size, int) else Dim.name(size)


def dims_of(axes: Iterable[Axis]) -> tuple[Dim, ...]:
    """The sizes of axes."""
    return tuple(axis.dim for axis in axes)
