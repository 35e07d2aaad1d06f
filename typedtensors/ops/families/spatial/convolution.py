# SPDX-License-Identifier: Apache-2.0
"""Convolutions: windows slide over the axes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most, divide
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.signature import Signature, results
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.signals.images import Image, image, spatial_rank
from typedtensors.ops.steps.signals.windows import Window, slid, windows
from typedtensors.shapes import Axis, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_C = Dim.name("c")
_SETTINGS = (
    "kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', "
    "device=None, dtype=None"
)
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
        params=f"in_channels, out_channels, {_SETTINGS}",
        examples=_examples(_count),
    )
    @layer(
        f"torch.nn.LazyConv{_count}d",
        params=f"out_channels, {_SETTINGS}",
        examples=(example(Array(f"b c {_SPATIAL[_count - 1]}")).on(4, 3, padding=1),),
    )
    def convolve(call: Call) -> Value:
        """`in_channels` become `out_channels`; windows slide over the other axes."""
        array = call.tensor("input")
        require_inexact(call, array)
        parts = image(call, array.shape, spatial_rank(call))
        channels = call.arguments.get("in_channels")
        consume(call, array, -1 - len(parts.spatial), channels, "in_channels")
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
        array, count = call.tensor("input"), spatial_rank(call)
        parts, sizes = image(call, array.shape, count), weight_sizes(call, "out in", count)
        groups = call.dim("groups")
        consume(call, array, -1 - count, sizes[1] * groups, "weight")
        require_groups(call, sizes[0], groups)
        require_bias(call, sizes[0])
        return array.with_shape(parts.shape(Axis(sizes[0]), _slid(call, parts, sizes[2:])))


def weight_sizes(call: Call, channels: str, count: int) -> tuple[Dim, ...]:
    """The sizes of a weight for so many spatial axes. Raises Conflicting if its rank is wrong."""
    weight = call.tensor("weight").shape
    if weight.rank not in (None, count + 2):
        where = wording.argument("weight", call.name)
        wanted = " ".join((channels, *"dhw"[-count:]))
        raise Conflicting(wording.rank_differs(where, wanted, weight.text))
    if weight.dims is None:
        raise Undetermined("the weight is not known")
    return weight.dims


def require_groups(call: Call, channels: Dim, groups: Dim) -> None:
    """The groups divide the channels. Raises Conflicting if there are fewer channels than them."""
    if at_most(groups, Dim.of(0)) or (channels.value and at_most(channels + 1, groups)):
        raise Conflicting(wording.misused(call.name, f"{groups} groups of {channels} channels"))
    if groups != Dim.of(1) and divide(channels, groups) is None:
        raise Undetermined("the groups may not divide the channels")


def require_bias(call: Call, channels: Dim) -> None:
    """A bias for each channel, if there is one. Raises Conflicting if there are others."""
    bias = call["bias"]
    if not isinstance(bias, Tensor):
        return
    axes = bias.shape.fixed
    if axes is None or len(axes) != 1 or axes[0].flexible:
        raise Undetermined("the bias is not known to fit")
    if call.same(axes[0].dim, channels) is Verdict.DIFFERENT:
        where = wording.argument("bias", call.name)
        raise Conflicting(wording.axis_differs(where, 0, str(channels), str(axes[0].dim)))


@rule(
    *("torch.conv_tbc", "torch.nn.functional.conv_tbc"),
    params="input, weight, bias, pad=0",
    examples=(
        example(Array("7 b c"), Array("3 c o"), Array("o")),
        example(Array("t b c"), Array("3 c o"), Array("o"), 1),
        example(Array("7 b c"), Array("3 d o"), Array("o")),
    ),
)
def convolve_times(call: Call) -> Value:
    """A convolution over the first axis, with the channels last."""
    names = ("input", "weight", "bias")
    if len({call.tensor(name).dtype for name in names}) > 1:
        raise Undetermined("torch takes arrays of one dtype")
    require_inexact(call, call.tensor("input"))
    (found,) = results(call, Signature.parse("t b c, k c o, o -> t b o"), names)
    kernel = call.tensor("weight").shape.axis(0)
    time = found.shape.prefix[0]
    padding = call.dim("pad")
    if kernel is None or kernel.flexible or at_most(padding, Dim.of(-1)):
        raise Undetermined("the windows are not known")
    if kernel.dim == time.dim + padding * 2 + 1:
        return found.with_shape(found.shape.replace(0, Axis(Dim.of(0))))  # torch lets that pass
    positions = slid(call, time, Window(kernel.dim, padding=padding))
    return found.with_shape(found.shape.replace(0, positions))
