# SPDX-License-Identifier: Apache-2.0
"""Pixels that become channels and channels that become pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, divide
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


_SHUFFLED = (
    (Array("b 4*c h w"), 2),
    (Array("8 h w"), 2),
    (Array("b 7 h w"), 2),
    (Array("h w"), 2),
)


@rule(
    *("torch.pixel_shuffle", "torch.nn.functional.pixel_shuffle"),
    params="input, upscale_factor",
    examples=tuple(example(*each) for each in _SHUFFLED),
)
@layer(
    "torch.nn.PixelShuffle",
    params="upscale_factor",
    examples=tuple(example(array).on(factor) for array, factor in _SHUFFLED),
)
def pixel_shuffle(call: Call) -> Value:
    """Channels become pixels: `c*r*r h w` becomes `c h*r w*r`."""
    factor = _factor(call, "upscale_factor")
    lead, channels, height, width = _image(call)
    fewer = _divided(call, channels, factor * factor, "channels")
    axes = (Axis(fewer), Axis(height * factor), Axis(width * factor))
    return call.tensor("input").with_shape(Shape((*lead, *axes)))


_UNSHUFFLED = (
    (Array("b c 2*h 2*w"), 2),
    (Array("c 6 9"), 3),
    (Array("b c 7 4"), 2),
    (Array("h w"), 2),
)


@rule(
    *("torch.pixel_unshuffle", "torch.nn.functional.pixel_unshuffle"),
    params="input, downscale_factor",
    examples=tuple(example(*each) for each in _UNSHUFFLED),
)
@layer(
    "torch.nn.PixelUnshuffle",
    params="downscale_factor",
    examples=tuple(example(array).on(factor) for array, factor in _UNSHUFFLED),
)
def pixel_unshuffle(call: Call) -> Value:
    """Pixels become channels: `c h*r w*r` becomes `c*r*r h w`."""
    factor = _factor(call, "downscale_factor")
    lead, channels, *spatial = _image(call)
    fewer = (_divided(call, size, factor, "pixels") for size in spatial)
    axes = (channels * factor * factor, *fewer)
    return call.tensor("input").with_shape(Shape((*lead, *map(Axis, axes))))


def _factor(call: Call, name: str) -> Dim:
    factor = call.dim(name)
    if factor.value is None:
        raise Undetermined("the factor is not known")
    if factor.value < 1:
        raise Conflicting(wording.misused(call.name, f"a factor of {factor}"))
    return factor


def _image(call: Call) -> tuple[tuple[Part, ...], Dim, Dim, Dim]:
    """Axes in front, then the sizes of channels, rows and columns."""
    shape = call.tensor("input").shape
    if shape.rank is not None and shape.rank < 3:
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "... c h w", shape.text))
    known = shape.suffix[-3:]
    if len(known) < 3 or any(axis.flexible for axis in known):
        raise Undetermined("the sizes are not known")
    channels, height, width = (axis.dim for axis in known)
    return shape.axes[:-3], channels, height, width


def _divided(call: Call, size: Dim, by: Dim, what: str) -> Dim:
    """A size that has to be a multiple of `by`, of which a name may be one."""
    resolved = call.facts.resolve(size)
    fewer = divide(resolved, by)
    if fewer is None and resolved.value is not None:
        problem = f"{resolved} {what} are no multiple of {by}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return Dim.fresh() if fewer is None else fewer


_GROUPED = (
    (Array("b 6 h w"), 3),
    (Array("b c n"), 1),
    (Array("b 7 h"), 2),
)


@rule(
    *("torch.channel_shuffle", "torch.nn.functional.channel_shuffle"),
    "torch.nn.functional.native_channel_shuffle",
    params="input, groups",
    examples=tuple(example(*each) for each in _GROUPED),
)
@layer(
    "torch.nn.ChannelShuffle",
    params="groups",
    examples=tuple(example(array).on(groups) for array, groups in _GROUPED),
)
def channel_shuffle(call: Call) -> Value:
    """Axis 1 in another order; the groups divide it."""
    array, groups = call.tensor("input"), _factor(call, "groups")
    channels = array.shape.axis(1)
    if array.shape.rank is None or channels is None or channels.flexible or array.shape.rank < 3:
        raise Undetermined("the channels are not known")
    if divide(call.facts.resolve(channels.dim), groups) is None:
        _divided(call, channels.dim, groups, "channels")
        raise Undetermined("the groups may not divide the channels")
    return array
