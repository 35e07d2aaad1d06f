# SPDX-License-Identifier: Apache-2.0
"""Elements picked by an array of indices, and put back by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops import promotion
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.steps.axes.sizes import is_empty
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.value import Many
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_INDEX = indices("b k")
_GATHERS = (
    example(Array("b n"), 1, indices("b k")),
    example(Array("b t v"), -1, indices("b t 1")),
    example(Array("b t v"), -1, indices("b t")),
    example(Array("*a n"), -1, indices("*a k")),
    example(Array("n"), 0, indices("k")),
    example(Array("n"), 0, indices("k 0")),
    example(Array("b t v"), -1, indices("t b 1")),
)


def require_integers(call: Call, name: str) -> None:
    """Indices are integers. Raises Conflicting if they are not."""
    array = call.tensor(name)
    found = promotion.kinds(array.dtype)
    if found and found <= {"float", "complex", "bool"}:
        where = wording.argument(name, call.name)
        actual = promotion.text(array.dtype)
        raise Conflicting(wording.dtype_differs(where, "Int64", actual))


@rule(
    *torch_names("gather"),
    params="input, dim, index, *, sparse_grad=False, out=None",
    examples=_GATHERS,
)
def gather(call: Call) -> Tensor:
    """The shape of the index, which has as many axes and is nowhere larger but along `dim`."""
    array, index = call.tensor("input"), call.tensor("index")
    if not is_empty(index.shape):
        require_integers(call, "index")
    _require_fitting(call, array.shape, index.shape)
    return Tensor(index.shape, array.dtype)


def _require_fitting(call: Call, source: Shape, index: Shape) -> None:
    """Reject an index with another number of axes, or certainly larger beside `dim`.

    A smaller one leaves elements out, which is legal; one without elements may have any shape.
    """
    if 0 in (source.rank, index.rank):
        raise Undetermined("torch lets a scalar pass for a vector")
    if source.rank is None or index.rank is None:
        return
    along = position(call, source, call["dim"])
    if is_empty(index):
        return
    _require_one_rank(call, source, index)
    beside = [at for at in range(source.rank) if at != along]
    for at in beside:
        _require_at_most(call, at, index, source, "input")
    _require_equal_if_full(call, beside, source, index)


def _require_one_rank(call: Call, source: Shape, index: Shape) -> None:
    if source.rank != index.rank:
        where = wording.argument("index", call.name)
        raise Conflicting(wording.rank_differs(where, source.text, index.text))


def _require_equal_if_full(call: Call, beside: list[int], source: Shape, index: Shape) -> None:
    """Where the axes have as many elements together, none can be smaller, as none is larger.

    So it is with two axes in the wrong order.
    """
    pairs = [(at, source.prefix[at], index.prefix[at]) for at in beside]
    if any(own.flexible or picked.flexible for _, own, picked in pairs):
        return
    resolve = call.facts.resolve
    gap = sum((resolve(own.dim) - resolve(picked.dim) for _, own, picked in pairs), Dim.of(0))
    for at, own, picked in pairs if gap.value == 0 else ():
        if call.same(own.dim, picked.dim) is Verdict.DIFFERENT:
            _reject(call, at, own, picked, "input")


def _require_at_most(call: Call, at: int, index: Shape, source: Shape, name: str) -> None:
    own, picked = source.axis(at), index.axis(at)
    if own is None or picked is None or own.flexible or picked.flexible:
        return
    if at_most(call.facts.resolve(own.dim) + 1, call.facts.resolve(picked.dim)):
        _reject(call, at, own, picked, name)


def _reject(call: Call, at: int, own: Axis, picked: Axis, name: str) -> None:
    where, bound = wording.argument("index", call.name), f"axis {at} of `{name}`"
    raise Conflicting(wording.axis_differs(where, at, str(own), str(picked), bound_by=bound))


def require_vector(call: Call, index: Shape) -> None:
    """An index of one axis, or of none. Raises Conflicting if it has more."""
    if index.least_rank > 1:
        where = wording.argument("index", call.name)
        raise Conflicting(wording.rank_differs(where, "n", index.text))


_SOURCE = (
    example(Array("b n"), 1, indices("b n"), Array("b n")),
    example(Array("b n"), 1, indices("b n"), 1.0),
    example(Array("n"), 0, indices("n"), Array("n")),
)


def scattered(call: Call) -> Tensor:
    """Some elements are written, those of the index: the shape stays."""
    array, index, source = call.tensor("input"), call.tensor("index"), call["src"]
    require_integers(call, "index")
    _require_fitting(call, array.shape, index.shape)
    if isinstance(source, Tensor) and source.shape.rank == 0:
        raise Undetermined("torch lets a scalar pass for a vector")
    if isinstance(source, Tensor) and source.shape.rank and index.shape.rank:
        _require_one_rank(call, source.shape, index.shape)
        for at in range(index.shape.rank):
            _require_at_most(call, at, index.shape, source.shape, "src")
    return Tensor(array.shape, array.dtype)


rule(
    *torch_names("scatter", in_place=True),
    params="input, dim, index, src=None, *, value=None, reduce=None",
    examples=_SOURCE,
)(scattered)
rule(
    *torch_names("scatter_add", in_place=True),
    params="input, dim, index, src",
    examples=(_SOURCE[0], _SOURCE[2]),
)(scattered)
rule(
    *torch_names("scatter_reduce", in_place=True),
    params="input, dim, index, src, reduce, *, include_self=True, out=None",
    examples=(example(Array("b n"), 1, indices("b n"), Array("b n"), "amax"),),
)(scattered)


@rule(
    *torch_names("index_fill", in_place=True),
    params="input, dim, index, value",
    examples=(
        example(Array("b n"), 1, indices("k"), 0.0),
        example(Array(""), 1, indices("k"), 0.0),
    ),
)
def index_fill(call: Call) -> Tensor:
    """Whole slices of one axis are written: the shape stays."""
    array = call.tensor("input")
    require_integers(call, "index")
    require_vector(call, call.tensor("index").shape)
    if array.shape.rank != 0 or literal(call["dim"]) not in (0, -1):
        position(call, array.shape, call["dim"])
    return Tensor(array.shape, array.dtype)


@rule(
    *torch_names("index_select"),
    params="input, dim, index, *, out=None",
    examples=(
        example(Array("b n"), 1, indices("k")),
        example(Array("b n"), 0, indices("k")),
        example(Array("*a n"), -1, indices("k")),
        example(Array("b n"), 1, indices("j k")),
    ),
)
def index_select(call: Call) -> Tensor:
    """One axis gets the size of the index, a vector."""
    array, index = call.tensor("input"), call.tensor("index")
    require_integers(call, "index")
    require_vector(call, index.shape)
    if array.shape.rank == 0 or index.shape.rank != 1:
        raise Undetermined("the index is not known to be a vector")
    at = position(call, array.shape, call["dim"])
    return array.with_shape(array.shape.replace(at, *index.shape.axes))


rule(
    *torch_names("take"),
    params="input, index",
    examples=(example(Array("b n"), indices("k")), example(Array("n"), _INDEX)),
)(lambda call: call.tensor("input").with_shape(call.tensor("index").shape))


@rule(
    *torch_names("masked_select"),
    params="input, mask, *, out=None",
    examples=(
        example(Array("b n"), Array("b n", "Bool")),
        example(Array("b n"), Array("n", "Bool")),
    ),
)
def masked_select(call: Call) -> Tensor:
    """A vector, as long as the mask says; input and mask broadcast."""
    meet(call, {"input": call["input"], "mask": call["mask"]})
    return call.tensor("input").with_shape(Shape((Axis(Dim.fresh("selected")),)))


@rule(
    *torch_names("nonzero", "argwhere"),
    params="input, *, out=None, as_tuple=False",
    examples=(
        example(Array("b n")),
        example(Array("*a n", "Bool")),
        example(Array("b n"), as_tuple=True),
    ),
)
def nonzero(call: Call) -> Value:
    """One row of positions for each element that is not 0."""
    rank = call.tensor("input").shape.rank
    if call["as_tuple"] is False:
        columns = Axis(Dim.fresh() if rank is None else Dim.of(rank))
        return Tensor(Shape((Axis(Dim.fresh("found")), columns)), promotion.INT64)
    if call["as_tuple"] is not True:
        raise Undetermined("whether there is one array for each axis is not known")
    return places(call.tensor("input").shape)


def places(shape: Shape) -> Value:
    """The positions along each axis of an array where something is found."""
    if shape.rank == 0:
        raise Undetermined("the places in an array without axes")
    along = Tensor(Shape((Axis(Dim.fresh("found")),)), promotion.INT64)
    return Many(along) if shape.rank is None else (along,) * shape.rank


@rule(
    "torch.nn.functional.one_hot",
    params="tensor, num_classes=-1",
    examples=(
        example(indices("b"), Dim.name("c")),
        example(indices("*a"), 10),
        example(indices("b t")),
    ),
)
def one_hot(call: Call) -> Tensor:
    """One more axis, of a size that the data says unless it is given."""
    classes = call["num_classes"]
    given = isinstance(classes, Dim) and classes.value != -1
    last = Axis(classes if given and isinstance(classes, Dim) else Dim.fresh("classes"))
    return Tensor(Shape((*call.tensor("tensor").shape.axes, last)), promotion.INT64)
