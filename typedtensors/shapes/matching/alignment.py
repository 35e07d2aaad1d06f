# SPDX-License-Identifier: Apache-2.0
"""Which axis of a spec meets which axis of a shape, before any size is compared."""

from __future__ import annotations

from collections.abc import Iterator

from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis
from typedtensors.shapes.matching.mismatch import RankMismatch
from typedtensors.shapes.shape import Shape
from typedtensors.shapes.specs.spec import Spec, SpecAxis


@dataclass(frozen=True)
class Argument:
    """A value and the spec it has to match; `name` tells arguments apart in messages."""

    name: str
    spec: Spec
    shape: Shape


@dataclass(frozen=True)
class AxisPair:
    """An axis that a spec asks for, and the axis at Python's `shape[index]`."""

    argument: Argument
    index: int
    wanted: SpecAxis
    given: Axis


@dataclass(frozen=True)
class RunPair:
    """A variadic of a spec, and the axes from `start` on that it covers."""

    argument: Argument
    start: int
    wanted: SpecAxis
    given: Shape


Pair = AxisPair | RunPair


def align(argument: Argument) -> list[Pair] | RankMismatch:
    """The pairs that an argument shows for certain; none where its ranks leave it open.

    Axes from the left meet the spec's from the left, those from the right from the right.
    """
    spec, shape = argument.spec, argument.shape
    if not _ranks_agree(spec, shape):
        expected = Shape(spec.shape().axes)
        return RankMismatch(argument.name, expected, shape)
    before, after = len(spec.prefix), len(spec.suffix)
    left, right = min(before, len(shape.prefix)), min(after, len(shape.suffix))
    if spec.variadic is None and shape.rank is not None:
        return list(_from_left(argument, left))
    pairs: list[Pair] = [*_from_left(argument, left), *_from_right(argument, right)]
    if spec.variadic is not None and (left, right) == (before, after):
        covered = Shape(shape.axes[left : len(shape.axes) - right])
        pairs.append(RunPair(argument, left, spec.axes[spec.variadic], covered))
    return pairs


def _ranks_agree(spec: Spec, shape: Shape) -> bool:
    if spec.variadic is None and shape.least_rank > spec.least_rank:
        return False
    return shape.rank is None or shape.rank >= spec.least_rank


def _from_left(argument: Argument, count: int) -> Iterator[AxisPair]:
    for index in range(count):
        yield AxisPair(argument, index, argument.spec.prefix[index], argument.shape.prefix[index])


def _from_right(argument: Argument, count: int) -> Iterator[AxisPair]:
    rank = argument.shape.rank or 0
    for index in range(-count, 0):
        wanted, given = argument.spec.suffix[index], argument.shape.suffix[index]
        yield AxisPair(argument, index + rank, wanted, given)
