# SPDX-License-Identifier: Apache-2.0
"""Elements, rows and slices written into an array at positions: its shape stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.families.indexing.picking import require_integers
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.elementwise import elementwise, meet
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *torch_names("take_along_dim"),
    params="input, indices, dim=None, *, out=None",
    examples=(
        example(Array("b n"), indices("b k"), 1),
        example(Array("b n"), indices("1 k"), 1),
        example(Array("b t n"), indices("b t 1"), dim=-1),
        example(Array("b n"), indices("k")),
        example(Array("b n"), indices("c k"), 1),
        example(Array("b t n"), indices("b k"), 1),
    ),
)
def take_along_dim(call: Call) -> Value:
    """As the indices along one axis; along the others both broadcast."""
    array, index = call.tensor("input"), call.tensor("indices")
    require_integers(call, "indices")
    if call["dim"] is None:
        count = index.shape.count
        return array.with_shape(Shape((Axis(Dim.fresh() if count is None else count),)))
    if array.shape.rank is None or index.shape.rank is None:
        raise Undetermined("the ranks are not known")
    if array.shape.rank != index.shape.rank:
        where = wording.argument("indices", call.name)
        raise Conflicting(wording.rank_differs(where, array.shape.text, index.shape.text))
    if array.shape.rank == 0:
        raise Undetermined("torch may let a scalar pass")
    at = position(call, array.shape, call["dim"])
    picked = array.with_shape(array.shape.replace(at, index.shape.axes[at]))
    return array.with_shape(meet(call, {"input": picked, "indices": index}))


def _require_slice(call: Call, number: int, own: object, given: object) -> None:
    if not isinstance(own, Axis) or not isinstance(given, Axis) or own.flexible or given.flexible:
        return
    if call.same(own.dim, given.dim) is Verdict.DIFFERENT:
        where = wording.argument("source", call.name)
        raise Conflicting(wording.axis_differs(where, number, str(own), str(given)))


@rule(
    *torch_names("masked_scatter", in_place=True),
    params="input, mask, source",
    examples=(
        example(Array("b n"), Array("b n", "Bool"), Array("b n")),
        example(Array("b n"), Array("b 1", "Bool"), Array("b n")),
        example(Array("b n"), Array("m", "Bool"), Array("b n")),
    ),
)
def masked_scatter(call: Call) -> Value:
    """The elements where the mask says so are replaced, in order; input and mask broadcast."""
    return elementwise(call, "input", "mask", dtype=call.tensor("input").dtype)


@rule(
    *torch_names("put", in_place=False),
    *methods("put_"),
    params="input, index, source, accumulate=False",
    examples=(example(Array("b n"), indices("k"), Array("k")),),
)
def put(call: Call) -> Value:
    """Elements at positions of the flattened array."""
    require_integers(call, "index")
    one, other = call.tensor("index").shape.count, call.tensor("source").shape.count
    if one is None or other is None:
        raise Undetermined("the number of elements is not known")
    if call.same(one, other) is Verdict.DIFFERENT:
        problem = f"{one} indices for {other} elements"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return call.tensor("input")


@rule(
    *torch_names("select_scatter"),
    params="input, src, dim, index",
    examples=(
        example(Array("b n"), Array("b"), 1, 0),
        example(Array("b n d"), Array("n d"), 0, -1),
        example(Array("b n"), Array("n"), 1, 0),
    ),
)
def select_scatter(call: Call) -> Value:
    """The array with one position of an axis replaced by a smaller array."""
    array, source = call.tensor("input"), call.tensor("src")
    if array.shape.rank in (None, 0):
        raise Undetermined("the rank is not known")
    at = position(call, array.shape, call["dim"])
    wanted = array.shape.replace(at)
    if source.shape.rank is None:
        raise Undetermined("the rank is not known")
    if source.shape.rank != wanted.rank:
        where = wording.argument("src", call.name)
        raise Conflicting(wording.rank_differs(where, wanted.text, source.shape.text))
    for number, (own, given) in enumerate(zip(wanted.axes, source.shape.axes, strict=True)):
        _require_slice(call, number, own, given)
    if call["index"] not in (Dim.of(0), Dim.of(-1)):
        raise Undetermined("the position may not be there")
    return Tensor(array.shape, array.dtype)
