# SPDX-License-Identifier: Apache-2.0
"""Keras's convolutions and pooling, over images with their channels last or first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from typedtensors.dims import Dim, at_most
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer, passed_on
from typedtensors.ops.steps.signals.channels_last import Picture, picture, windowed
from typedtensors.ops.steps.signals.windows import Window, per_axis, windows
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_O = Dim.name("o")
_SPATIAL = ("9", "9 7", "7 8 9")


def parts_of(call: Call) -> Picture:
    """The axes of the input, of which the layer's name says how many there are."""
    order = call["data_format"]
    if order not in (None, "channels_last", "channels_first"):
        raise Undetermined("where the channels are is not known")
    found = re.search(r"(\d)D", call.op)
    count = int(found[1]) if found else 0
    return picture(call, "inputs", count, first=order == "channels_first")


def images(count: int) -> tuple[Array, Array, Array]:
    """Images with so many spatial axes: of any size, of a given one, and with an axis too few."""
    fixed, named = _SPATIAL[count - 1], " ".join("xyz"[:count])
    return Array(f"b {named} c"), Array(f"b {fixed} 3"), Array(f"b {fixed.split()[0]}")


def turned(count: int) -> Array:
    """Images with their channels first."""
    return Array(f"b 3 {_SPATIAL[count - 1]}")


def _convolutions(count: int) -> tuple[Example, ...]:
    named, fixed, flat = images(count)
    return (
        *(example(named).on(_O, 3, padding="same"), example(fixed).on(4, 3)),
        *(example(fixed).on(_O, (3,) * count, 2), example(fixed).on(4, 2, 2, "same")),
        *(example(fixed).on(4, 3, dilation_rate=2), example(flat).on(4, 3)),
        *(example(turned(count)).on(4, 3, data_format="channels_first"),),
    )


for _count in (1, 2, 3):

    @keras_layer(
        *(f"{kind}{_count}D" for kind in ("Conv", "Convolution")),
        params="filters, kernel_size, strides=1, padding='valid', data_format=None, "
        "dilation_rate=1, groups=1, activation=None, use_bias=True",
        examples=_convolutions(_count),
    )
    def convolved(call: Call) -> Value:
        """Windows slide over the spatial axes; channels become `filters`."""
        parts = parts_of(call)
        axes = slid_over(call, parts, "kernel_size", call["strides"])
        return computed(call.tensor("inputs"), parts.shape(axes, sized(call["filters"])))


def slid_over(call: Call, parts: Picture, kernel: str, strides: Value) -> list[Axis]:
    """The spatial axes once windows slid over them."""
    count = len(parts.spatial)
    spread = call.arguments.get("dilation_rate", Dim.of(1))
    found = windows(count, call[kernel], strides, Dim.of(0), spread)
    for axis, window in zip(parts.spatial, found, strict=True):
        _require_room(call, axis, window)
    return windowed(call, parts.spatial, found, call["padding"])


def _require_room(call: Call, axis: Axis, window: Window) -> None:
    """Where no window fits, TensorFlow and Keras say different things."""
    extent = window.extent
    if call["padding"] != "valid" or extent is None or axis.flexible:
        return
    if at_most(call.facts.resolve(axis.dim) + 1, extent):
        raise Undetermined("no window fits")


def _poolings(count: int) -> tuple[Example, ...]:
    named, fixed, flat = images(count)
    return (
        *(example(named).on(2, padding="same"), example(fixed).on(2), example(fixed).on(3, 1)),
        *(example(fixed).on(2, 2, "same"), example(flat).on(2)),
        *(example(turned(count)).on(2, data_format="channels_first"),),
    )


for _count in (1, 2, 3):

    @keras_layer(
        *(f"{kind}{_count}D" for kind in ("MaxPooling", "AveragePooling", "MaxPool", "AvgPool")),
        params="pool_size=2, strides=None, padding='valid', data_format=None",
        examples=_poolings(_count),
    )
    def pooled(call: Call) -> Value:
        """A value per window; windows lie beside each other unless strides are given."""
        parts = parts_of(call)
        strides = call["pool_size"] if call["strides"] is None else call["strides"]
        axes = slid_over(call, parts, "pool_size", strides)
        return passed_on(call.tensor("inputs"), parts.shape(axes, parts.channels))


for _count in (1, 2, 3):
    _named, _, _flat = images(_count)

    @keras_layer(
        *(
            f"Global{kind}{_count}D"
            for kind in ("MaxPooling", "AveragePooling", "MaxPool", "AvgPool")
        ),
        params="data_format=None, keepdims=False",
        examples=(
            *(example(_named).on(), example(_named).on(keepdims=True), example(_flat).on()),
            *(example(turned(_count)).on(data_format="channels_first", keepdims=True),),
        ),
    )
    def pooled_over_all(call: Call) -> Value:
        """One value for each channel."""
        parts = parts_of(call)
        ones = [Axis(Dim.of(1))] * len(parts.spatial) if call.flag("keepdims") else []
        return passed_on(call.tensor("inputs"), parts.shape(ones, parts.channels))


for _count in (1, 2, 3):
    _named, _, _ = images(_count)

    @keras_layer(
        *(f"Adaptive{kind}Pooling{_count}D" for kind in ("Max", "Average")),
        params="output_size, data_format=None",
        examples=(
            *(example(_named).on(4), example(_named).on((3,) * _count)),
            *(example(turned(_count)).on(3, data_format="channels_first"),),
        ),
    )
    def pooled_to_size(call: Call) -> Value:
        """So many values along each spatial axis."""
        rank = call.tensor("inputs").shape.rank
        if rank is None or f"{rank - 2}D" not in call.op:
            raise Undetermined("Keras takes images of another rank too")
        parts = parts_of(call)
        sizes = per_axis(call["output_size"], len(parts.spatial))
        axes = [Axis(Dim.fresh() if size is None else size) for size in sizes]
        return passed_on(call.tensor("inputs"), parts.shape(axes, parts.channels))


for _count in (1, 2, 3):
    _named, _fixed, _flat = images(_count)

    @keras_layer(
        f"UpSampling{_count}D",
        params="size=2, data_format=None",
        examples=(example(_named).on(), example(_fixed).on(3), example(_flat).on(2)),
    )
    def repeated(call: Call) -> Value:
        """Each element so many times along each spatial axis."""
        parts = parts_of(call)
        times = per_axis(call["size"], len(parts.spatial))
        axes = [
            Axis(Dim.fresh() if by is None or axis.flexible else axis.dim * by)
            for axis, by in zip(parts.spatial, times, strict=True)
        ]
        return passed_on(call.tensor("inputs"), parts.shape(axes, parts.channels))
