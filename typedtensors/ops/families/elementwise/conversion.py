# SPDX-License-Identifier: Apache-2.0
"""The same elements as another dtype, on another device, or in other memory: the shape stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.value import Device
from typedtensors.shapes import ANY, DType, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ARRAY = (example(Array("b n")), example(Array("*batch n")), example(Array("")))
_FLOAT64 = DType.exactly("float64")


@rule(
    *torch_names("clone", "detach"),
    *("torch.detach_copy", "torch.alias_copy"),
    *methods(
        "contiguous",
        "cpu",
        "cuda",
        "ipu",
        "mtia",
        "xpu",
        "pin_memory",
        "data",
        "detach_",
        "numpy",
        "__array__",
    ),
    "numpy.copy",
    "numpy.ndarray.copy",
    params="input, *args, memory_format=None, order='C', non_blocking=False, device=None, "
    "force=False",
    examples=_ARRAY,
)
def same(call: Call) -> Value:
    """The same shape and dtype."""
    return call.tensor("input")


@rule(
    *methods("requires_grad_"),
    params="input, requires_grad=True",
    examples=_ARRAY,
)
def requires_grad(call: Call) -> Value:
    """The same array."""
    return call.tensor("input")


_DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "chalf": "complex32",
}


@rule(
    *methods(*_DTYPES),
    params="input, memory_format=None",
    examples=_ARRAY,
)
def cast(call: Call) -> Value:
    """The dtype that the method is named after."""
    name = _DTYPES[call.op.rpartition(".")[2]]
    return call.tensor("input").with_dtype(DType.exactly(name))


@rule(
    "torch.Tensor.to",
    params="input, *args, other=None, dtype=None, device=None, non_blocking=False, copy=False, "
    "memory_format=None",
    examples=(
        example(Array("b n"), _FLOAT64),
        example(Array("b n"), "cpu"),
        example(Array("b n"), "cpu", _FLOAT64),
        example(Array("b n"), dtype=_FLOAT64),
        example(Array("b n"), device="cpu"),
        example(Array("b n"), Array("", "Int64")),
        example(Array("b n"), other=Array("", "Int64")),
    ),
)
def to(call: Call) -> Value:
    """The dtype among the arguments, if there is one."""
    array, args = call.tensor("input"), call["args"]
    given = [*(args if isinstance(args, tuple) else ()), call["other"], call["dtype"]]
    for argument in given:
        if isinstance(argument, (DType, Tensor)):
            dtype = argument if isinstance(argument, DType) else argument.dtype
            return array.with_dtype(dtype)
    places = (str, bool, Device, type(None))
    return array if all(isinstance(each, places) for each in given) else array.with_dtype(ANY)


@rule(
    "torch.Tensor.type_as",
    params="input, other",
    examples=(example(Array("b n"), Array("n", "Int64")),),
)
def type_as(call: Call) -> Value:
    """The other's dtype."""
    other = call["other"]
    return call.tensor("input").with_dtype(other.dtype if isinstance(other, Tensor) else ANY)


@rule(
    "torch.Tensor.type",
    "numpy.ndarray.astype",
    params="input, dtype=None, non_blocking=False, order='K', casting='unsafe', subok=True, "
    "copy=True",
    examples=(example(Array("b n"), _FLOAT64), example(Array("b n"), DType.exactly("int32"))),
)
def astype(call: Call) -> Value:
    """The given dtype."""
    array, dtype = call.tensor("input"), call["dtype"]
    if dtype is None:
        raise Undetermined("the name of a type")
    return array.with_dtype(dtype if isinstance(dtype, DType) else ANY)


@rule(
    "torch.Tensor.dtype",
    "numpy.ndarray.dtype",
    params="input",
    examples=(example(Array("b n")), example(Array("n", "Int64"))),
)
def dtype(call: Call) -> Value:
    """The dtype itself."""
    return call.tensor("input").dtype


@rule("torch.Tensor.device", params="input", examples=(example(Array("b n")),))
def device(call: Call) -> Value:
    """Some device."""
    call.tensor("input")
    return Device()


@rule("torch.device", params="*args", examples=(example("cpu"),))
def make_device(_call: Call) -> Value:
    """Some device."""
    return Device()
