# SPDX-License-Identifier: Apache-2.0
"""Spatial axes resized: interpolation, and sampling at the points of a grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops.layers import layer, replace_arguments
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import parts, require_sizes
from typedtensors.ops.steps.loss import require_axis, require_one_rank
from typedtensors.ops.steps.signals.windows import per_axis
from typedtensors.ops.value import SOME_FLOAT
from typedtensors.shapes import Axis, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_B = Dim.name("b")

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
    if axis.flexible or factor is SOME_FLOAT:
        return Axis(Dim.fresh())
    if isinstance(factor, float) and axis.dim.value is not None:
        return Axis(Dim.of(math.floor(axis.dim.value * factor)))
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
    examples=(
        example(Array("b c h w")).on(8),
        example(Array("b c h w")).on(scale_factor=2),
        example(Array("b c h w")).on(scale_factor=2, mode="bilinear"),
    ),
)
@rule(
    "torch.nn.functional.upsample",
    params="input, size=None, scale_factor=None, mode='nearest', align_corners=None",
    examples=(example(Array("b c h w"), 8), example(Array("b c n"), scale_factor=2)),
)
def upsample(call: Call) -> Value:
    """As interpolate."""
    return interpolate(call)


_IMAGES = ((Array("b c h w"), {"scale_factor": 2}), (Array("b c h w"), {"size": (8, 9)}))
_ENLARGED: dict[str, str] = {"nearest": "UpsamplingNearest2d", "bilinear": "UpsamplingBilinear2d"}


def _enlarged(mode: str) -> Callable[[Call], Value]:
    """A rule: interpolate images in that mode."""

    def apply(call: Call) -> Value:
        if call.tensor("input").shape.rank != 4:
            raise Undetermined("the rank is not known to be 4")
        return interpolate(replace_arguments(call, {**call.arguments, "mode": mode}))

    return apply


for _mode, _layer in _ENLARGED.items():
    layer(
        f"torch.nn.{_layer}",
        params="size=None, scale_factor=None",
        examples=tuple(example(array).on(**more) for array, more in _IMAGES),
    )(_enlarged(_mode))
    rule(
        f"torch.nn.functional.upsample_{_mode}",
        params="input, size=None, scale_factor=None",
        examples=tuple(example(array, **more) for array, more in _IMAGES),
    )(_enlarged(_mode))


@rule(
    *("torch.grid_sampler", "torch.grid_sampler_2d"),
    params="input, grid, interpolation_mode, padding_mode, align_corners",
    examples=(
        example(Array("b c h w"), Array("b y x 2"), 0, 0, False),
        example(Array("b c h w"), Array("b 2 y x"), 1, 0, True),
    ),
)
@rule(
    "torch.grid_sampler_3d",
    params="input, grid, interpolation_mode, padding_mode, align_corners",
    examples=(example(Array("b c d h w"), Array("b z y x 3"), 0, 0, False),),
)
@rule(
    "torch.nn.functional.grid_sample",
    params="input, grid, mode='bilinear', padding_mode='zeros', align_corners=None",
    examples=(
        example(Array("b c h w"), Array("b y x 2"), align_corners=False),
        example(Array("b c d h w"), Array("b z y x 3"), align_corners=False),
        example(Array("b c h w"), Array("b 2 y x"), align_corners=False),
        example(Array("b c h w"), Array("y x 2"), align_corners=False),
    ),
)
def grid_sample(call: Call) -> Value:
    """The channels at each point of the grid, whose last axis holds a point's coordinates."""
    array, grid = call.tensor("input"), call.tensor("grid")
    require_one_rank(call, "input", "grid")
    rank = array.shape.rank
    if rank not in (4, 5) or grid.shape.rank != rank or not array.dtype.may_be(grid.dtype):
        raise Undetermined("image and grid are not known to go together")
    # Numbers stand for modes in torch's own functions; volumes know no cubic one.
    modes = [Dim.of(mode) for mode in range(3 if rank == 4 else 2)]
    if call.arguments.get("interpolation_mode", modes[0]) not in modes:
        raise Undetermined("the mode is not known")
    require_axis(call, ("input", 0), ("grid", 0))
    _require_size(call, "grid", -1, Axis(Dim.of(rank - 2)))
    return array.with_shape(Shape((*array.shape.axes[:2], *grid.shape.axes[1:-1])))


def _require_size(call: Call, name: str, index: int, wanted: Axis) -> None:
    """Require that an axis of an argument has the size that the image asks for."""
    axis = call.tensor(name).shape.axis(index)
    if axis is None or axis.flexible:
        return
    if call.requires(axis.dim, wanted.dim) is Verdict.DIFFERENT:
        where, texts = wording.argument(name, call.name), (str(wanted), str(axis))
        raise Conflicting(wording.axis_differs(where, index, *texts, bound_by="the image's axes"))


@rule(
    *("torch.nn.functional.affine_grid", "torch.affine_grid_generator"),
    params="theta, size, align_corners=None",
    examples=(
        example(Array("b 2 3"), (_B, 3, 8, 9), align_corners=False),
        example(Array("b 3 4"), (_B, 3, 7, 8, 9), align_corners=False),
        example(Array("b 3 4"), (_B, 3, 8, 9), align_corners=False),
    ),
)
def affine_grid(call: Call) -> Value:
    """The points that an affine map takes an image of that size from."""
    theta, size = call.tensor("theta"), parts(call["size"])
    if theta.shape.rank != 3 or len(size) not in (4, 5) or not isinstance(size[0], Axis):
        raise Undetermined("the map is not known to be one")
    batch, _, *spatial = size
    points = Axis(Dim.of(len(spatial)))
    for index, wanted in enumerate((size[0], points, Axis(points.dim + 1))):
        _require_size(call, "theta", index, wanted)
    if any(isinstance(part, Axis) and at_most(part.dim, Dim.of(0)) for part in size):
        raise Conflicting(wording.misused(call.name, "nothing is left of an axis"))
    return theta.with_shape(Shape((batch, *spatial, points)))
