# SPDX-License-Identifier: Apache-2.0
"""Arrays of small integers that stand for floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.families.spatial.pooling import pooled
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.promotion import INT64
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.signals.images import spatial_rank
from typedtensors.ops.value import SOME_FLOAT, Object
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_QUINT8 = DType.exactly("quint8")
_FLOAT32 = DType.exactly("float32")
_STORED = {"quint8": "uint8", "qint8": "int8", "qint32": "int32"}
_ARRAYS = (example(Array("b n", "quint8")), example(Array("4 n", "quint8")))


def _quantized_alike(call: Call) -> Value:
    """As `_quantized`, where a literal stands for 0 that every dtype holds."""
    if not 0 <= call.integer("zero_point") < 128:
        raise Undetermined("some dtypes do not hold the zero")
    return _quantized(call)


def _quantized(call: Call) -> Value:
    """The array with the dtype that is asked for; torch quantizes floats of single precision."""
    array, dtype = call.tensor("input"), call["dtype"]
    require_inexact(call, array)
    if array.dtype != _FLOAT32 or not isinstance(dtype, DType) or dtype.exact not in _STORED:
        raise Undetermined("whether torch quantizes it is not known")
    return array.with_dtype(dtype)


rule(
    "torch.quantize_per_tensor",
    params="input, scale, zero_point, dtype",
    examples=(example(Array("b n"), 0.1, 0, _QUINT8), example(Array("*a"), 0.1, 0, _QUINT8)),
)(_quantized_alike)
rule(
    "torch.quantize_per_tensor_dynamic",
    params="input, dtype, reduce_range",
    examples=(example(Array("b n"), _QUINT8, False), example(Array("*a"), _QUINT8, False)),
)(_quantized)


def _require_channels(call: Call, *names: str) -> None:
    """A number for each position along an axis."""
    shape = call.tensor("input").shape
    if not shape.rank or call.integer("axis") < 0:
        raise Undetermined("the channels are not known")
    axis = shape.axes[position(call, shape, call["axis"])]
    for name in names:
        given = call.tensor(name).shape
        if given.rank != 1 or not isinstance(axis, Axis):
            raise Undetermined("the numbers are not known to be a vector")
        (own,) = given.prefix
        if own.flexible or axis.flexible:
            raise Undetermined("the numbers are not known to fit")
        if call.same(own.dim, axis.dim) is Verdict.DIFFERENT:
            where = wording.argument(name, call.name)
            raise Conflicting(wording.axis_differs(where, 0, str(axis), str(own)))


@rule(
    "torch.quantize_per_channel",
    params="input, scales, zero_points, axis, dtype",
    examples=(
        example(Array("b c"), Array("c"), Array("c", "Int64", 0), 1, _QUINT8),
        example(Array("b c"), Array("b"), Array("b", "Int64", 0), 1, _QUINT8),
    ),
)
def quantize_per_channel(call: Call) -> Value:
    """As `quantize_per_tensor`, with numbers for each channel."""
    _require_channels(call, "scales", "zero_points")
    if call.tensor("scales").dtype != _FLOAT32:
        raise Undetermined("the scales are not known to be floats")
    return _quantized(call)


@rule(
    "torch.fake_quantize_per_channel_affine",
    params="input, scale, zero_point, axis, quant_min, quant_max",
    examples=(
        example(Array("b c"), Array("c"), Array("c", "Int32", 0), 1, 0, 255),
        example(Array("b c"), Array("b"), Array("b", "Int32", 0), 1, 0, 255),
    ),
)
def fake_quantize(call: Call) -> Value:
    """Floats rounded as integers would be."""
    _require_channels(call, "scale", "zero_point")
    array, bounds = call.tensor("input"), (call.integer("quant_min"), call.integer("quant_max"))
    known = call.tensor("zero_point").dtype.exact == "int32" and array.dtype == _FLOAT32
    if not known or call.tensor("scale").dtype != _FLOAT32 or not bounds[0] <= 0 <= bounds[1]:
        raise Undetermined("whether torch takes the numbers is not known")
    return array


@rule(*torch_names("int_repr"), params="input", examples=_ARRAYS)
def stored(call: Call) -> Value:
    """The integers themselves."""
    array = call.tensor("input")
    if array.dtype.exact not in _STORED:
        raise Undetermined("the array is not known to be quantized")
    return array.with_dtype(DType.exactly(_STORED[array.dtype.exact]))


@rule(*torch_names("q_scale"), params="input", examples=_ARRAYS)
def scale(call: Call) -> Value:
    """What one step stands for."""
    if call.tensor("input").dtype.exact not in _STORED:
        raise Undetermined("the array is not known to be quantized")
    return SOME_FLOAT


@rule(*torch_names("q_zero_point"), params="input", examples=_ARRAYS)
def zero_point(call: Call) -> Value:
    """The integer that stands for 0."""
    if call.tensor("input").dtype.exact not in _STORED:
        raise Undetermined("the array is not known to be quantized")
    return Dim.fresh("zero_point")


def _require_axes(call: Call) -> None:
    """Channels take an axis."""
    if not call.tensor("input").shape.least_rank:
        raise Undetermined("the array may have no axis")


_CHANNELS = (example(Array("b c", "quint8", layout="channels")),)


@rule(*torch_names("q_per_channel_axis"), params="input", examples=_CHANNELS)
def channel_axis(call: Call) -> Value:
    """Which axis has numbers of its own for each position."""
    _require_axes(call)
    return Dim.fresh("axis")


@rule(*torch_names("q_per_channel_scales"), params="input", examples=_CHANNELS)
def channel_scales(call: Call) -> Value:
    """What one step stands for, in each channel."""
    _require_axes(call)
    return Tensor(Shape((Axis(Dim.fresh("channels")),)), DType.exactly("float64"))


@rule(*torch_names("q_per_channel_zero_points"), params="input", examples=_CHANNELS)
def channel_zero_points(call: Call) -> Value:
    """The integer that stands for 0, in each channel."""
    _require_axes(call)
    return Tensor(Shape((Axis(Dim.fresh("channels")),)), INT64)


@rule("torch.Tensor.qscheme", params="input", examples=_ARRAYS)
def scheme(call: Call) -> Value:
    """How the array is quantized."""
    if call.tensor("input").dtype.exact not in _STORED:
        raise Undetermined("the array is not known to be quantized")
    return Object("torch.qscheme")


def _pooled(call: Call) -> Value:
    """A value per window, of a batch."""
    array = call.tensor("input")
    if array.dtype.exact not in _STORED or array.shape.rank != spatial_rank(call) + 2:
        raise Undetermined("not known to be quantized images")
    return pooled(call)


for _count in (1, 2):
    _named = " ".join(("b c", *"98"[:_count]))
    rule(
        f"torch.quantized_max_pool{_count}d",
        params="input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False",
        examples=(
            example(Array(_named, "quint8"), (2,) * _count),
            example(Array(_named, "quint8"), (3,) * _count, (2,) * _count),
        ),
    )(_pooled)
