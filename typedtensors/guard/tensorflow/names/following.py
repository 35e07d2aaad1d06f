# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow's operations make of named axes.

Operations have no rules; the functions that programs call do. So each is told as a call of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import tensorflow as tf

from typedtensors.guard.names.axes import Arrays
from typedtensors.guard.names.meeting import meeting_of
from typedtensors.guard.names.rules import names_after, token_of
from typedtensors.guard.tensorflow.marks import ELEMENTWISE
from typedtensors.guard.tensorflow.names.made import sizes_of
from typedtensors.guard.tensorflow.operands import elementwise
from typedtensors.guard.tensorflow.table import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typedtensors.guard.names.axes import Names
    from typedtensors.guard.names.meeting import Meeting
    from typedtensors.guard.names.naming import OpenCall
    from typedtensors.guard.tensorflow.names.made import Made

TENSORS: Final = Arrays((tf.Tensor,), sizes_of, lambda tensor: sizes_of(tensor) is not None)

_INDEX: Final = "tensorflow.Tensor.__getitem__"

_Told: TypeAlias = tuple[str, tuple[object, ...]]
"""A function's full name, and its arguments."""
_Teller: TypeAlias = Callable[["Made"], "_Told | None"]
"""How an operation is told as a call; None where it depends on values."""


def follow(call: OpenCall, made: Made, outputs: Sequence[Any]) -> None:
    """Name the axes of what an operation made of tensors of a checked call."""
    found = _names_of_results(made, call)
    for place, output in enumerate(outputs if found else ()):
        call.name(output, found[min(place, len(found) - 1)] or ())


def _names_of_results(made: Made, call: OpenCall) -> tuple[Names | None, ...]:
    """What the axes of each output are called, the last ones alike; nothing if nobody knows."""
    if made.kind in _SAME:
        first = call.look(made.inputs[0])
        return () if first is None else (first.names,)
    if made.kind in _BROADCASTING:
        meeting = meeting_of_all(made.inputs, call)
        return () if meeting is None else (meeting.result,)
    teller = _TELLERS.get(made.kind)
    told = None if teller is None else teller(made)
    if told is None:
        return ()
    name, arguments = told
    return _names_after(name, tuple([token_of(each, call.look) for each in arguments]))


def meeting_of_all(inputs: Sequence[Any], call: OpenCall) -> Meeting | None:
    """What is known by name of how inputs meet that broadcast; None if that is nothing."""
    seen = [call.look(each) for each in inputs]
    names = tuple([each.names for each in seen if each is not None])
    return meeting_of(names) if len(names) == len(seen) else None


_names_after = lru_cache(maxsize=1 << 14)(names_after)


def _reduced(name: str) -> _Teller:
    def tell(made: Made) -> _Told | None:
        axes = made.constant(1)
        keeps = bool(made.attributes["keep_dims"])
        return None if axes is None else (name, (made.inputs[0], axes, keeps))

    return tell


def _along(name: str) -> _Teller:
    """Told as a call with the first input, and a second one that is constant."""

    def tell(made: Made) -> _Told | None:
        axes = made.constant(1)
        return None if axes is None else (name, (made.inputs[0], axes))

    return tell


def _squeezed(made: Made) -> _Told:
    axes = made.attributes["squeeze_dims"]
    return "tensorflow.squeeze", (made.inputs[0], list(axes) if axes else None)


def _multiplied(made: Made) -> _Told:
    attributes = made.attributes
    turned = [
        bool(attributes.get(plain) or attributes.get(stacked))
        for plain, stacked in (("transpose_a", "adj_x"), ("transpose_b", "adj_y"))
    ]
    return "tensorflow.linalg.matmul", (*made.inputs, *turned)


def _concatenated(made: Made) -> _Told | None:
    *parts, _ = made.inputs
    axis = made.constant(len(parts))
    return None if axis is None else ("tensorflow.concat", (parts, axis))


def _stacked(made: Made) -> _Told:
    return "tensorflow.stack", (list(made.inputs), made.attributes["axis"])


def _unstacked(made: Made) -> _Told:
    """The first of the parts, which are alike: how many there are is a number."""
    axis = made.attributes["axis"]
    every = slice(None)
    key = (*[every] * axis, 0) if axis >= 0 else (..., 0, *[every] * (-axis - 1))
    return _INDEX, (made.inputs[0], key)


