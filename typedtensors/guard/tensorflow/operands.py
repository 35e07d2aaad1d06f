# SPDX-License-Identifier: Apache-2.0
"""Which inputs of one of TensorFlow's operations broadcast against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from typedtensors.guard.report import Sizes

if TYPE_CHECKING:
    from typedtensors.guard.outcome import Rows

Inputs: TypeAlias = Sequence[Any]
Shapes: TypeAlias = tuple[Sizes, ...]
Attributes: TypeAlias = Mapping[str, object]

UNKNOWN: Final = "None"
"""The name of one size, such as a batch's, that is not known wherever it is met."""


@dataclass(frozen=True)
class Operands:
    """The tensors that meet in one operation.

    `shapes` are the parts of their shapes that broadcast. `comparison`: a loss compares them.
    `cores`: the axes behind those that broadcast (of a matmul, the matrices), for each operand; and
    `result_core`, for the result.
    """

    tensors: tuple[Any, ...]
    shapes: Shapes
    comparison: bool = False
    cores: Shapes = ()
    result_core: Sizes = ()

    @property
    def rows(self) -> Rows:
        """The shapes as they are compared: a loss is given one batch, of whatever size."""
        one = self.comparison and len({len(shape) for shape in self.shapes}) == 1
        if not one or not all(shape[:1] == (None,) for shape in self.shapes):
            return self.shapes
        return tuple((UNKNOWN, *shape[1:]) for shape in self.shapes)

    @property
    def shown(self) -> Shapes:
        """The whole shapes, as the user knows them."""
        cores = self.cores or ((),) * len(self.shapes)
        return tuple(shape + core for shape, core in zip(self.shapes, cores, strict=True))


Reader: TypeAlias = Callable[[Inputs, Shapes, Attributes], Operands | None]


def elementwise(inputs: Inputs, shapes: Shapes, attributes: Attributes) -> Operands | None:  # noqa: ARG001 - one signature for all
    """All inputs, as they are."""
    return Operands(tuple(inputs), shapes)


def compared(inputs: Inputs, shapes: Shapes, attributes: Attributes) -> Operands | None:  # noqa: ARG001 - as above
    """Predictions and what a loss compares them with."""
    return Operands(tuple(inputs), shapes, comparison=True)


def batches(inputs: Inputs, shapes: Shapes, attributes: Attributes) -> Operands | None:
    """The batch axes of two stacks of matrices, multiplied."""
    left, right = shapes
    if min(len(left), len(right)) < 2:
        return None
    rows = left[-1] if attributes.get("adj_x") else left[-2]
    columns = right[-2] if attributes.get("adj_y") else right[-1]
    return Operands(
        tuple(inputs),
        shapes=(left[:-2], right[:-2]),
        cores=(left[-2:], right[-2:]),
        result_core=(rows, columns),
    )


def sizes_in_graph(inputs: Inputs) -> Shapes | None:
    """The shapes of tensors in a graph; None if a rank is not known."""
    shapes = [each.shape for each in inputs]
    if any(shape.rank is None for shape in shapes):
        return None
    return tuple([tuple(shape.as_list()) for shape in shapes])


def attributes_in_graph(operation: Any) -> list[Any]:  # noqa: ANN401 - of TensorFlow
    """The attributes of an operation in a graph, as an eager one has them: name, value, name ..."""
    names = [each.name for each in operation.op_def.attr]
    return [part for name in names for part in (name, operation.get_attr(name))]
