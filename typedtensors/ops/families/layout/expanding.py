# SPDX-License-Identifier: Apache-2.0
"""The same elements more than once: expand, repeat, tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import is_hole, require_sizes, shape_of, sizes
from typedtensors.shapes import Axis, Shape, Tensor, Variadic
from typedtensors.shapes.broadcast import broadcast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.diagnostics import Diagnostic
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_B, _N, _K = map(Dim.name, "bnk")


@rule(
    "torch.Tensor.expand",
    "torch.expand_copy",
    "torch.broadcast_to",
    "torch.Tensor.broadcast_to",
    "numpy.broadcast_to",
    params="input, *sizes, size=None, shape=None, implicit=False, subok=False",
    examples=(
        example(Array("b 1"), (_B, _N)),
        example(Array("n"), (_B, _N)),
        example(Array("b 1"), (_K, _B, 4)),
        example(Array("b n"), (_B, _N, 4)),
        example(Array("b n"), (_N,)),
        example(Array(""), (_N,)),
    ),
)
def expand(call: Call) -> Value:
    """The given sizes, to which the array's own ones stretch; -1 keeps one."""
    array = call.tensor("input")
    wanted = sizes(call, "sizes", "size", "shape")
    if any(isinstance(part, Variadic) for part in wanted):
        return array.with_shape(shape_of(wanted))
    axes = [part for part in wanted if isinstance(part, Axis)]
    return array.with_shape(Shape(expanded(call, array.shape, axes)))


def expanded(call: Call, source: Shape, wanted: Sequence[Axis]) -> tuple[Axis, ...]:
    """The sizes to which the shape stretches. Raises Conflicting if it cannot."""
    if source.least_rank > len(wanted):
        raise Conflicting(_misfit(call, source, wanted))
    result = list(wanted)
    for index in range(-len(wanted), 0):
        own = source.axis(index)
        if own is not None:
            result[index] = _stretched(call, own, wanted[index], _misfit(call, source, wanted))
        elif is_hole(wanted[index]):
            if source.rank is not None:
                raise Conflicting(wording.misused(call.name, "-1 stands for an axis that is new"))
            result[index] = Axis(Dim.fresh())
    return tuple(result)


def _stretched(call: Call, own: Axis, wanted: Axis, complaint: Diagnostic) -> Axis:
    if is_hole(wanted):
        return own
    if call.facts.resolve(own.dim).value == 1:
        return wanted
    verdict = call.facts.compare(own.dim, wanted.dim)
    if verdict is Verdict.DIFFERENT and not own.flexible:
        raise Conflicting(complaint)
    if verdict is Verdict.UNDECIDED and own.dim.declared and wanted.dim.declared:
        raise Undetermined("the sizes may not agree")
    return wanted


def _misfit(call: Call, source: Shape, wanted: Sequence[Axis]) -> Diagnostic:
    target = Shape(tuple(wanted))
    return wording.sizes_misused(call.name, f"{source} does not expand to {target}")


@rule(
    "torch.Tensor.expand_as",
    params="input, other",
    examples=(
        example(Array("b 1"), Array("b n")),
        example(Array("n"), Array("b n")),
        example(Array("b n"), Array("n")),
        example(Array("b n"), Array("n b")),
        example(Array("*batch 1"), Array("*batch n")),
    ),
)
def expand_as(call: Call) -> Value:
    """The other's shape."""
    array, other = call.tensor("input"), call.tensor("other")
    if other.shape.fixed is not None:
        return array.with_shape(Shape(expanded(call, array.shape, other.shape.fixed)))
    return array.with_shape(other.shape)


@rule(
    "torch.broadcast_tensors",
    params="*arrays",
    examples=(
        example(Array("b 1"), Array("n")),
        example(Array("b n"), Array("b n")),
        example(Array("b n"), Array("n b")),
    ),
)
def broadcast_tensors(call: Call) -> Value:
    """Every array in the shape that all of them have together."""
    given = call["arrays"]
    arrays = given if isinstance(given, tuple) else ()
    tensors = [array for array in arrays if isinstance(array, Tensor)]
    if len(tensors) < len(arrays) or not tensors:
        raise Undetermined("the arrays are not known")
    outcome = broadcast([array.shape for array in tensors], call.facts)
    if outcome.shape is None:
        texts = " and ".join(str(array.shape) for array in tensors)
        raise Conflicting(wording.sizes_misused(call.name, f"{texts} do not broadcast"))
    call.facts = outcome.facts
    return tuple(array.with_shape(outcome.shape) for array in tensors)


