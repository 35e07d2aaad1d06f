# SPDX-License-Identifier: Apache-2.0
"""Convolutions, forward and transposed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, divide
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.images import Image, image, spatial_rank
from typedtensors.ops.steps.reduction import require_inexact
from typedtensors.ops.steps.sizes import sized
from typedtensors.ops.steps.windows import per_axis, slid, spread, windows
from typedtensors.shapes import Axis, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_C = Dim.name("c")
_COMMON = "padding_mode='zeros', device=None, dtype=None"
_SPATIAL = ("7", "9 7", "7 8 9")


def _examples(count: int) -> tuple[Example, ...]:
    """Layers over inputs of so many spatial axes."""
    fixed, named = _SPATIAL[count - 1], " ".join("dhw"[-count:])
    return (
        example(Array(f"b c {named}")).on(_C, 4, 3, padding=1),
        example(Array(f"c {fixed}")).on(_C, 4, 3, stride=2),
        example(Array(f"b 3 {fixed}")).on(3, 8, 3, 1, "same"),
        example(Array(f"b 3 {named}")).on(3, _C, (2,) * count, 2, bias=False),
        example(Array(f"b 4 {fixed}")).on(4, 6, 2, 1, 1, 3, 2),
        example(Array(f"b 4 {fixed}")).on(3, 6, 2),
        example(Array(f"b 3 {fixed}")).on(3, 6, 20),
    )


for _count in (1, 2, 3):

    @layer(
        f"torch.nn.Conv{_count}d",
        params="in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, "
        f"bias=True, {_COMMON}",
        examples=_examples(_count),
    )
    def convolve(call: Call) -> Value:
        """`in_channels` become `out_channels`; windows slide over the other axes."""
        array = call.tensor("input")
        require_inexact(call, array)
        parts = image(call, array.shape, spatial_rank(call))
        consume(call, array, -1 - len(parts.spatial), call["in_channels"], "in_channels")
        shape = parts.shape(sized(call["out_channels"]), _slid(call, parts, call["kernel_size"]))
        return array.with_shape(shape)


def _slid(call: Call, parts: Image, kernel: Value) -> list[Axis]:
    padding = call["padding"]
    same = padding == "same"
    numbers = (kernel, call["stride"], Dim.of(0) if isinstance(padding, str) else padding)
    found = windows(len(parts.spatial), *numbers, call["dilation"])
    return [
        slid(call, axis, replace(window, same=same))
        for axis, window in zip(parts.spatial, found, strict=True)
    ]


def _transposed_examples(count: int) -> tuple[Example, ...]:
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
        params="in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, "
        f"groups=1, bias=True, dilation=1, {_COMMON}",
        inputs="input, output_size=None",
        examples=_transposed_examples(_count),
    )
    def convolve_back(call: Call) -> Value:
        """`in_channels` become `out_channels`; the other axes grow as convolving shrinks them."""
        array = call.tensor("input")
        require_inexact(call, array)
        parts = image(call, array.shape, spatial_rank(call))
        consume(call, array, -1 - len(parts.spatial), call["in_channels"], "in_channels")
        if call["output_size"] is not None:
            raise Undetermined("the size of the output is given")
        shape = parts.shape(sized(call["out_channels"]), _grown(call, parts))
        return array.with_shape(shape)


def _grown(call: Call, parts: Image) -> list[Axis]:
    count = len(parts.spatial)
    numbers = (call["kernel_size"], call["stride"], call["padding"], call["dilation"])
    found = windows(count, *numbers)
    extra = per_axis(call["output_padding"], count)
    return [spread(call, *each) for each in zip(parts.spatial, found, extra, strict=True)]


for _count in (1, 2, 3):
    _kernel = " ".join("3" * _count)

    @rule(
        f"torch.conv{_count}d",
        f"torch.nn.functional.conv{_count}d",
        params="input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1",
        examples=(
            example(Array(f"b c {_SPATIAL[_count - 1]}"), Array(f"o c {_kernel}")),
            example(Array(f"b 4 {_SPATIAL[_count - 1]}"), Array(f"3 4 {_kernel}"), padding=1),
            example(Array(f"b 4 {_SPATIAL[_count - 1]}"), Array(f"6 2 {_kernel}"), groups=2),
            example(Array(f"b 4 {_SPATIAL[_count - 1]}"), Array(f"6 3 {_kernel}")),
        ),
    )
    def convolve_with(call: Call) -> Value:
        """As the layer, with a weight of `out in/groups` and the kernel's sizes."""
        array, weight = call.tensor("input"), call.tensor("weight")
        count = spatial_rank(call)
        parts = image(call, array.shape, count)
        sizes = weight.shape.fixed
        if sizes is None:
            raise Undetermined("the weight is not known")
        if len(sizes) != count + 2:
            where = wording.argument("weight", call.name)
            wanted = " ".join(("out in", *"dhw"[-count:]))
            raise Conflicting(wording.rank_differs(where, wanted, weight.shape.text))
        if any(axis.flexible for axis in sizes):
            raise Undetermined("a size of the weight is not known")
        needed = sizes[1].dim * call.dim("groups")
        consume(call, array, -1 - count, needed, "weight")
        _require_groups(call, sizes[0].dim)
        kernel = tuple(axis.dim for axis in sizes[2:])
        return array.with_shape(parts.shape(sizes[0], _slid(call, parts, kernel)))


def _require_groups(call: Call, channels: Dim) -> None:
    groups = call.dim("groups")
    if groups != Dim.of(1) and divide(channels, groups) is None:
        raise Undetermined("the groups may not divide the channels")
    if isinstance(call["bias"], Tensor):
        _require_bias(call, call.tensor("bias"), channels)


def _require_bias(call: Call, bias: Tensor, channels: Dim) -> None:
    axes = bias.shape.fixed
    if axes is None or len(axes) != 1 or axes[0].flexible:
        raise Undetermined("the bias is not known to fit")
    if call.same(axes[0].dim, channels) is Verdict.DIFFERENT:
        where = wording.argument("bias", call.name)
        raise Conflicting(wording.axis_differs(where, 0, str(channels), str(axes[0].dim)))
