# SPDX-License-Identifier: Apache-2.0
"""Vectors that become grids, and numbers drawn from or sorted into the parts of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import require_sizes
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *torch_names("multinomial"),
    params="input, num_samples, replacement=False, *, generator=None, out=None",
    examples=(example(Array("b n"), 1), example(Array("n"), 1), example(Array("b n d"), 1)),
)
def multinomial(call: Call) -> Value:
    """The last axis gets the number of samples."""
    array, count = call.tensor("input"), call.dim("num_samples")
    require_sizes(call, (Axis(count),))
    axes = array.shape.fixed
    if axes is not None and len(axes) not in (1, 2):
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "b n", array.shape.text))
    if axes is None or count != Dim.of(1):
        raise Undetermined("there may be too few elements")
    return Tensor(Shape((*axes[:-1], Axis(count))), promotion.INT64)


@rule(
    "torch.bucketize",
    params="input, boundaries, *, out_int32=False, right=False, out=None",
    examples=(example(Array("b n"), Array("k")), example(Array("*batch"), Array("k"))),
)
def bucketize(call: Call) -> Value:
    """A number per element."""
    array, boundaries = call.tensor("input"), call.tensor("boundaries")
    if boundaries.shape.rank not in (None, 1):
        where = wording.argument("boundaries", call.name)
        raise Conflicting(wording.rank_differs(where, "n", boundaries.shape.text))
    if boundaries.shape.rank is None:
        raise Undetermined("the boundaries are not known to be a vector")
    narrow = call.flag("out_int32")
    return array.with_dtype(DType.exactly("int32") if narrow else promotion.INT64)


@rule(
    "torch.meshgrid",
    params="*tensors, indexing=None",
    examples=(
        example(Array("n"), Array("m")),
        example(Array("n"), Array("m"), indexing="ij"),
        example(Array("n"), Array("m"), indexing="xy"),
        example([Array("n"), Array("m"), Array("k")], indexing="xy"),
    ),
)
def meshgrid(call: Call) -> Value:
    """Every vector along an axis of its own; `xy` swaps the first two."""
    indexing = "ij" if call["indexing"] is None else call["indexing"]
    return _grid(call["tensors"], indexing)


@rule(
    "numpy.meshgrid",
    params="*tensors, copy=True, sparse=False, indexing='xy'",
    examples=(
        example(Array("n"), Array("m")),
        example(Array("n"), Array("m"), Array("k")),
        example(Array("n"), Array("m"), indexing="ij"),
    ),
)
def meshgrid_numpy(call: Call) -> Value:
    """Every vector along an axis of its own; `xy` swaps the first two."""
    if call["sparse"] is not False:
        raise Undetermined("a sparse grid")
    return _grid(call["tensors"], call["indexing"])


def _as_vector(array: Tensor) -> Tensor:
    """A number is a vector of one."""
    return array.with_shape(Shape.of(1)) if array.shape.rank == 0 else array


def _grid(given: Value, indexing: Value) -> tuple[Tensor, ...]:
    if isinstance(given, tuple) and len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = given[0]
    several = given if isinstance(given, (tuple, list)) else ()
    vectors = [_as_vector(each) for each in several if isinstance(each, Tensor)]
    vectors = [each for each in vectors if each.shape.rank == 1]
    if not vectors or len(vectors) < len(several) or indexing not in ("ij", "xy"):
        raise Undetermined("the vectors of the grid are not known")
    if len({vector.dtype for vector in vectors}) > 1:
        raise Undetermined("the dtypes may differ")
    axes = [vector.shape.prefix[0] for vector in vectors]
    if indexing == "xy":
        axes = [*axes[1::-1], *axes[2:]]
    return tuple(vector.with_shape(Shape(tuple(axes))) for vector in vectors)
