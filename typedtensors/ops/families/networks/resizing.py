# SPDX-License-Identifier: Apache-2.0
"""Axes made longer or shorter: padding, interpolation, pixels moved between axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most, divide
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.positions import position
from typedtensors.ops.steps.sizes import require_sizes
from typedtensors.ops.steps.windows import per_axis
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part, Tensor

_FAMILY = "convolution"


@rule(
    "torch.nn.functional.pad",
    params="input, pad, mode='constant', value=None",
    family=_FAMILY,
    examples=(
        example(Array("b n"), (1, 2)),
        example(Array("b n"), (1, 2, 3, 4)),
        example(Array("*batch n"), (0, 1)),
        example(Array("b 5"), (-1, -2)),
        example(Array("b n"), (1, 2, 3)),
        example(Array("n"), (1, 2, 3, 4)),
        example(Array("b c 9 n"), (1, 2, 3, 4), "reflect"),
        example(Array("b c n"), (1, 1), mode="replicate"),
    ),
)
def pad(call: Call) -> Value:
    """Pairs of sizes to add before and after an axis, for the last one first."""
    array, given = call.tensor("input"), call["pad"]
    if not isinstance(given, (tuple, list)):
        raise Undetermined("the padding is not known")
    if len(given) % 2:
        raise Conflicting(wording.misused(call.name, f"{len(given)} sizes are no pairs"))
    count = len(given) // 2
    if call["mode"] != "constant" and array.shape.rank != count + 2:
        raise Undetermined("the mode pads arrays of certain ranks")
    if call["mode"] != "constant":
        _require_less(array, given)
    return _padded(call, array, tuple(given))


def _require_less(array: Tensor, given: Sequence[Value]) -> None:
    """What is mirrored is less than the axis has."""
    for index, size in enumerate(given):
        axis = array.shape.axis(-1 - index // 2)
        if axis is None or axis.dim.value is None or not isinstance(size, Dim):
            continue
        if not at_most(size + 1, axis.dim):
            raise Undetermined("the padding may be more than the axis has")


def _padded(call: Call, array: Tensor, pairs: Sequence[Value]) -> Tensor:
    shape = array.shape
    for index in range(-1, -len(pairs) // 2 - 1, -1):
        at = position(call, array.shape, Dim.of(index))
        before, after = pairs[-2 * index - 2], pairs[-2 * index - 1]
        shape = shape.replace(at, _longer(shape.axes[at], before, after))
    require_sizes(call, shape.axes)
    return array.with_shape(shape)


def _longer(part: Part, before: Value, after: Value) -> Axis:
    if not isinstance(part, Axis) or part.flexible:
        return Axis(Dim.fresh())
    if not isinstance(before, Dim) or not isinstance(after, Dim):
        return Axis(Dim.fresh())
    return Axis(part.dim + before + after)


def padded(call: Call) -> Value:
    """The same padding on both sides of every spatial axis, or a pair for each."""
    array, given = call.tensor("input"), call["padding"]
    count = int(call.op.removesuffix(".forward").removesuffix(".__call__")[-2])
    pairs = per_axis(given, 2 * count)
    if array.shape.rank is not None and array.shape.rank != count + 2:
        raise Undetermined("the layer pads arrays of certain ranks")
    return _padded(call, array, pairs)


for _kind in ("Zero", "Constant"):
    for _count in (1, 2, 3):
        _value = (0.0,) if _kind == "Constant" else ()
        layer(
            f"torch.nn.{_kind}Pad{_count}d",
            params="padding, value=None" if _value else "padding",
            family=_FAMILY,
            examples=(
                example(Array("b c h w d"[: 3 + 2 * _count])).on(1, *_value),
                example(Array("b c h w d"[: 3 + 2 * _count])).on((1, 2) * _count, *_value),
            ),
        )(padded)


_MODES: dict[str, tuple[int, ...]] = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "area": (1, 2, 3),
}
_MODES |= {"linear": (1,), "bilinear": (2,), "bicubic": (2,), "trilinear": (3,)}
_INTERPOLATE = (
    "size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None"
)


@rule(
    "torch.nn.functional.interpolate",
    params=f"input, {_INTERPOLATE}, antialias=False",
    family=_FAMILY,
    examples=(
        example(Array("b c h w"), (8, 9)),
        example(Array("b c h w"), 8),
        example(Array("b c h w"), scale_factor=2),
        example(Array("b c n"), scale_factor=2.0),
        example(Array("b c h w"), scale_factor=0.5),
        example(Array("b c h w"), (8, 9), mode="bilinear"),
        example(Array("b c"), 8),
        example(Array("b c h w"), scale_factor=(2, 3)),
    ),
)
def interpolate(call: Call) -> Value:
    """The spatial axes get the given sizes, or grow by a factor."""
    array = call.tensor("input")
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank is not known")
    if len(axes) not in (3, 4, 5):
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "n c ... x", array.shape.text))
    count = len(axes) - 2
    if count not in _MODES.get(str(call["mode"]), ()):
        raise Undetermined("the mode is for another rank")
    resize = _sized if call["scale_factor"] is None else _scaled
    resized = tuple(resize(call, axes[2:]))
    require_sizes(call, resized)
    if any(axis.dim.value == 0 for axis in resized):
        raise Conflicting(wording.misused(call.name, "nothing is left of an axis"))
    return array.with_shape(Shape((*axes[:2], *resized)))


def _sized(call: Call, axes: tuple[Axis, ...]) -> list[Axis]:
    sizes = per_axis(call["size"], len(axes))
    return [Axis(Dim.fresh() if size is None else size) for size in sizes]


def _scaled(call: Call, axes: tuple[Axis, ...]) -> list[Axis]:
    if call["size"] is not None:
        raise Conflicting(wording.misused(call.name, "both a size and a factor"))
    given = call["scale_factor"]
    several = given if isinstance(given, (tuple, list)) else (given,) * len(axes)
    if len(several) != len(axes):
        raise Undetermined("another number of factors than axes")
    if any(isinstance(factor, Dim) and at_most(factor, Dim.of(0)) for factor in several):
        raise Conflicting(wording.misused(call.name, f"a factor of {given}"))
    return [_times(axis, factor) for axis, factor in zip(axes, several, strict=True)]


def _times(axis: Axis, factor: Value) -> Axis:
    if axis.flexible:
        return Axis(Dim.fresh())
    if isinstance(factor, Dim):
        return Axis(axis.dim * factor)
    if isinstance(factor, float) and factor.is_integer():
        return Axis(axis.dim * int(factor))
    if isinstance(factor, float) and factor > 0 and (1 / factor).is_integer():
        return Axis(axis.dim // int(1 / factor))
    return Axis(Dim.fresh())


@layer(
    "torch.nn.Upsample",
    params=_INTERPOLATE,
    family=_FAMILY,
    examples=(
        example(Array("b c h w")).on(8),
        example(Array("b c h w")).on(scale_factor=2),
        example(Array("b c h w")).on(scale_factor=2, mode="bilinear"),
    ),
)
def upsample(call: Call) -> Value:
    """As interpolate."""
    return interpolate(call)


@rule(
    "torch.pixel_shuffle",
    "torch.nn.functional.pixel_shuffle",
    params="input, upscale_factor",
    family=_FAMILY,
    examples=(
        example(Array("b 4*c h w"), 2),
        example(Array("8 h w"), 2),
        example(Array("b 7 h w"), 2),
        example(Array("h w"), 2),
    ),
)
def pixel_shuffle(call: Call) -> Value:
    """Channels become pixels: `c*r*r h w` becomes `c h*r w*r`."""
    array, factor = call.tensor("input"), call.dim("upscale_factor")
    if array.shape.least_rank < 3:
        if array.shape.rank is None:
            raise Undetermined("the rank is not known")
        raise Conflicting(wording.rank_differs(f"`{call.name}`", "... c h w", array.shape.text))
    *lead, channels, height, width = array.shape.axes
    axes = [part for part in (channels, height, width) if isinstance(part, Axis)]
    if len(axes) < 3 or any(axis.flexible for axis in axes) or factor.value is None:
        raise Undetermined("the sizes are not known")
    if factor.value < 1:
        raise Conflicting(wording.misused(call.name, f"a factor of {factor}"))
    size = call.facts.resolve(axes[0].dim)
    fewer = divide(size, factor * factor)
    if fewer is None and size.value is not None:
        problem = f"{size} channels are no multiple of {factor * factor}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    spatial = (Axis(axis.dim * factor) for axis in axes[1:])
    fewer = Dim.fresh() if fewer is None else fewer
    return array.with_shape(Shape((*lead, Axis(fewer), *spatial)))


@layer(
    "torch.nn.PixelShuffle",
    params="upscale_factor",
    family=_FAMILY,
    examples=(example(Array("b 4*c h w")).on(2), example(Array("b 7 h w")).on(2)),
)
def pixel_shuffle_layer(call: Call) -> Value:
    """Channels become pixels."""
    return pixel_shuffle(call)
