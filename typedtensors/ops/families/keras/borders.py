# SPDX-License-Identifier: Apache-2.0
"""Keras's layers that add to the borders of images, take from them, or make another size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops.families.keras.images import images, parts_of
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.rule import Array, Example, example
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import keras_layer, passed_on, require_rank
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_ZERO = Dim.of(0)


def _borders(call: Call, given: Value, count: int) -> list[tuple[Dim, Dim]]:
    """What is at both ends of each axis: one number for all, one for each, or two for each."""
    if isinstance(given, Dim):
        return [(given, given)] * count
    if count == 1 and isinstance(given, (tuple, list)) and len(given) == 2:
        given = [tuple(given)]
    if not isinstance(given, (tuple, list)) or len(given) != count:
        raise Undetermined("the borders are not known")
    return [_ends(call, each) for each in given]


def _ends(call: Call, given: Value) -> tuple[Dim, Dim]:
    ends = (given, given) if isinstance(given, Dim) else given
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        raise Undetermined("the borders are not known")
    first, last = ends
    if not isinstance(first, Dim) or not isinstance(last, Dim):
        raise Undetermined("the borders are not known")
    for end in (first, last):
        if at_most(end, Dim.of(-1)):
            raise Conflicting(wording.misused(call.name, f"a border of {end}"))
    return first, last


def _changed(count: int) -> tuple[Example, ...]:
    named, fixed, flat = images(count)
    sides = (1, 2) if count == 1 else tuple((1, 2) for _ in range(count))
    return (
        *(example(fixed).on(), example(fixed).on(2), example(fixed).on(sides)),
        *(example(named).on(1), example(flat).on(1)),
    )


for _count in (1, 2, 3):

    @keras_layer(
        f"ZeroPadding{_count}D",
        params="padding=1, data_format=None",
        examples=_changed(_count),
    )
    def padded(call: Call) -> Value:
        """Zeros at both ends of each spatial axis."""
        parts = parts_of(call)
        borders = _borders(call, call["padding"], len(parts.spatial))
        together = zip(parts.spatial, borders, strict=True)
        axes = [_longer(axis, first + last) for axis, (first, last) in together]
        return passed_on(call.tensor("inputs"), parts.shape(axes, parts.channels))

    @keras_layer(
        f"Cropping{_count}D",
        params=f"cropping={0 if _count == 2 else 1}, data_format=None",
        examples=_changed(_count),
    )
    def cropped(call: Call) -> Value:
        """So many elements less at both ends of each spatial axis."""
        parts = parts_of(call)
        borders = _borders(call, call["cropping"], len(parts.spatial))
        together = zip(parts.spatial, borders, strict=True)
        axes = [_shorter(call, axis, first + last) for axis, (first, last) in together]
        return passed_on(call.tensor("inputs"), parts.shape(axes, parts.channels))


def _longer(axis: Axis, more: Dim) -> Axis:
    if more == _ZERO:
        return axis
    return Axis(Dim.fresh() if axis.flexible else axis.dim + more)


def _shorter(call: Call, axis: Axis, less: Dim) -> Axis:
    size = call.facts.resolve(axis.dim)
    if not axis.flexible and at_most(size, less):
        raise Conflicting(wording.misused(call.name, f"{less} of an axis of {size}"))
    return _longer(axis, -less)


_IMAGES = (Array("b h w 3"), Array("h w 3"), Array("b 9 7 3"), Array("w 3"))
for _names, _params, _given in (
    (("RandomContrast", "RandomBrightness", "RandomRotation"), "factor", (0.2,)),
    (("RandomTranslation",), "height_factor, width_factor", (0.1, 0.1)),
    (("RandomZoom",), "height_factor, width_factor=None", (0.1,)),
    (("RandomFlip",), "mode='horizontal_and_vertical'", ()),
):

    @keras_layer(
        *_names, params=_params, examples=tuple(example(each).on(*_given) for each in _IMAGES)
    )
    def augmented(call: Call) -> Value:
        """The same size of other images."""
        array = call.tensor("inputs")
        require_rank(call, "inputs", 3, "b h w c")
        if array.shape.rank not in (3, 4):
            raise Undetermined("a batch of images, or one, is not known")
        return passed_on(array)


_RESIZED = (
    *(example(Array("b h w 3")).on(4, 5), example(Array("h w 3")).on(4, 5)),
    *(example(Array("b 9 7 3")).on(4, 4), example(Array("w 3")).on(4, 4)),
)


@keras_layer(
    *("Resizing", "CenterCrop"),
    params="height, width, interpolation='bilinear'",
    examples=_RESIZED,
)
def resized(call: Call) -> Value:
    """Images of that height and width."""
    array = call.tensor("inputs")
    require_rank(call, "inputs", 3, "b h w c")
    if call["settings"]:
        raise Undetermined("the channels may not be last")
    if array.shape.rank not in (3, 4):
        raise Undetermined("a batch of images, or one, is not known")
    lead, channels = array.shape.axes[:-3], array.shape.axes[-1]
    size = (sized(call["height"]), sized(call["width"]))
    return Tensor(Shape((*lead, *size, channels)), ANY)
