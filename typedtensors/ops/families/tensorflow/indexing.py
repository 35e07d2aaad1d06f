# SPDX-License-Identifier: Apache-2.0
"""Parts of TensorFlow's arrays, and what these say of their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.indexing.brackets import indexed
from typedtensors.ops.families.indexing.inspection import length, numel, rank, shape
from typedtensors.ops.families.tensorflow.unary import array_of
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.steps.axes.sizes import is_hole, parts, require_sizes, shape_of
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_ALL = slice(None)
_N = Dim.name("n")
_SHOWN = (example(Array("b n")), example(Array("")))

rule(
    *tensorflow_names("shape"),
    params="input, out_type=None, name=None",
    examples=_SHOWN,
)(shape)
rule("tensorflow.Tensor.shape", "tensorflow.Tensor.get_shape", params="input", examples=_SHOWN)(
    shape
)
rule(*tensorflow_names("rank"), params="input, name=None", examples=_SHOWN)(rank)
rule("tensorflow.Tensor.ndim", params="input", examples=_SHOWN)(rank)
rule(
    *tensorflow_names("size"),
    params="input, out_type=None, name=None",
    examples=_SHOWN,
)(numel)
rule("tensorflow.Tensor.__len__", params="input", examples=_SHOWN[:1])(length)


@rule(
    *tensorflow_names("ensure_shape"),
    params="x, shape, name=None",
    examples=(
        *(example(Array("b n"), (Dim.name("b"), _N)), example(Array("b n"), [None, _N])),
        *(example(Array("b n"), (None, None, None)), example(Array("b 3"), (None, 4))),
    ),
)
def ensure_shape(call: Call) -> Value:
    """The array, with the sizes that are asked for."""
    array, wanted = call.tensor("x"), call["shape"]
    if not isinstance(wanted, (tuple, list)):
        raise Undetermined("the shape is not known")
    if array.shape.rank not in (None, len(wanted)):
        text = " ".join("_" if size is None else str(size) for size in wanted)
        raise Conflicting(wording.rank_differs(f"`{call.name}`", text, array.shape.text))
    axes = []
    for at, size in enumerate(wanted):
        own = array.shape.axis(at) if array.shape.rank is not None else None
        axes.append(_ensured(call, at, own, size))
    return array.with_shape(Shape(tuple(axes)))


def _ensured(call: Call, at: int, own: Axis | None, size: Value) -> Axis:
    if not isinstance(size, Dim):
        return own if own is not None else Axis(Dim.fresh())
    if own is not None and not own.flexible and call.same(own.dim, size) is Verdict.DIFFERENT:
        where = f"`{call.name}`"
        raise Conflicting(wording.axis_differs(where, at, str(size), str(own)))
    return Axis(size)


@rule(
    "tensorflow.Tensor.__getitem__",
    params="input, key",
    examples=(
        *(example(Array("b n"), 0), example(Array("b n"), -1), example(Array("3 n"), 3)),
        *(example(Array("3 n"), -4), example(Array("b n"), (0, 0, 0)), example(Array(""), 0)),
        *(example(Array("b n"), (..., 0)), example(Array("b n"), (_ALL, None))),
        *(example(Array("b n"), (None, ..., None)), example(Array("b n"), slice(1, None))),
        *(example(Array("b n"), (_ALL, slice(None, -1))), example(Array("b n"), (..., None, 0))),
        *(example(Array("b n"), (_ALL, slice(None, None, 2))),),
        *(example(Array("b n"), (_ALL, slice(None, None, -1))),),
        *(example(Array("b n"), (slice(None, _N), slice(_N // 2, None))),),
        *(example(Array("b n d"), Array("b n", "Bool")), example(Array("b n"), indices(""))),
        example(Array("b n d"), Array("b", "Bool")),
    ),
)
def getitem(call: Call) -> Value:
    """The axes that the index leaves and the new ones it asks for; a mask stands alone."""
    array, key = call.tensor("input"), call["key"]
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        if isinstance(item, (tuple, list)):
            raise Undetermined("a list of indices")
        masks = len(items) == 1 and isinstance(item, Tensor) and _is_bool(item)
        if isinstance(item, Tensor) and item.shape.rank != 0 and not masks:
            raise Undetermined("TensorFlow takes no arrays of positions")
    return array.with_shape(indexed(call, array.shape))


def _is_bool(array: Tensor) -> bool:
    return promotion.kinds(array.dtype) == frozenset({"bool"})


@rule(
    *tensorflow_names("boolean_mask"),
    params="tensor, mask, axis=None, name=None",
    examples=(
        *(example(Array("b n d"), Array("b n", "Bool")), example(Array("b n"), Array("b", "Bool"))),
        *(example(Array("b n d"), Array("n", "Bool"), axis=1),),
    ),
)
def boolean_mask(call: Call) -> Value:
    """One axis of unknown size in place of those of the mask."""
    array, mask = call.tensor("tensor"), call.tensor("mask")
    at = 0 if call["axis"] is None else literal(call["axis"])
    count = mask.shape.rank
    if count is None or not count or array.shape.rank is None or at < 0:
        raise Undetermined("the axes of the mask are not known")
    if array.shape.rank < at + count:
        where = wording.argument("tensor", call.name)
        raise Conflicting(wording.rank_differs(where, mask.shape.text, array.shape.text))
    for index in range(count):
        own, given = array.shape.prefix[at + index], mask.shape.prefix[index]
        rigid = not (own.flexible or given.flexible)
        if rigid and call.same(own.dim, given.dim) is Verdict.DIFFERENT:
            where = wording.argument("mask", call.name)
            raise Conflicting(wording.axis_differs(where, index, str(own), str(given)))
    axes = array.shape.axes
    selected = Axis(Dim.fresh("selected"))
    return array.with_shape(Shape((*axes[:at], selected, *axes[at + count :])))


_GATHERS = (
    *(example(Array("v d"), indices("b t")), example(Array("b n d"), indices("k"), axis=1)),
    *(example(Array("b n"), indices("*a"), axis=-1), example(Array("b n"), 0, axis=1)),
    *(example(Array("b n"), indices("k"), axis=2), example(Array("b n"), [0, 0, 0])),
    *(example(Array("b n d"), indices("b k"), batch_dims=1),),
    *(example(Array("b n d"), indices("b k"), axis=1, batch_dims=1),),
)


@rule(
    *tensorflow_names("gather"),
    params="params, indices, validate_indices=None, axis=None, batch_dims=0, name=None",
    examples=_GATHERS,
)
def gather(call: Call) -> Value:
    """The axes of the indices in place of one axis; the first `batch_dims` are shared by both."""
    found = gathered(call)
    array = call.tensor("params")
    number = call["batch_dims"] if call["axis"] is None else call["axis"]
    _require_within(call, array.shape.axes[position(call, array.shape, number)], call["indices"])
    return found


def gathered(call: Call) -> Tensor:
    """What is gathered, whatever the indices are."""
    array, picked = call.tensor("params"), array_of(call, call["indices"])
    shared = literal(call["batch_dims"])
    number = Dim.of(shared) if call["axis"] is None else call["axis"]
    at = position(call, array.shape, number)
    if not shared:
        axes = array.shape.axes
        return array.with_shape(shape_of((*axes[:at], *picked.shape.axes, *axes[at + 1 :])))
    if shared < 0 or at < shared or len(picked.shape.prefix) < shared:
        raise Undetermined("the shared axes are not known")
    for index in range(shared):
        own, given = array.shape.axis(index), picked.shape.axis(index)
        if own is None or given is None or own.flexible or given.flexible:
            continue
        if call.same(own.dim, given.dim) is Verdict.DIFFERENT:
            where = wording.argument("indices", call.name)
            raise Conflicting(wording.axis_differs(where, index, str(own), str(given)))
    axes = array.shape.axes
    rest = picked.shape.axes[shared:]
    return array.with_shape(shape_of((*axes[:at], *rest, *axes[at + 1 :])))


def _require_within(call: Call, axis: Part, indices: Value) -> None:
    """Require that literal indices are positions of the axis: TensorFlow counts none from its end.

    Raises Conflicting if one is not.
    """
    several = indices if isinstance(indices, (tuple, list)) else (indices,)
    for index in several:
        if isinstance(index, (tuple, list)):
            _require_within(call, axis, index)
        if not isinstance(index, Dim) or index.value is None:
            continue
        known = isinstance(axis, Axis) and not axis.flexible
        size = call.facts.resolve(axis.dim).value if known and isinstance(axis, Axis) else None
        if index.value < 0 or (size is not None and index.value >= size):
            raise Conflicting(wording.misused(call.name, f"index {index} of an axis of {axis}"))


@rule(
    *tensorflow_names("nn.embedding_lookup"),
    params="params, ids, max_norm=None, name=None",
    examples=(example(Array("v d"), indices("b t")), example(Array("v d"), indices("*a"))),
)
def embedding_lookup(call: Call) -> Value:
    """The rows that the ids name."""
    table, ids = call.tensor("params"), array_of(call, call["ids"])
    if not table.shape.prefix or table.shape.rank is None:
        raise Undetermined("the table is not known")
    return table.with_shape(shape_of((*ids.shape.axes, *table.shape.axes[1:])))


@rule(
    *tensorflow_names("gather_nd"),
    params="params, indices, batch_dims=0, name=None",
    examples=(
        *(example(Array("b n d"), indices("k 2")), example(Array("b n"), indices("*a 1"))),
        example(Array("b n"), indices("k 3")),
    ),
)
def gather_nd(call: Call) -> Value:
    """What the rows of indices name: as many axes of the array as a row is long."""
    array, picked = call.tensor("params"), array_of(call, call["indices"])
    last = picked.shape.axis(-1)
    depth = None if last is None or last.flexible else last.dim.value
    if depth is None or call["batch_dims"] != Dim.of(0):
        raise Undetermined("the length of the rows is not known")
    if array.shape.rank is not None and depth > array.shape.rank:
        problem = f"rows of {depth} indices for {array.shape}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    if len(array.shape.prefix) < depth:
        raise Undetermined("the rank is not known")
    return array.with_shape(shape_of((*picked.shape.axes[:-1], *array.shape.axes[depth:])))


@rule(
    *tensorflow_names("slice"),
    params="input_, begin, size, name=None",
    examples=(
        *(example(Array("b n"), [0, 1], [-1, 1]), example(Array("b 5"), (0, 1), (-1, 3))),
        *(example(Array("b n"), [0], [1]), example(Array("b n"), [0, 0], [-1, -1])),
    ),
)
def part(call: Call) -> Value:
    """From each axis `size` elements; -1 stands for all that are left."""
    array, begin = call.tensor("input_"), call["begin"]
    given = parts(call["size"])
    wanted = [each for each in given if isinstance(each, Axis)]
    if len(wanted) < len(given):
        raise Undetermined("the sizes are not known")
    if array.shape.rank is not None and array.shape.rank != len(wanted):
        problem = f"{len(wanted)} sizes for {array.shape}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    starts = begin if isinstance(begin, (tuple, list)) else ()
    if len(starts) != len(wanted) or array.shape.rank is None:
        raise Undetermined("where the part begins is not known")
    together = zip(array.shape.prefix, starts, wanted, strict=True)
    return array.with_shape(Shape(tuple(_left(call, *each) for each in together)))


def _left(call: Call, own: Axis, start: Value, wanted: Axis) -> Axis:
    if not isinstance(start, Dim) or own.flexible:
        return Axis(Dim.fresh()) if is_hole(wanted) else wanted
    if not is_hole(wanted):
        require_sizes(call, (Axis(start), wanted))
        if at_most(own.dim + 1, start + wanted.dim):
            problem = f"elements {start} to {start + wanted.dim} of an axis of size {own}"
            raise Conflicting(wording.misused(call.name, problem))
        return wanted
    require_sizes(call, (Axis(start),))
    return own if start == Dim.of(0) else Axis(own.dim - start)
