# SPDX-License-Identifier: Apache-2.0
"""`fixes`: edits of one operand after which the broadcast is no longer reported."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis, Intent
from typedtensors.shapes.broadcast.arithmetic import broadcast
from typedtensors.shapes.broadcast.event import Kind, classify
from typedtensors.shapes.broadcast.policy import Level, judge
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.shapes.broadcast.event import BroadcastEvent
    from typedtensors.shapes.broadcast.policy import Context

_MANY_AXES = 6
"""Beyond this rank the ways to place an operand are not worth a reader's time."""


class Change(Enum):
    """What an edit does to the axes of size 1."""

    SQUEEZE = "squeeze"
    INSERT = "insert"
    SWAP = "swap the last two"
    EXPAND = "expand to another operand's shape"


@dataclass(frozen=True)
class Edit:
    """One change of one operand, and the shape that gives.

    `axes` are the axes of size 1 that go or come, counted in the longer of the two shapes. `home`:
    the axes to which an insertion assigns the operand, where there is a choice. `outer`: both
    operands still grow, but now it is written out. `like`: the operand whose shape this one takes.
    """

    operand: int
    change: Change
    axes: tuple[int, ...]
    before: Shape
    shape: Shape
    home: tuple[int, ...] = ()
    outer: bool = False
    like: int | None = None

    @property
    def rank(self) -> int:
        """The longer of the two ranks."""
        return max(len(self.before.axes), len(self.shape.axes))


def fixes(event: BroadcastEvent, context: Context, level: Level) -> list[Edit]:
    """The edits, best first, after which `judge` has nothing to say about the event.

    Best is what leaves no broadcast at all, then what leaves a one-sided one. Each candidate is
    broadcast, classified and judged again before it is offered.
    """
    ranked: dict[tuple[int, Shape], tuple[int, Edit]] = {}
    for edit in _candidates(event):
        rank = _rank(event, edit, context, level)
        if rank is not None:
            final = replace(edit, outer=rank == _OUTER)
            ranked.setdefault((edit.operand, edit.shape), (rank, final))
    best = min((rank for rank, _ in ranked.values()), default=None)
    found = [edit for rank, edit in ranked.values() if rank == best]
    return found or list(_expansions(event, context))


_EQUAL, _ONE_SIDED, _OUTER = range(3)


def _rank(event: BroadcastEvent, edit: Edit, context: Context, level: Level) -> int | None:
    """How good the edit is, or None if it cures nothing."""
    shapes = [edit.shape if k == edit.operand else own for k, own in enumerate(event.shapes)]
    outcome = broadcast(shapes, event.facts)
    if outcome.shape is None or not outcome.decided:
        return None
    remaining = classify(outcome)
    if not edit.shape.axes:
        # To compare with one number is another program.
        return None
    if remaining is None or remaining.kind is Kind.SCALAR:
        return _EQUAL
    after = replace(context, inserted=context.inserted or edit.change is Change.INSERT)
    if judge(remaining, after, level) is not None:
        return None
    if not remaining.mutual:
        return _ONE_SIDED
    return None if event.twins else _OUTER


def _candidates(event: BroadcastEvent) -> Iterator[Edit]:
    for operand, shape in enumerate(event.shapes):
        axes = shape.fixed
        if not axes or (event.ambiguous and operand not in event.expanded):
            continue
        for at in reversed(range(len(axes))):
            if axes[at].is_one:
                shorter = Shape(axes[:at] + axes[at + 1 :])
                yield Edit(operand, Change.SQUEEZE, (at,), shape, shorter)
        yield from _insertions(operand, shape, axes, event)
        if event.twins and event.kind is Kind.MUTUAL_EXPLICIT and len(axes) > 1:
            swapped = Shape((*axes[:-2], axes[-1], axes[-2]))
            yield Edit(operand, Change.SWAP, (), shape, swapped)


def _insertions(
    operand: int, shape: Shape, axes: tuple[Axis, ...], event: BroadcastEvent
) -> Iterator[Edit]:
    """Every way to give the operand the result's rank by axes of size 1."""
    rank = event.result.rank
    if rank is None or not len(axes) < rank <= _MANY_AXES:
        return
    for places in combinations(range(rank), len(axes)):
        wide = [Axis(Dim.of(1), intent=Intent.UNSQUEEZE)] * rank
        for place, axis in zip(places, axes, strict=True):
            wide[place] = axis
        new = tuple(at for at in range(rank) if at not in places)
        real = [at for at, axis in zip(places, axes, strict=True) if not axis.is_one]
        home = tuple(real) if event.ambiguous else ()
        yield Edit(operand, Change.INSERT, new, shape, Shape(tuple(wide)), home)


def _expansions(event: BroadcastEvent, context: Context) -> Iterator[Edit]:
    """What to write where every broadcast is written out, and this one is no mistake."""
    if judge(event, context, Level.SUSPICIOUS) is not None or len(event.expanded) != 1:
        return
    operand = event.expanded[0]
    full = [k for k, shape in enumerate(event.shapes) if shape == event.result]
    if full:
        before = event.shapes[operand]
        yield Edit(operand, Change.EXPAND, (), before, event.result, like=full[0])