@rule(
    "torch.Tensor.repeat",
    params="input, *repeats",
    examples=(
        example(Array("b n"), 2, 3),
        example(Array("b n"), (1, _K)),
        example(Array("n"), _B, 1),
        example(Array("b n"), 2),
    ),
)
def repeat(call: Call) -> Value:
    """Each axis as often as its number says; more numbers make new axes in front."""
    array, given = call.tensor("input"), sizes(call, "repeats")
    if array.shape.least_rank > len(given):
        problem = f"{len(given)} numbers of repeats for {array.shape}"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return array.with_shape(repeated(call, array.shape, given))


@rule(
    "torch.tile",
    "torch.Tensor.tile",
    params="input, *dims",
    examples=(
        example(Array("b n"), (2, 3)),
        example(Array("n"), (_B, 1)),
        example(Array("b n"), (2,)),
    ),
)
def tile(call: Call) -> Value:
    """As repeat, but fewer numbers than axes are for the last ones."""
    array = call.tensor("input")
    return array.with_shape(repeated(call, array.shape, sizes(call, "dims")))


@rule(
    "numpy.tile",
    params="A, reps",
    examples=(example(Array("b n"), (2, 3)), example(Array("b n"), 2)),
)
def tile_numpy(call: Call) -> Value:
    """As repeat, but fewer numbers than axes are for the last ones."""
    array = call.tensor("A")
    return array.with_shape(repeated(call, array.shape, sizes(call, "reps")))


def repeated(call: Call, shape: Shape, repeats: tuple[Part, ...]) -> Shape:
    """The shape with each axis as often as its number says."""
    require_sizes(call, repeats)
    axes = shape.fixed
    if axes is None or any(isinstance(part, Variadic) for part in repeats):
        raise Undetermined("the rank is not known")
    rank = max(len(axes), len(repeats))
    one = Axis(Dim.of(1))
    own = (*[one] * (rank - len(axes)), *axes)
    times = (*[one] * (rank - len(repeats)), *repeats)
    return Shape(tuple(_multiple(axis, by) for axis, by in zip(own, times, strict=True)))


def _multiple(axis: Axis, by: Part) -> Axis:
    if not isinstance(by, Axis) or by.is_one:
        return axis
    if axis.flexible:
        return Axis(Dim.fresh())
    return Axis(axis.dim * by.dim, merged=() if axis.is_one else (by.dim, *_sizes(axis)))


def _sizes(axis: Axis) -> tuple[Dim, ...]:
    return axis.merged or (axis.dim,)


@rule(
    *torch_names("repeat_interleave"),
    params="input, repeats, dim=None, *, output_size=None",
    examples=(
        example(Array("b n"), 2, 1),
        example(Array("b n"), 3, dim=0),
        example(Array("b n"), 2),
        example(Array("b n"), Array("n", "Int64"), 1),
    ),
)
def repeat_interleave(call: Call) -> Value:
    """One axis with each element repeated; all elements if no axis is named."""
    return interleaved(call, call["repeats"], call["dim"])


@rule(
    "numpy.repeat",
    "numpy.ndarray.repeat",
    params="input, repeats, axis=None",
    examples=(example(Array("b n"), 2, 1), example(Array("b n"), 2)),
)
def repeat_numpy(call: Call) -> Value:
    """One axis with each element repeated; all elements if no axis is named."""
    return interleaved(call, call["repeats"], call["axis"])


def interleaved(call: Call, repeats: Value, dim: Value) -> Tensor:
    """The input with each element of one axis, or each of all, as often as `repeats` says."""
    array = call.tensor("input")
    require_sizes(call, (Axis(repeats),) if isinstance(repeats, Dim) else ())
    if dim is None:
        count = array.shape.count
        flat = Axis(Dim.fresh() if count is None else count)
        return array.with_shape(Shape((_times(flat, repeats),)))
    at = position(call, array.shape, dim)
    axis = array.shape.axes[at]
    repeated = _times(axis, repeats) if isinstance(axis, Axis) else Axis(Dim.fresh())
    return array.with_shape(array.shape.replace(at, repeated))


def _times(axis: Axis, repeats: Value) -> Axis:
    if isinstance(repeats, Dim) and not axis.flexible:
        merged = () if axis.is_one else (*_sizes(axis), repeats)
        return Axis(axis.dim * repeats, merged=merged)
    return Axis(Dim.fresh())
