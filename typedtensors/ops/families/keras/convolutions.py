# SPDX-License-Identifier: Apache-2.0
"""Keras's less common convolutions: transposed, over each channel, separable, recurrent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim, larger
from typedtensors.ops.families.keras.images import convolved, images, parts_of, slid_over, turned
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer, require_rank
from typedtensors.ops.steps.signals.channels_last import Picture
from typedtensors.ops.steps.signals.windows import Window, per_axis, windows
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_O, _ZERO = Dim.name("o"), Dim.of(0)


def _wider(count: int) -> tuple[Example, ...]:
    named, fixed, flat = images(count)
    return (
        *(example(named).on(_O, 3), example(named).on(4, 3, 2, "same"), example(named).on(4, 2, 3)),
        *(example(fixed).on(4, (4,) * count, 2), example(flat).on(4, 3)),
        *(example(named).on(4, 3, strides=2, padding="same", output_padding=1),),
        *(example(named).on(4, 3, strides=2, output_padding=1),),
        *(example(turned(count)).on(4, 3, data_format="channels_first"),),
    )


for _count in (1, 2, 3):
    _order = "output_padding=None, data_format=None"
    _order = _order if _count < 3 else "data_format=None, output_padding=None"

    @keras_layer(
        *(f"{kind}{_count}DTranspose" for kind in ("Conv", "Convolution")),
        params=f"filters, kernel_size, strides=1, padding='valid', {_order}, dilation_rate=1",
        examples=_wider(_count),
    )
    def transposed(call: Call) -> Value:
        """The size that a convolution makes this one of; channels become `filters`."""
        parts = parts_of(call)
        count = len(parts.spatial)
        if call["dilation_rate"] != Dim.of(1):
            raise Undetermined("windows with gaps")
        found = windows(count, call["kernel_size"], call["strides"], _ZERO, Dim.of(1))
        extra = call["output_padding"]
        more = (None,) * count if extra is None else per_axis(extra, count)
        if extra is not None and None in more:
            raise Undetermined("the padding of the output is not known")
        together = zip(parts.spatial, found, more, strict=True)
        axes = [_spread(call, axis, window, beyond) for axis, window, beyond in together]
        return computed(call.tensor("inputs"), parts.shape(axes, sized(call["filters"])))


def _spread(call: Call, axis: Axis, window: Window, extra: Dim | None) -> Axis:
    extent, stride, how = window.extent, window.stride, call["padding"]
    if extent is None or stride is None or axis.flexible or how not in ("valid", "same"):
        return Axis(Dim.fresh())
    size = axis.dim
    if how == "valid":
        if extra is None:
            return Axis(size * stride + larger(extent - stride, _ZERO))
        return Axis((size - 1) * stride + extent + extra)
    if extra is None:
        return Axis(size * stride)
    return Axis((size - 1) * stride + extent % 2 + extra)


def _by_channel(count: int) -> tuple[Example, ...]:
    named, fixed, flat = images(count)
    return (
        *(example(named).on(3, padding="same"), example(fixed).on(2, depth_multiplier=2)),
        *(example(fixed).on(3, 2, "same"), example(fixed).on(3, dilation_rate=2)),
        *(example(flat).on(3), example(turned(count)).on(3, data_format="channels_first")),
    )


for _count in (1, 2):

    @keras_layer(
        f"DepthwiseConv{_count}D",
        params="kernel_size, strides=1, padding='valid', depth_multiplier=1, data_format=None, "
        "dilation_rate=1, activation=None, use_bias=True",
        examples=_by_channel(_count),
    )
    def by_channel(call: Call) -> Value:
        """Windows slide over each channel; there are so many times as many afterwards."""
        parts = parts_of(call)
        axes = slid_over(call, parts, "kernel_size", call["strides"])
        times = call["depth_multiplier"]
        known = isinstance(times, Dim) and not parts.channels.flexible
        channels = parts.channels.dim * times if known else Dim.fresh()  # type: ignore[operator]
        return computed(call.tensor("inputs"), parts.shape(axes, Axis(channels)))


def _separable(count: int) -> tuple[Example, ...]:
    named, fixed, flat = images(count)
    return (
        *(example(named).on(_O, 3, padding="same"), example(fixed).on(4, 2)),
        *(example(fixed).on(4, 3, 2, "same"), example(flat).on(4, 3)),
        *(example(turned(count)).on(4, 3, data_format="channels_first"),),
    )


for _count in (1, 2):
    keras_layer(
        *(f"Separable{kind}{_count}D" for kind in ("Conv", "Convolution")),
        params="filters, kernel_size, strides=1, padding='valid', data_format=None, "
        "dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True",
        examples=_separable(_count),
    )(convolved)


def _films(count: int) -> tuple[Example, ...]:
    film = Array(" ".join(("b 4", *("7", "6", "5")[:count], "3")))
    return (
        *(example(film).on(_O, 3, padding="same"), example(film).on(2, 2)),
        *(example(film).on(2, 2, return_sequences=True), example(film).on(2, 2, return_state=True)),
        *(example(film).on(2, 3, 2, "same"), example(Array("b 4 3")).on(2, 2)),
    )


for _count in (1, 2, 3):

    @keras_layer(
        f"ConvLSTM{_count}D",
        params="filters, kernel_size, strides=1, padding='valid', data_format=None, "
        "dilation_rate=1, activation='tanh', *, return_sequences=False, return_state=False",
        inputs="sequences, initial_state=None, mask=None, training=False",
        examples=_films(_count),
    )
    def film(call: Call) -> Value:
        """A convolution of each picture, of which the last or all are returned."""
        count = int(call.op.partition("LSTM")[2][0])
        wanted = " ".join(("b t", *"hwd"[:count], "c"))
        require_rank(call, "sequences", count + 3, wanted, exact=True)
        array = call.tensor("sequences")
        axes = array.shape.fixed
        if axes is None or call["data_format"] not in (None, "channels_last"):
            raise Undetermined("the axes are not known")
        parts = Picture(axes[:1], axes[2:-1], axes[-1])
        found = slid_over(call, parts, "kernel_size", call["strides"])
        last = computed(array, parts.shape(found, sized(call["filters"])))
        every = computed(array, Shape((axes[0], axes[1], *last.shape.axes[1:])))
        output = every if call.flag("return_sequences") else last
        return [output, last, last] if call.flag("return_state") else output
