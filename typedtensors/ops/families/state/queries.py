# SPDX-License-Identifier: Apache-2.0
"""Questions about an array that its shape does not answer: where it lies, how, and with what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.value import SOME_BOOL, Object

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import DType

_ARRAY = (example(Array("b n")), example(Array("*a", "Int64")))
_DEVICES = ("cpu", "cuda", "ipu", "maia", "meta", "mkldnn", "mps", "mtia", "vulkan", "xla", "xpu")
_BITS = {"bool": 8, "complex64": 64, "complex128": 128, "complex32": 32, "bfloat16": 16}


@rule(
    *methods(*(f"is_{name}" for name in _DEVICES)),
    *methods("is_sparse", "is_sparse_csr", "is_nested", "is_quantized", "is_leaf", "is_shared"),
    *methods("is_pinned", "is_contiguous", "requires_grad", "retains_grad", "volatile"),
    *torch_names("is_conj", "is_neg", "is_distributed", "is_inference", "is_signed"),
    params="input, *args, **settings",
    examples=_ARRAY,
)
def is_so(call: Call) -> Value:
    """Whether the array is of a kind, which its shape and dtype do not say."""
    call.tensor("input")
    return SOME_BOOL


@rule(
    *methods("data_ptr", "const_data_ptr", "storage_offset", "output_nr"),
    *torch_names("get_device"),
    params="input",
    examples=_ARRAY,
)
def number(call: Call) -> Value:
    """A number that only the run knows."""
    call.tensor("input")
    return Dim.fresh(call.name)


@rule(*methods("itemsize", "element_size"), params="input", examples=_ARRAY)
def item_size(call: Call) -> Value:
    """How many bytes an element takes."""
    return Dim.of(_size(call.tensor("input").dtype))


@rule(*methods("nbytes"), params="input", examples=_ARRAY[:1])
def bytes_of_all(call: Call) -> Value:
    """How many bytes the elements take."""
    array = call.tensor("input")
    count = array.shape.count
    return Dim.fresh("nbytes") if count is None else count * _size(array.dtype)


def _size(dtype: DType) -> int:
    name = dtype.exact
    if name is None:
        raise Undetermined("the dtype is not known")
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyz")
    bits = _BITS.get(name) or int(digits if digits.isdecimal() else 0)
    if not bits or bits % 8:
        raise Undetermined("elements of another size")
    return bits // 8


@rule(*methods("dim_order"), params="input, *, ambiguity_check=False", examples=_ARRAY[:1])
def dim_order(call: Call) -> Value:
    """The number of each axis, in the order in which they lie in memory."""
    rank = call.tensor("input").shape.rank
    if rank is None:
        raise Undetermined("the rank is not known")
    return tuple(Dim.fresh("axis") for _ in range(rank))


# What is no array and has no shape, each by its class.
for _names, _class in (
    (methods("layout"), "torch.layout"),
    (methods("untyped_storage"), "torch.UntypedStorage"),
    (methods("storage"), "torch.TypedStorage"),
):
    rule(*_names, params="input", examples=_ARRAY)(
        lambda call, made=_class: Object(made) if call.tensor("input") else None
    )


@rule(*methods("__dlpack_device__"), params="input", examples=_ARRAY)
def place(call: Call) -> Value:
    """The kind of device, and its number."""
    call.tensor("input")
    return Dim.fresh("kind"), Dim.fresh("device")


@rule(*methods("grad_dtype"), params="input", examples=_ARRAY[:1])
def grad_dtype(call: Call) -> Value:
    """The dtype that a gradient has."""
    array = call.tensor("input")
    if promotion.kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("only floats have gradients")
    return array.dtype


@rule(*methods("share_memory_"), params="input", examples=_ARRAY)
def shared(call: Call) -> Value:
    """The same array."""
    return call.tensor("input")
