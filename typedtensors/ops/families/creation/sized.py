# SPDX-License-Identifier: Apache-2.0
"""Arrays made from sizes: zeros, randn, eye, and those made like another array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import (
    parts,
    require_sizes,
    shape_of,
    sized,
    sizes,
)
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

# What every function of torch takes and no shape depends on.
OPTIONS = (
    "out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, "
    "memory_format=None, generator=None, names=None"
)
_B, _N = Dim.name("b"), Dim.name("n")
_INT32 = DType.exactly("int32")


def typed(call: Call, default: DType) -> DType:
    """The dtype that the call asks for, or the one it gets without."""
    given = call["dtype"]
    if given is None:
        return default
    return given if isinstance(given, DType) else ANY


def default_float(call: Call) -> DType:
    """The dtype of new floats; torch lets the user choose it once for all."""
    return promotion.floating(call.framework, promotion.INT64)


def made(call: Call, given: tuple[Part, ...], dtype: DType) -> Tensor:
    """A new array of these sizes. Raises Conflicting if one is negative."""
    require_sizes(call, given)
    return Tensor(shape_of(given), dtype)


@rule(
    "torch.zeros",
    "torch.ones",
    "torch.empty",
    "torch.rand",
    "torch.randn",
    params=f"*sizes, size=None, {OPTIONS}",
    examples=(
        example(_B, _N),
        example((_B, 1)),
        example([_N]),
        example(),
        example(size=(_B, _N)),
        example(_B, -1),
        example(_B, dtype=DType.exactly("float64")),
    ),
)
def filled(call: Call) -> Value:
    """An array of the given sizes."""
    return made(call, sizes(call, "sizes", "size"), typed(call, default_float(call)))


@rule(
    "numpy.zeros",
    "numpy.ones",
    "numpy.empty",
    params="shape, dtype=None, order='C', *, device=None, like=None",
    examples=(
        example((_B, _N)),
        example(_N),
        example((_B, 1), _INT32),
        example(()),
        example((_B, -1)),
    ),
)
def filled_numpy(call: Call) -> Value:
    """An array of the given shape."""
    return made(call, parts(call["shape"]), typed(call, default_float(call)))


@rule(
    "numpy.random.rand",
    "numpy.random.randn",
    params="*sizes",
    examples=(example(_B, _N), example(_N)),
)
def random_sizes(call: Call) -> Value:
    """Random floats, a size per axis."""
    given = call["sizes"]
    if not given:
        raise Undetermined("a Python float")
    return made(call, parts(given), default_float(call))


@rule(
    "torch.full",
    "numpy.full",
    params=f"size, fill_value, *, {OPTIONS}, order='C', like=None",
    examples=(
        example((_B, _N), 0.0),
        example((_B,), 1),
        example((_B,), fill_value=True),
        example((_B, -1), 1),
        example((_B,), 1, dtype=DType.exactly("float32")),
    ),
)
def full(call: Call) -> Value:
    """An array of one value, which gives it its dtype."""
    return made(call, parts(call["size"]), typed(call, dtype_of(call, call["fill_value"])))


def dtype_of(call: Call, value: Value) -> DType:
    """The dtype of a Python number as an array."""
    if isinstance(value, bool):
        return promotion.BOOL
    if isinstance(value, Dim):
        return promotion.INT64
    return default_float(call) if isinstance(value, float) else ANY


@rule(
    "torch.randint",
    params=f"*numbers, low=None, high=None, size=None, {OPTIONS}",
    examples=(
        example(10, (_B, _N)),
        example(0, 10, (_B,)),
        example(0, 10, size=(_B,)),
        example(high=10, size=(_B,)),
        example(0, 10, (_B, -1)),
        example(10, (_B,), dtype=_INT32),
    ),
)
def randint(call: Call) -> Value:
    """Random integers of the size that comes last."""
    given, numbers = call["size"], call["numbers"]
    if given is None and isinstance(numbers, tuple) and numbers:
        given = numbers[-1]
    if isinstance(given, Dim):
        raise Undetermined("the sizes are no sequence")
    return made(call, parts(given), typed(call, promotion.INT64))


@rule(
    "torch.randperm",
    params=f"n, *, {OPTIONS}",
    examples=(example(_N), example(-1), example(_N, dtype=_INT32)),
)
def randperm(call: Call) -> Value:
    """The integers below `n` in random order."""
    return made(call, (sized(call["n"]),), typed(call, promotion.INT64))


@rule(
    "torch.eye",
    "numpy.eye",
    params=f"n, m=None, k=0, *, {OPTIONS}, order='C', like=None",
    examples=(example(_N), example(_N, _B), example(_N, dtype=_INT32)),
)
def eye(call: Call) -> Value:
    """The identity matrix, square unless `m` says otherwise."""
    rows = sized(call["n"])
    columns = rows if call["m"] is None else sized(call["m"])
    return made(call, (rows, columns), typed(call, default_float(call)))


@rule(
    "torch.zeros_like",
    "torch.ones_like",
    "torch.empty_like",
    "torch.rand_like",
    "torch.randn_like",
    "numpy.zeros_like",
    "numpy.ones_like",
    "numpy.empty_like",
    params=f"input, *, {OPTIONS}, order='K', shape=None",
    examples=(
        example(Array("b n")),
        example(Array("*batch n")),
        example(Array("")),
        example(Array("b n"), dtype=DType.exactly("float64")),
    ),
)
def like(call: Call) -> Value:
    """The shape and dtype of another array."""
    array = call.tensor("input")
    if call["shape"] is not None:
        return made(call, parts(call["shape"]), typed(call, array.dtype))
    return Tensor(array.shape, typed(call, array.dtype))


@rule(
    "torch.full_like",
    "numpy.full_like",
    params=f"input, fill_value, *, {OPTIONS}, order='K'",
    examples=(example(Array("b n"), 1), example(Array("b n"), 1, dtype=_INT32)),
)
def full_like(call: Call) -> Value:
    """The shape and dtype of another array, filled with one value."""
    array = call.tensor("input")
    return Tensor(array.shape, typed(call, array.dtype))


@rule(
    "torch.randint_like",
    params=f"input, low, high=None, *, {OPTIONS}",
    examples=(example(Array("b n"), 10), example(Array("b n", "Int64"), 0, 10)),
)
def randint_like(call: Call) -> Value:
    """Random integers in the shape and dtype of another array."""
    return full_like(call)


@rule(
    "torch.Tensor.new_zeros",
    "torch.Tensor.new_ones",
    "torch.Tensor.new_empty",
    params=f"input, *sizes, size=None, {OPTIONS}",
    examples=(
        example(Array("b n"), _N, 1),
        example(Array("b n", "Int64"), (_N,)),
        example(Array("b n"), _N, dtype=_INT32),
        example(Array("b n"), (_N, -1)),
    ),
)
def new(call: Call) -> Value:
    """An array of the given sizes, with the dtype of this one."""
    array = call.tensor("input")
    return made(call, sizes(call, "sizes", "size"), typed(call, array.dtype))


@rule(
    "torch.Tensor.new_full",
    params=f"input, size, fill_value, *, {OPTIONS}",
    examples=(example(Array("b n"), (_N, 1), 1), example(Array("b"), (_N,), 1, dtype=_INT32)),
)
def new_full(call: Call) -> Value:
    """An array of one value, with the dtype of this one."""
    return made(call, parts(call["size"]), typed(call, call.tensor("input").dtype))


@rule(
    "torch.normal",
    params=f"mean, std=1.0, size=None, *, {OPTIONS}",
    examples=(
        example(0.0, 1.0, (_B, _N)),
        example(0.0, 1.0, size=(_B,)),
        example(Array("b n"), 1.0),
        example(Array("b n")),
        example(0.0, Array("n")),
    ),
)
def normal(call: Call) -> Value:
    """Random floats of the given size, or of the shape of the array that is given."""
    if call["size"] is not None:
        return made(call, parts(call["size"]), typed(call, default_float(call)))
    arrays = [given for given in (call["mean"], call["std"]) if isinstance(given, Tensor)]
    numbers = [given for given in (call["mean"], call["std"]) if isinstance(given, (float, Dim))]
    if len(arrays) != 1 or len(numbers) != 1:
        raise Undetermined("mean and std decide the shape")
    return Tensor(arrays[0].shape, ANY)


@rule(
    "numpy.identity",
    params="n, dtype=None",
    examples=(example(_N), example(_N, _INT32)),
)
def identity(call: Call) -> Value:
    """The square identity matrix."""
    size = call.dim("n")
    return Tensor(Shape((Axis(size), Axis(size))), typed(call, default_float(call)))
