# SPDX-License-Identifier: Apache-2.0
"""Keras's layers that normalize: they keep the shape, and some need an axis to divide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.keras.layers import computed, keras_layer, passed_on
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X = Array("b n")


@keras_layer(
    *("LayerNormalization", "UnitNormalization", "Softmax"),
    params="axis=-1",
    examples=(
        *(example(_X).on(), example(Array("b t n")).on(axis=1), example(Array("*a n")).on()),
        example(_X).on(axis=3),
    ),
)
def normalized(call: Call) -> Value:
    """The shape stays; the axis has to exist."""
    array = call.tensor("inputs")
    if isinstance(call["axis"], Dim):
        position(call, array.shape, call["axis"])
    return passed_on(array)


@keras_layer(
    "RMSNormalization",
    params="axis=-1",
    examples=(example(_X).on(), example(Array("b t n")).on(), example(Array("*a n")).on(axis=-1)),
)
def scaled_to_one(call: Call) -> Value:
    """The shape stays; a scale for each element of another axis meets the last one."""
    if call["axis"] != Dim.of(-1):
        raise Undetermined("another axis than the last")
    return normalized(call)


@keras_layer(
    "BatchNormalization",
    params="axis=-1",
    examples=(example(_X).on(), example(Array("b h w c")).on(), example(Array("b t n")).on(1)),
)
def batch_normalized(call: Call) -> Value:
    """The shape stays; the axis has to exist."""
    return normalized(call)


@keras_layer(
    "GroupNormalization",
    params="groups=32, axis=-1",
    examples=(
        *(example(Array("b h w 8")).on(4), example(Array("b t 6")).on(-1)),
        *(example(Array("b t 6")).on(4), example(Array("b 8 t")).on(2, axis=1)),
        *(example(Array("b 8")).on(16), example(Array("b t n")).on(-1)),
    ),
)
def group_normalized(call: Call) -> Value:
    """The shape stays; the channels are a multiple of the groups."""
    array, groups = call.tensor("inputs"), call["groups"]
    at = position(call, array.shape, call["axis"])
    axis = array.shape.axes[at]
    assert isinstance(axis, Axis)  # noqa: S101 - no axis number leads to a run
    count = groups.value if isinstance(groups, Dim) else None
    size = call.facts.resolve(axis.dim).value
    if count is None or count == -1:
        return computed(array, array.shape)
    if count < 1:
        raise Undetermined("a number of groups that Keras may not take")
    if size is None and count > 1:
        return computed(array, array.shape)
    if size is not None and size % count:
        raise Conflicting(wording.misused(call.name, f"{count} groups of {size} channels"))
    return computed(array, array.shape)


@keras_layer(
    "Normalization",
    params="axis=-1, mean=None, variance=None, invert=False",
    examples=(
        *(example(_X).on(None, 0.5, 2.0), example(Array("b h w c")).on(None, 0.5, 2.0)),
        example(_X).on(axis=None, mean=0.5, variance=2.0, invert=True),
    ),
)
def scaled(call: Call) -> Value:
    """The shape stays; what a mean or variance of several numbers does is not followed."""
    if call["axis"] is not None and not isinstance(call["mean"], float):
        raise Undetermined("the mean is not known")
    return passed_on(call.tensor("inputs"))


@keras_layer(
    "PReLU",
    examples=(example(_X).on(), example(Array("b t n")).on(), example(Array("n")).on()),
)
def rectified(call: Call) -> Value:
    """The shape stays; there is a slope for each element of a sample."""
    if call["settings"]:
        raise Undetermined("slopes may be shared")
    array = call.tensor("inputs")
    return computed(array, array.shape)
