# SPDX-License-Identifier: Apache-2.0
"""Arrays made from Python numbers, nested lists and other arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.creation.sized import OPTIONS, dtype_of, typed
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.value import Many, Unknown
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_FLOAT64 = DType.exactly("float64")
_NUMBERS = (
    example([1, 2, 3]),
    example([[1.0, 2.0], [3.0, 4.0]]),
    example([[1, 2.5, 3]]),
    example([True, False]),
    example(2.5),
    example(7),
    example([]),
    example([[1, 2], [3]]),
    example([1, 2], dtype=_FLOAT64),
)


@rule(
    "torch.tensor",
    "torch.as_tensor",
    "torch.asarray",
    "numpy.array",
    "numpy.asarray",
    params=f"data, *, {OPTIONS}, copy=None, order=None, subok=False, ndmin=0, like=None",
    examples=(*_NUMBERS, example(Array("b n")), example(Array("b n"), dtype=_FLOAT64)),
)
def array(call: Call) -> Value:
    """The shape that lists are nested in; another array as it is.

    Whoever writes numbers down one by one has chosen how many there are, as for a weight: the
    three of `torch.tensor([0.485, 0.456, 0.406])` say that the channels they meet are three.
    """
    data = call["data"]
    if isinstance(data, Dim) and data.guessed:
        raise Undetermined("the data may be an array")
    if call.arguments["ndmin"] != Dim.of(0):
        raise Undetermined("the least number of axes is given")
    if isinstance(data, Tensor):
        return Tensor(data.shape, typed(call, data.dtype))
    if isinstance(data, (list, tuple, Many)):
        shape = Shape(tuple(_nesting(call, data)))
        dtype = typed(call, _dtype(call, tuple(_leaves(data))))
        return Tensor(shape, dtype, parameter=not isinstance(data, Many))
    if isinstance(data, (bool, float, Dim)):
        return Tensor(Shape(()), typed(call, dtype_of(call, data)))
    if isinstance(data, Unknown):
        return Tensor(Shape.unknown(), typed(call, ANY))
    raise Undetermined("the data is not known")


def _nesting(call: Call, data: Value) -> list[Part]:
    """The axes of nested data: its length, then those of its elements."""
    if isinstance(data, (bool, float, Dim)):
        return []
    if isinstance(data, Tensor):
        return list(data.shape.axes)
    if isinstance(data, Many):
        return [Axis(data.number), *_nesting(call, data.item)]
    if not isinstance(data, (list, tuple)):
        return [Variadic.fresh()]
    inner = [_nesting(call, element) for element in data]
    if any(isinstance(part, Variadic) for each in inner for part in each):
        return [Axis(Dim.of(len(data))), Variadic.fresh()]
    if any(each != inner[0] for each in inner):
        _reject_ragged(call, inner)
    return [Axis(Dim.of(len(data))), *(inner[0] if inner else [])]


def _reject_ragged(call: Call, inner: list[list[Part]]) -> None:
    literal = all(isinstance(p, Axis) and p.dim.value is not None for each in inner for p in each)
    if not literal:
        raise Undetermined("arrays in a list may differ in shape")
    texts = sorted({str(Shape(tuple(each))) for each in inner})
    raise Conflicting(wording.misused(call.name, f"a ragged list of {' and '.join(texts)}"))


def _leaves(data: Value) -> Iterator[Value]:
    if isinstance(data, (list, tuple)):
        for element in data:
            yield from _leaves(element)
    elif isinstance(data, Many):
        yield from _leaves(data.item)
    else:
        yield data


def _dtype(call: Call, leaves: tuple[Value, ...]) -> DType:
    """The highest kind of number among the elements."""
    if not leaves:
        return dtype_of(call, 0.0)
    kinds = [dtype_of(call, leaf) for leaf in leaves]
    if ANY in kinds:
        return ANY
    order = [promotion.BOOL, promotion.INT64, dtype_of(call, 0.0)]
    return max(kinds, key=order.index)


@rule(
    "torch.from_numpy",
    params="input",
    examples=(example(Array("b n")), example(Array("", "Int64"))),
)
def from_numpy(call: Call) -> Value:
    """The same array for torch."""
    return call.tensor("input")


@rule(
    "torch.nn.Parameter",
    "torch.nn.parameter.Parameter",
    params="data, requires_grad=True",
    examples=(example(Array("n d")), example(Array(""))),
)
def parameter(call: Call) -> Value:
    """The array as a trainable weight."""
    return replace(call.tensor("data"), parameter=True)
