# SPDX-License-Identifier: Apache-2.0
"""Arrays laid over memory by strides, and arrays that take another size in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops.families.creation.sized import OPTIONS, default_float, made, typed
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import literal
from typedtensors.ops.steps.axes.reduction import summed
from typedtensors.ops.steps.axes.sizes import parts, require_sizes, shape_of, sizes

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N = Dim.name("n")


def _require_strides(call: Call) -> None:
    """A stride for each size, none of them negative, from a place in the memory."""
    size, stride = parts(call["size"]), parts(call["stride"])
    if len(size) != len(stride):
        problem = f"{len(stride)} strides for {len(size)} sizes"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    require_sizes(call, stride)
    offset = call.arguments.get("storage_offset")
    if isinstance(offset, Dim) and at_most(offset, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"a storage offset of {offset}"))


@rule(
    *torch_names("as_strided", in_place=True),
    *("torch.as_strided_", "torch.as_strided_copy"),
    params="input, size, stride, storage_offset=None",
    examples=(
        example(Array("4 4"), (2, 2), (1, 2)),
        example(Array("4 4"), (3,), (1,), 1),
        example(Array("4 4"), (3,), (1, 1)),
    ),
)
def as_strided(call: Call) -> Value:
    """The given sizes, over whatever memory the array is a part of."""
    _require_strides(call)
    return made(call, parts(call["size"]), call.tensor("input").dtype)


@rule(
    *torch_names("as_strided_scatter"),
    params="input, src, size, stride, storage_offset=None",
    examples=(example(Array("4 4"), Array("2 2"), (2, 2), (1, 2)),),
)
def as_strided_scatter(call: Call) -> Value:
    """The array, with others of its elements."""
    _require_strides(call)
    source, wanted = call.tensor("src").shape, shape_of(parts(call["size"]))
    if source != wanted:
        raise Undetermined("the source is not known to fit")
    return call.tensor("input")


@rule(
    "torch.empty_strided",
    params=f"size, stride, *, {OPTIONS}",
    examples=(example((_N, 3), (3, 1)), example((2, _N), (1,))),
)
def empty_strided(call: Call) -> Value:
    """A new array of the given sizes."""
    _require_strides(call)
    return made(call, parts(call["size"]), typed(call, default_float(call)))


@rule(
    "torch.Tensor.new_empty_strided",
    params=f"input, size, stride, *, {OPTIONS}",
    examples=(example(Array("n"), (_N, 3), (3, 1)), example(Array("n"), (2, _N), (1,))),
)
def new_empty_strided(call: Call) -> Value:
    """A new array of the given sizes, with the dtype of this one."""
    _require_strides(call)
    return made(call, parts(call["size"]), typed(call, call.tensor("input").dtype))


@rule(
    "torch.empty_permuted",
    params=f"size, physical_layout, *, {OPTIONS}",
    examples=(example((_N, 3), (1, 0)), example((_N, 3), (0,)), example((_N, 3), (0, 0))),
)
def empty_permuted(call: Call) -> Value:
    """A new array of the given sizes, whose axes lie in memory in the given order."""
    size, layout = parts(call["size"]), call["physical_layout"]
    if not isinstance(layout, (tuple, list)):
        raise Undetermined("the order is not known")
    if sorted(map(literal, layout)) != list(range(len(size))):
        problem = f"{tuple(map(literal, layout))} is no order of {len(size)} axes"
        raise Conflicting(wording.misused(call.name, problem))
    return made(call, size, typed(call, default_float(call)))


@rule(
    "torch.Tensor.resize_",
    params="input, *sizes, size=None, memory_format=None",
    examples=(example(Array("b n"), (_N, 2)), example(Array("b n"), _N), example(Array("n"), -2)),
)
def resize(call: Call) -> Value:
    """The given sizes, with as much memory as that takes."""
    return made(call, sizes(call, "sizes", "size"), call.tensor("input").dtype)


@rule(
    *("torch.Tensor.resize_as_", "torch.resize_as_"),
    params="input, other, *, memory_format=None",
    examples=(example(Array("b n"), Array("n")), example(Array("n"), Array("*a"))),
)
def resize_as(call: Call) -> Value:
    """The other's shape."""
    return call.tensor("input").with_shape(call.tensor("other").shape)


@rule(
    "torch.Tensor.set_",
    params="input, source",
    examples=(example(Array("b n"), Array("n")), example(Array("n"), Array("b n"))),
)
def placed_over(call: Call) -> Value:
    """The other's shape, and its memory."""
    array, source = call.tensor("input"), call.tensor("source")
    if array.dtype != source.dtype:
        raise Undetermined("torch takes arrays of one dtype")
    return array.with_shape(source.shape)


@rule(
    "torch.Tensor.resize",
    params="input, *sizes, size=None",
    examples=(example(Array("4 6"), 8, 3), example(Array("4 6"), 8, 2)),
)
def resize_of_old(call: Call) -> Value:
    """Other sizes for as many elements."""
    array, wanted = call.tensor("input"), shape_of(sizes(call, "sizes", "size"))
    if isinstance(call["sizes"], tuple) and any(
        not isinstance(each, Dim) for each in call["sizes"]
    ):
        raise Undetermined("torch takes the sizes one by one")
    if array.shape.count is None or wanted.count is None:
        raise Undetermined("the sizes are not known")
    require_sizes(call, wanted.axes)
    counts = [call.facts.resolve(count) for count in (array.shape.count, wanted.count)]
    if counts[0] == counts[1]:
        return array.with_shape(wanted)
    if all(count.value is not None for count in counts):
        problem = f"{wanted} does not hold the elements of {array.shape}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    raise Undetermined("whether there are as many elements is not known")


@rule(
    "torch.Tensor.resize_as",
    params="input, other",
    examples=(example(Array("4 6"), Array("8 3")), example(Array("4 6"), Array("8 2"))),
)
def resize_as_of_old(call: Call) -> Value:
    """The other's shape, for as many elements."""
    dims = call.tensor("other").shape.dims
    if dims is None:
        raise Undetermined("the sizes are not known")
    more = {"sizes": dims, "size": None}
    return resize_of_old(replace_arguments(call, {**call.arguments, **more}))


@rule(
    "torch.Tensor.sum_to_size",
    params="input, *sizes, size=None",
    examples=(
        example(Array("b n"), _N),
        example(Array("b n"), (1, _N)),
        example(Array("b n"), 1, 1),
        example(Array("4 2"), 3),
    ),
)
def sum_to_size(call: Call) -> Value:
    """The sizes that broadcast to the array's own."""
    array, wanted = call.tensor("input"), sizes(call, "sizes", "size")
    own = array.shape.fixed
    target = shape_of(wanted).fixed
    if own is None or target is None or any(axis.flexible for axis in own):
        raise Undetermined("the axes are not known")
    fits = len(target) <= len(own) and all(
        new.is_one or call.facts.compare(new.dim, old.dim) is Verdict.EQUAL
        for new, old in zip(target[::-1], own[::-1], strict=False)
    )
    if fits:
        same = target == own and bool(own)  # a scalar is summed too
        return made(call, wanted, array.dtype if same else summed(call, array.dtype))
    literals = all(axis.dim.value is not None for axis in (*own, *target))
    if literals or len(target) > len(own):
        problem = f"{shape_of(wanted)} does not broadcast to {array.shape}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    raise Undetermined("the sizes may not broadcast to the array's")
