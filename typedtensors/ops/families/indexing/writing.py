# SPDX-License-Identifier: Apache-2.0
"""A part of an array replaced by another array: a slice, a diagonal, elements of any index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.indexing.brackets import setitem
from typedtensors.ops.families.indexing.picking import require_integers
from typedtensors.ops.families.indexing.triangles import diagonal
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import parts, require_sizes
from typedtensors.ops.steps.axes.slicing import sliced
from typedtensors.ops.value import Unknown
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def require_part(call: Call, part: Shape) -> None:
    """Require that `src` has the shape of the part that it replaces; learn from it."""
    given = call.tensor("src").shape
    if part.rank is None or given.rank is None:
        raise Undetermined("the rank is not known")
    where = wording.argument("src", call.name)
    if part.rank != given.rank:
        raise Conflicting(wording.rank_differs(where, part.text, given.text))
    for at, (own, new) in enumerate(zip(part.prefix, given.prefix, strict=True)):
        if own.flexible or new.flexible:
            continue
        if call.same(own.dim, new.dim) is Verdict.DIFFERENT:
            raise Conflicting(wording.axis_differs(where, at, str(own), str(new)))
        if call.facts.resolve(own.dim) != call.facts.resolve(new.dim):
            raise Undetermined("whether the part has that size is not known")


@rule(
    *torch_names("slice_scatter"),
    params="input, src, dim=0, start=None, end=None, step=1",
    examples=(
        example(Array("8 n"), Array("6 n"), 0, 2),
        example(Array("b 8"), Array("b 2"), 1, 1, 5, 2),
        example(Array("b n"), Array("b n"), -1),
        example(Array("b 8"), Array("b 3"), 1, 6),
    ),
)
def slice_scatter(call: Call) -> Value:
    """The array, with what `src` holds in a slice of one axis."""
    array = call.tensor("input")
    if array.shape.rank == 0:
        raise Undetermined("torch may let a scalar pass")
    at = position(call, array.shape, call["dim"])
    axis = array.shape.axes[at]
    if not isinstance(axis, Axis):
        raise Undetermined("the size of the axis is not known")
    bounds = slice(call["start"], call["end"], call["step"])
    require_part(call, array.shape.replace(at, sliced(axis, bounds, call.facts)))
    return Tensor(array.shape, array.dtype)


@rule(
    "torch.slice_copy",
    params="input, dim=0, start=None, end=None, step=1",
    examples=(example(Array("8 n"), 0, 2), example(Array("b 8"), 1, 1, 5, 2)),
)
def slice_copy(call: Call) -> Value:
    """A slice of one axis."""
    array = call.tensor("input")
    if array.shape.rank == 0:
        raise Undetermined("torch may let a scalar pass")
    at = position(call, array.shape, call["dim"])
    axis, step = array.shape.axes[at], call["step"]
    if not isinstance(axis, Axis):
        raise Undetermined("the size of the axis is not known")
    if isinstance(step, Dim) and at_most(step, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"a step of {step}"))
    bounds = slice(call["start"], call["end"], step)
    return array.with_shape(array.shape.replace(at, sliced(axis, bounds, call.facts)))


@rule(
    *torch_names("diagonal_scatter"),
    params="input, src, offset=0, dim1=0, dim2=1",
    examples=(
        example(Array("n n"), Array("n")),
        example(Array("b 5 7"), Array("b 5"), 1, -2, -1),
        example(Array("n n b"), Array("b n")),
        example(Array("4 4"), Array("4"), 1),
    ),
)
def diagonal_scatter(call: Call) -> Value:
    """The array, with what `src` holds on a diagonal."""
    array, part = call.tensor("input"), diagonal(call)
    if not isinstance(part, Tensor):
        raise Undetermined("the diagonal is not known")
    require_part(call, part.shape)
    return Tensor(array.shape, array.dtype)


@rule(
    *torch_names("index_put", in_place=True),
    "torch.index_put_",
    params="input, indices, values, accumulate=False",
    examples=(
        example(Array("b n"), (indices("k"),), Array("k n")),
        example(Array("b n"), (indices("k"), indices("k")), Array("k")),
        example(Array("b n"), (Array("b n", "Bool"),), Array("1")),
        example(Array("b n"), (indices("k"),), Array("")),
        example(Array("b n"), (indices("k"),), Array("b"), True),
        example(Array("b n"), (indices("k"), indices("k"), indices("k")), Array("k")),
    ),
)
def index_put(call: Call) -> Value:
    """The array; the values broadcast to the part of it that the indices take."""
    array, given = call.tensor("input"), call["indices"]
    if not isinstance(given, (tuple, list)) or not given:
        raise Undetermined("the indices are not known")
    key = tuple(slice(None) if each is None else each for each in given)
    setitem(replace_arguments(call, {**call.arguments, "key": key, "value": call["values"]}))
    return Tensor(array.shape, array.dtype)


@rule(
    "torch.unravel_index",
    params="indices, shape",
    examples=(
        example(indices("k"), (2, 3)),
        example(indices("*a"), (Dim.name("n"), 4)),
    ),
)
def unravel_index(call: Call) -> Value:
    """The position along each axis of a shape, for each index into what it holds."""
    array, sizes = call.tensor("indices"), call["shape"]
    require_integers(call, "indices")
    if isinstance(sizes, (Dim, Unknown)) or not isinstance(sizes, (tuple, list)) or not sizes:
        raise Undetermined("the number of axes is not known")
    require_sizes(call, parts(sizes))
    if Dim.of(0) in sizes:
        raise Undetermined("nothing has an index")
    return (Tensor(array.shape, promotion.INT64),) * len(sizes)


@rule(
    *torch_names("diagflat"),
    params="input, offset=0",
    examples=(example(Array("n")), example(Array("2 3"), 1), example(Array("b n"), -2)),
)
def diagflat(call: Call) -> Value:
    """A matrix with all the elements on a diagonal."""
    array, offset = call.tensor("input"), call.dim("offset")
    count = array.shape.count
    known = count is not None and offset.value is not None
    side = Axis(count + abs(offset.value or 0) if known and count is not None else Dim.fresh())
    return array.with_shape(Shape((side, side)))
