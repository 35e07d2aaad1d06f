# SPDX-License-Identifier: Apache-2.0
"""`Tensor`, what is known of one array."""

from __future__ import annotations

from dataclasses import field

from typedtensors.dims.quick import dataclass
from typedtensors.shapes.dtype import ANY, DType
from typedtensors.shapes.shape import Shape


@dataclass(frozen=True)
class Tensor:
    """An array's shape and dtype, as far as they are known.

    `parameter` marks a weight, or other data that outlives a call or is written out: its author
    chose the shape of its axes once, so it teaches the sizes it meets, and a one-sided broadcast of
    it is no accident. `trailing` marks what is left of an array whose first
    axes were folded, as by `x.mean(0)`: its axes are the last ones, where a broadcast puts them.
    """

    shape: Shape
    dtype: DType = ANY
    parameter: bool = field(default=False, compare=False)
    trailing: bool = field(default=False, compare=False)

    def with_shape(self, shape: Shape) -> Tensor:
        """The result of an operation that changes the shape only: a view of a weight is one too."""
        return self.like(shape, self.dtype)

    def with_dtype(self, dtype: DType) -> Tensor:
        """The result of an operation that changes the dtype only."""
        return self.like(self.shape, dtype)

    def like(self, shape: Shape, dtype: DType) -> Tensor:
        """Another array of the same kind."""
        return Tensor(shape, dtype, self.parameter, self.trailing)
