# SPDX-License-Identifier: Apache-2.0
"""Axes made longer at their ends, by a value or by what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops.layers import layer, replace_arguments
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import require_sizes
from typedtensors.ops.steps.signals.images import image, spatial_rank
from typedtensors.ops.steps.signals.windows import per_axis
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part, Tensor


@rule(
    "torch.constant_pad_nd",
    params="input, pad, value=0",
    examples=(example(Array("b n"), (1, 2)), example(Array("*a n"), (0, 1), 1.0)),
)
def pad_constant(call: Call) -> Value:
    """As `pad`, with one value."""
    return pad(replace_arguments(call, {**call.arguments, "mode": "constant"}))


@rule(
    "torch.nn.functional.pad",
    params="input, pad, mode='constant', value=None",
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
    found = _padded(call, array, tuple(given))
    empty = any(at_most(axis.dim, Dim.of(0)) for axis in found.shape.suffix)
    if empty and call["mode"] != "constant":
        raise Undetermined("some modes leave no axis empty")
    return found


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
    return _padded(call, call.tensor("input"), per_axis(call["padding"], 2 * spatial_rank(call)))


def mirrored(call: Call) -> Value:
    """As `padded`, with elements of the array: it has a batch axis or none."""
    array, count = call.tensor("input"), spatial_rank(call)
    image(call, array.shape, count)
    pairs = per_axis(call["padding"], 2 * count)
    _require_less(array, pairs)
    return _padded(call, array, pairs)


for _count in (1, 2, 3):
    _named = " ".join(("b c", *"hwd"[:_count]))
    _fixed = " ".join(("b c", *"987"[:_count]))
    for _kind, _value in (("Zero", ()), ("Constant", (0.0,))):
        layer(
            f"torch.nn.{_kind}Pad{_count}d",
            params="padding, value=None" if _value else "padding",
            examples=(
                example(Array(_named)).on(1, *_value),
                example(Array(_named)).on((1, 2) * _count, *_value),
                example(Array(_named[2:])).on((1, 2) * _count, *_value),
            ),
        )(padded)
    layer(
        *(f"torch.nn.{kind}Pad{_count}d" for kind in ("Reflection", "Replication", "Circular")),
        params="padding",
        examples=(
            example(Array(_named)).on(1),
            example(Array(_fixed)).on((1, 2) * _count),
            example(Array(_fixed[2:])).on((1, 0) * _count),
            example(Array("c")).on(1),
        ),
    )(mirrored)
