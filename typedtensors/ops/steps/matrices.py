# SPDX-License-Identifier: Apache-2.0
"""Arrays of matrices: axes in front, then rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, smaller
from typedtensors.dims.quick import dataclass
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.matmul import require_axes
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor, new_origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.ops.call import Call
    from typedtensors.shapes import Part


@dataclass(frozen=True)
class Matrices:
    """The parts of such a shape; a size that may be 1 is one of its own."""

    lead: tuple[Part, ...]
    rows: Dim
    columns: Dim

    @property
    def smaller(self) -> Dim:
        """The smaller one of rows and columns."""
        return smaller(self.rows, self.columns)

    def shape(self, *sizes: Dim) -> Shape:
        """The axes in front, then these."""
        return Shape((*self.lead, *map(Axis, sizes)))


def matrices(call: Call, name: str) -> Matrices:
    """Split the shape of an argument. Raises Conflicting if it has fewer than two axes."""
    shape = call.tensor(name).shape
    require_axes(call, name, shape, 2)
    if len(shape.suffix) < 2:
        raise Undetermined("the last axes are not known")
    rows, columns = (Dim.fresh() if axis.flexible else axis.dim for axis in shape.suffix[-2:])
    return Matrices(shape.axes[:-2], rows, columns)


def squares(call: Call, name: str) -> Matrices:
    """As `matrices`, of square ones. Raises Conflicting if they are not."""
    found = matrices(call, name)
    if call.same(found.rows, found.columns) is Verdict.DIFFERENT:
        where, text = wording.argument(name, call.name), call.tensor(name).shape.text
        raise Conflicting(wording.shape_differs(where, f"... {found.rows} {found.rows}", text))
    return found


def numbered_alike(*arrays: tuple[Tensor, int]) -> Iterator[Tensor]:
    """The arrays, each with an axis that numbers what those of the others number."""
    origin = new_origin()
    for array, index in arrays:
        yield array.with_shape(array.shape.numbered(index, origin))


_COMPLEX = {"float16": "complex32", "float32": "complex64", "float64": "complex128"}


def complexed(dtype: DType) -> DType:
    """The dtype of complex numbers that hold such values; of integers, as of default floats."""
    known = promotion.kinds(dtype)
    if known is None or dtype.names is None:
        return ANY
    if known <= {"bool", "int"}:
        dtype = promotion.DEFAULT_FLOAT
    names = {_COMPLEX.get(name, name) for name in dtype.names or ()}
    # bfloat16 has no complex numbers.
    names -= {"bfloat16"}
    return DType(frozenset(names)) if names and known != {"bool"} else ANY
