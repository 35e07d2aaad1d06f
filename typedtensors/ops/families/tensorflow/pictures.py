# SPDX-License-Identifier: Apache-2.0
"""`tf.image`: pictures of height, width and channels, one or a batch of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import parts
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ONE, _MANY, _PLANE = Array("h w c"), Array("b h w c"), Array("h w")
_COLOR, _GRAY = Array("b h w 3"), Array("b h w 1")


def _require_picture(call: Call, name: str) -> Tensor:
    """An array of a height, a width and channels at least. Raises Conflicting if it has fewer."""
    array = call.tensor(name)
    if array.shape.rank is not None and array.shape.rank < 3:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, "height width channels", array.shape.text))
    return array


def axes_of(call: Call, name: str) -> tuple[Axis, ...]:
    """The axes of a picture or a batch of them. Raises Conflicting if it has other axes."""
    array = _require_picture(call, name)
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("how many axes the pictures have is not known")
    if len(axes) > 4:
        where = wording.argument(name, call.name)
        raise Conflicting(
            wording.rank_differs(where, "batch height width channels", array.shape.text)
        )
    return axes


def _require_colors(call: Call, array: Tensor, name: str, count: int) -> None:
    """So many of the last axis. Raises Undetermined if that has a name, which may stand for it."""
    last = array.shape.axis(-1)
    found = None if last is None else call.facts.resolve(last.dim).value
    if last is None or last.flexible or found is None:
        raise Undetermined("the colors are not known")
    if found != count:
        where, at = wording.argument(name, call.name), len(array.shape.axes) - 1
        raise Conflicting(wording.axis_differs(where, at, str(count), str(last)))


def _kept(axes: tuple[Axis, ...], size: tuple[Axis, Axis]) -> Shape:
    return Shape((*axes[:-3], *size, axes[-1]))


@rule(
    *tensorflow_names(
        *(f"image.flip_{way}" for way in ("left_right", "up_down")),
        *(f"image.random_flip_{way}" for way in ("left_right", "up_down")),
    ),
    params="image, seed=None",
    examples=(example(_ONE), example(_MANY), example(_PLANE)),
)
def flipped(call: Call) -> Value:
    """The pictures, mirrored or not."""
    axes_of(call, "image")
    return call.tensor("image")


@rule(
    *tensorflow_names("image.adjust_contrast"),
    params="images, contrast_factor",
    examples=(example(_MANY, 0.5), example(_ONE, 0.5), example(_PLANE, 0.5)),
)
@rule(
    *tensorflow_names("image.random_contrast"),
    params="images, lower, upper, seed=None",
    examples=(example(_MANY, 0.2, 0.5), example(_ONE, 0.2, 0.5), example(_PLANE, 0.2, 0.5)),
)
def contrasted(call: Call) -> Value:
    """The pictures, further from their means."""
    return _require_picture(call, "images")


@rule(
    *tensorflow_names("image.adjust_hue"),
    params="image, delta, name=None",
    examples=(example(_COLOR, 0.5), example(Array("h w 3"), 0.5), example(Array("h w 4"), 0.5)),
)
@rule(
    *tensorflow_names("image.adjust_saturation"),
    params="image, saturation_factor, name=None",
    examples=(example(_COLOR, 0.5), example(Array("h w 3"), 0.5), example(Array("h w 4"), 0.5)),
)
@rule(
    *tensorflow_names("image.random_hue"),
    params="image, max_delta, seed=None",
    examples=(example(_COLOR, 0.2), example(Array("h w 3"), 0.2)),
)
@rule(
    *tensorflow_names("image.random_saturation"),
    params="image, lower, upper, seed=None",
    examples=(example(_COLOR, 0.2, 0.5), example(Array("h w 3"), 0.2, 0.5)),
)
def shifted(call: Call) -> Value:
    """Pictures of three colors, each changed by itself."""
    array = _require_picture(call, "image")
    _require_colors(call, array, "image", 3)
    return array


@rule(
    *tensorflow_names("image.adjust_brightness"),
    params="image, delta",
    examples=(example(_MANY, 0.5), example(_PLANE, 0.5)),
)
@rule(
    *tensorflow_names("image.random_brightness"),
    params="image, max_delta, seed=None",
    examples=(example(_MANY, 0.5), example(_PLANE, 0.5)),
)
@rule(
    *tensorflow_names("image.adjust_gamma"),
    params="image, gamma=1, gain=1",
    examples=(example(_MANY, 0.5), example(_PLANE, 0.5)),
)
def brightened(call: Call) -> Value:
    """Each element by itself."""
    return call.tensor("image")


@rule(
    *tensorflow_names("image.per_image_standardization"),
    params="image",
    examples=(example(_ONE), example(_MANY), example(_PLANE)),
)
def standardized(call: Call) -> Value:
    """Each picture with mean 0 and variance 1."""
    return _require_picture(call, "image").with_dtype(ANY)


@rule(
    *tensorflow_names("image.rgb_to_grayscale"),
    params="images, name=None",
    examples=(example(_COLOR), example(Array("h w 3")), example(Array("b h w 2"))),
)
@rule(
    *tensorflow_names("image.grayscale_to_rgb"),
    params="images, name=None",
    examples=(example(_GRAY), example(Array("h w 1")), example(Array("b h w 2"))),
)
def recolored(call: Call) -> Value:
    """The last axis, of three colors, becomes one of gray; or the other way."""
    array = call.tensor("images")
    own, made = (3, 1) if call.name == "rgb_to_grayscale" else (1, 3)
    _require_colors(call, array, "images", own)
    return array.with_shape(array.shape.replace(len(array.shape.axes) - 1, Axis(Dim.of(made))))


@rule(
    *tensorflow_names("image.resize"),
    params="images, size, method='bilinear', preserve_aspect_ratio=False, antialias=False, "
    "name=None",
    examples=(
        example(_MANY, (5, 7)),
        example(_ONE, [5, Dim.name("k")]),
        example(_MANY, (5, 7), "nearest"),
        example(_MANY, (5, 7), preserve_aspect_ratio=True),
        example(_PLANE, (5, 7)),
    ),
)
def resized(call: Call) -> Value:
    """The given height and width; smaller in one of them if the ratio is to stay."""
    axes = axes_of(call, "images")
    size = parts(call["size"])
    if len(size) != 2 or not all(isinstance(each, Axis) for each in size):
        raise Conflicting(wording.sizes_misused(call.name, "takes a height and a width"))
    height, width = (each for each in size if isinstance(each, Axis))
    if any(at_most(each.dim, Dim.of(0)) for each in (height, width)):
        raise Undetermined("no size at all")
    if call["preserve_aspect_ratio"] is not False:
        height, width = Axis(Dim.fresh("height")), Axis(Dim.fresh("width"))
    return Tensor(_kept(axes, (height, width)), ANY)


@rule(
    *tensorflow_names("image.resize_with_crop_or_pad"),
    params="image, target_height, target_width",
    examples=(example(_MANY, 5, 7), example(_ONE, 5, Dim.name("k")), example(_PLANE, 5, 7)),
)
@rule(
    *tensorflow_names("image.resize_with_pad"),
    params="image, target_height, target_width, method='bilinear', antialias=False",
    examples=(example(_MANY, 5, 7), example(_ONE, 5, 6), example(_PLANE, 5, 7)),
)
def framed(call: Call) -> Value:
    """The given height and width; what is missing is filled with zeros."""
    axes = axes_of(call, "image")
    height, width = call.dim("target_height"), call.dim("target_width")
    if any(at_most(each, Dim.of(0)) for each in (height, width)):
        raise Undetermined("no size at all")
    return Tensor(_kept(axes, (Axis(height), Axis(width))), ANY)


@rule(
    *tensorflow_names("image.central_crop"),
    params="image, central_fraction",
    examples=(example(_MANY, 0.5), example(_ONE, 0.5), example(_PLANE, 0.5)),
)
def cropped(call: Call) -> Value:
    """A part of the height and of the width."""
    axes = axes_of(call, "image")
    size = (Axis(Dim.fresh("height")), Axis(Dim.fresh("width")))
    return call.tensor("image").with_shape(_kept(axes, size))


@rule(
    *tensorflow_names("image.rot90"),
    params="image, k=1, name=None",
    examples=(example(_MANY), example(_ONE, 2), example(_MANY, 3), example(_PLANE)),
)
def turned(call: Call) -> Value:
    """Height and width change places in an odd number of turns."""
    axes = axes_of(call, "image")
    height, width = axes[-3], axes[-2]
    if call.integer("k") % 2:
        height, width = width, height
    return call.tensor("image").with_shape(_kept(axes, (height, width)))


@rule(
    *tensorflow_names("image.transpose"),
    params="image, name=None",
    examples=(example(_MANY), example(_ONE), example(_PLANE)),
)
def transposed(call: Call) -> Value:
    """Height and width change places."""
    axes = axes_of(call, "image")
    return call.tensor("image").with_shape(_kept(axes, (axes[-2], axes[-3])))


@rule(
    *tensorflow_names("image.total_variation"),
    params="images, name=None",
    examples=(example(_MANY), example(_ONE), example(_PLANE)),
)
def varied(call: Call) -> Value:
    """A number for each picture."""
    axes = axes_of(call, "images")
    return Tensor(Shape(axes[:-3]), promotion.real(call.tensor("images").dtype))
