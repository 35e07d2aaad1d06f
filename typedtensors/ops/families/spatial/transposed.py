# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions: the axes grow as convolving shrinks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops.families.spatial.convolution import (
    require_bias,
    require_groups,
    weight_sizes,
)
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.signals.images import Image, image, spatial_rank
from typedtensors.ops.steps.signals.windows import Window, per_axis, spread, windows
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_C = Dim.name("c")
_SPATIAL = ("7", "9 7", "7 8 9")
_TRANSPOSED = (
    "kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, "
    "padding_mode='zeros', device=None, dtype=None"
)


def _examples(count: int) -> tuple[Example, ...]:
    fixed, named = _SPATIAL[count - 1], " ".join("dhw"[-count:])
    return (
        example(Array(f"b c {named}")).on(_C, 4, 2, 2),
        example(Array(f"c {fixed}")).on(_C, 4, 3, stride=2, padding=1, output_padding=1),
        example(Array(f"b 3 {named}")).on(3, _C, 3, dilation=2),
        example(Array(f"b 4 {fixed}")).on(3, 6, 2),
    )


for _count in (1, 2, 3):

    @layer(
        f"torch.nn.ConvTranspose{_count}d",
        params=f"in_channels, out_channels, {_TRANSPOSED}",
        inputs="input, output_size=None",
        examples=_examples(_count),
    )
    @layer(
        f"torch.nn.LazyConvTranspose{_count}d",
        params=f"out_channels, {_TRANSPOSED}",
        inputs="input, output_size=None",
        examples=(example(Array(f"b c {_SPATIAL[_count - 1]}")).on(4, 3, stride=2),),
    )
    def convolve_back(call: Call) -> Value:
        """`in_channels` become `out_channels`; the other axes grow as convolving shrinks them."""
        array = call.tensor("input")
        require_inexact(call, array)
        parts = image(call, array.shape, spatial_rank(call))
        channels = call.arguments.get("in_channels")
        consume(call, array, -1 - len(parts.spatial), channels, "in_channels")
        if call["output_size"] is not None:
            raise Undetermined("the size of the output is given")
        shape = parts.shape(sized(call["out_channels"]), _grown(call, parts, call["kernel_size"]))
        return array.with_shape(shape)


def _grown(call: Call, parts: Image, kernel: Value) -> list[Axis]:
    count = len(parts.spatial)
    numbers = (kernel, call["stride"], call["padding"], call["dilation"])
    found, extra = windows(count, *numbers), per_axis(call["output_padding"], count)
    for window, added in zip(found, extra, strict=True):
        _require_less(call, added, window)
    return [spread(call, *each) for each in zip(parts.spatial, found, extra, strict=True)]


def _require_less(call: Call, added: Dim | None, window: Window) -> None:
    """What is added at the end is a part of a step. Raises Conflicting if it is not."""
    steps = (window.stride, window.dilation)
    if added is None or added.value == 0:
        return
    too_large = all(step is not None and at_most(step, added) for step in steps)
    if too_large or at_most(added, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"an output padding of {added}"))
    if not any(step is not None and at_most(added + 1, step) for step in steps):
        raise Undetermined("the output padding may be too large")


for _count in (1, 2, 3):
    _kernel = " ".join("3" * _count)
    _named = " ".join("dhw"[-_count:])

    @rule(
        f"torch.conv_transpose{_count}d",
        f"torch.nn.functional.conv_transpose{_count}d",
        params="input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, "
        "dilation=1",
        examples=(
            example(Array(f"b c {_named}"), Array(f"c o {_kernel}")),
            example(Array(f"c {_SPATIAL[_count - 1]}"), Array(f"c 4 {_kernel}"), Array("4"), 2, 1),
            example(Array(f"b 4 {_named}"), Array(f"4 3 {_kernel}"), groups=2),
            example(Array(f"b c {_named}"), Array(f"c o {_kernel}"), stride=2, output_padding=1),
            example(Array(f"b 4 {_named}"), Array(f"3 6 {_kernel}")),
        ),
    )
    def convolve_back_with(call: Call) -> Value:
        """As the layer, with a weight of `in out/groups` and the kernel's sizes."""
        array, count = call.tensor("input"), spatial_rank(call)
        if not array.dtype.may_be(call.tensor("weight").dtype):
            raise Undetermined("torch takes a weight of the input's dtype")
        parts, sizes = image(call, array.shape, count), weight_sizes(call, "in out", count)
        consume(call, array, -1 - count, sizes[0], "weight")
        groups = call.dim("groups")
        require_groups(call, sizes[0], groups)
        channels = sizes[1] * groups
        require_bias(call, channels)
        return array.with_shape(parts.shape(Axis(channels), _grown(call, parts, sizes[2:])))