def _split(made: Made) -> _Told | None:
    axis = made.constant(0)
    count = made.attributes["num_split"]
    return None if axis is None else ("tensorflow.split", (made.inputs[1], count, axis))


def _split_in(made: Made) -> _Told | None:
    sizes, axis = made.constant(1), made.constant(2)
    known = sizes is not None and axis is not None
    return ("tensorflow.split", (made.inputs[0], sizes, axis)) if known else None


def _gathered(made: Made) -> _Told | None:
    axis, batches = made.constant(2), made.attributes["batch_dims"]
    given = (*made.inputs[:2], None, axis, batches)
    return None if axis is None else ("tensorflow.gather", given)


def _summed(made: Made) -> _Told:
    equation = made.attributes["equation"]
    text = equation.decode() if isinstance(equation, bytes) else equation
    return "tensorflow.einsum", (text, *made.inputs)


def _indexed(made: Made) -> _Told | None:
    """A slice of several axes, as Python writes it."""
    begin, end, strides = (made.constant(position) for position in (1, 2, 3))
    if begin is None or end is None or strides is None:
        return None
    key = [
        _index(place, made.attributes, (begin[place], end[place], stride))
        for place, stride in enumerate(strides)
    ]
    return _INDEX, (made.inputs[0], tuple(key))


def _index(place: int, attributes: Mapping[str, Any], bounds: tuple[int, int, int]) -> object:
    """One part of an index: each attribute has a bit for what the part is."""
    begin, end, stride = bounds

    def says(mask: str) -> bool:
        return bool(attributes[mask] >> place & 1)

    if says("ellipsis_mask"):
        return ...
    if says("new_axis_mask"):
        return None
    if says("shrink_axis_mask"):
        return begin
    return slice(
        None if says("begin_mask") else begin,
        None if says("end_mask") else end,
        None if stride == 1 else stride,
    )


_SAME: Final = frozenset({each for each in ELEMENTWISE if isinstance(each, str)}) | frozenset(
    {"BiasAdd", "CheckNumerics", "Ceil", "ClipByValue", "Cumprod", "Cumsum", "Elu", "Erf", "Expm1"}
    | {"Floor", "IsFinite", "IsInf", "IsNan", "LeakyRelu", "Log1p", "LogicalNot", "LogSoftmax"}
    | {"OnesLike", "Relu6", "ReverseV2", "Roll", "Round", "Selu", "Sign", "Sin", "Cos", "Softmax"}
    | {"Softsign", "StopGradient", "ZerosLike"}
)
"""Types of operations that keep the axes of their first input."""
_BROADCASTING: Final = frozenset(kind for kind, role in ROLES.items() if role.read is elementwise)
_REDUCTIONS: Final = {
    "Sum": "sum",
    "Mean": "mean",
    "Max": "max",
    "Min": "min",
    "Prod": "prod",
    "All": "all",
    "Any": "any",
    "EuclideanNorm": "euclidean_norm",
}
_TELLERS: Final[Mapping[str, _Teller]] = {
    **{kind: _reduced(f"tensorflow.math.reduce_{name}") for kind, name in _REDUCTIONS.items()},
    "ArgMax": _along("tensorflow.math.argmax"),
    "ArgMin": _along("tensorflow.math.argmin"),
    "Transpose": _along("tensorflow.transpose"),
    "ExpandDims": _along("tensorflow.expand_dims"),
    "Squeeze": _squeezed,
    **dict.fromkeys(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), _multiplied),
    "ConcatV2": _concatenated,
    "Pack": _stacked,
    "Unpack": _unstacked,
    "Split": _split,
    "SplitV": _split_in,
    "GatherV2": _gathered,
    "Einsum": _summed,
    "StridedSlice": _indexed,
}
"""By the type of the operation, those whose axes are others than those of their inputs."""
_KINDS: Final = _SAME | _BROADCASTING | frozenset(_TELLERS)
FOLLOWED: Final = _KINDS | {kind.encode() for kind in _KINDS}
"""All of these, as TensorFlow names them where it has converted arguments too."""
