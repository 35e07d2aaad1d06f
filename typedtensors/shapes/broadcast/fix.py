# SPDX-License-Identifier: Apache-2.0
"""`fixes`: edits of one operand after which the broadcast is no longer reported."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.shapes.axis import Axis, Intent
from typedtensors.shapes.broadcast.arithmetic import broadcast
from typedtensors.shapes.broadcast.event import Kind, classify
from typedtensors.shapes.broadcast.policy import judge
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typedtensors.shapes.broadcast.event import BroadcastEvent
    from typedtensors.shapes.broadcast.policy import Context, Level

_MANY_AXES = 6
"""Beyond this rank the ways to place an operand are not worth a reader's time."""


@dataclass(frozen=True)
class Edit:
    """One change of one operand: what to write after it, and the shape that gives.

    `inserts`: the edit adds axes of size 1. `outer`: both operands still grow, written out now.
    """

    operand: int
    suffix: str
    shape: Shape
    inserts: bool = False
    outer: bool = False

    def written(self, text: str | None) -> str:
        """The edited operand, given its source text: `pred.squeeze(-1)`."""
        if text is None:
            edited = f"`{self.suffix}` on operand {self.operand + 1}"
        else:
            edited = f"`{_enclosed(text)}{self.suffix}`"
        return f"{edited} if the outer product is meant" if self.outer else edited


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
    return [edit for rank, edit in ranked.values() if rank == best]


def hint(edits: Sequence[Edit], texts: Sequence[str | None]) -> str | None:
    """The edits in words, given the operands' source texts; None if there are none."""
    written = [edit.written(texts[edit.operand]) for edit in edits]
    return " or ".join(dict.fromkeys(written)) or None


_EQUAL, _ONE_SIDED, _OUTER = range(3)


def _rank(event: BroadcastEvent, edit: Edit, context: Context, level: Level) -> int | None:
    """How good the edit is, or None if it cures nothing."""
    shapes = [edit.shape if k == edit.operand else own for k, own in enumerate(event.shapes)]
    outcome = broadcast(shapes)
    if outcome.shape is None or not outcome.decided:
        return None
    remaining = classify(outcome)
    if remaining is None:
        return _EQUAL
    after = replace(context, inserted=context.inserted or edit.inserts)
    if remaining.kind is Kind.SCALAR or judge(remaining, after, level) is not None:
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
                yield Edit(operand, f".squeeze({_axis(at, len(axes))})", shorter)
        yield from _insertions(operand, axes, event)
        if event.twins and len(axes) > 1 and (axes[-1].is_one or axes[-2].is_one):
            yield Edit(operand, ".mT", Shape((*axes[:-2], axes[-1], axes[-2])))


def _insertions(operand: int, axes: tuple[Axis, ...], event: BroadcastEvent) -> Iterator[Edit]:
    """Every way to give the operand the result's rank by axes of size 1."""
    rank = event.result.rank
    if rank is None or not len(axes) < rank <= _MANY_AXES:
        return
    for places in combinations(range(rank), len(axes)):
        wide = [Axis(Dim.of(1), intent=Intent.UNSQUEEZE)] * rank
        for place, axis in zip(places, axes, strict=True):
            wide[place] = axis
        yield Edit(operand, _insertion(places, rank), Shape(tuple(wide)), inserts=True)


def _insertion(places: Sequence[int], rank: int) -> str:
    """`.unsqueeze(-1)` for one new axis, `[:, None, None]` for more."""
    new = [at for at in range(rank) if at not in places]
    if len(new) == 1:
        return f".unsqueeze({_axis(new[0], rank)})"
    return f"[{', '.join('None' if at in new else ':' for at in range(rank))}]"


def _axis(at: int, rank: int) -> int:
    """The axis as people write it: the last one is -1."""
    return -1 if at == rank - 1 and rank > 1 else at


def _enclosed(text: str) -> str:
    """The text, in parentheses unless a method can be called on it as it stands."""
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return f"({text})"
    plain = isinstance(body, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return text if plain else f"({text})"
