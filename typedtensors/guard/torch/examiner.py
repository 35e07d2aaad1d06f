# SPDX-License-Identifier: Apache-2.0
"""From one torch call to an event, or to nothing as early as can be."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import Tensor

from typedtensors.guard.outcome import broadcast_of, event_of, sizes_of
from typedtensors.guard.report import GuardEvent
from typedtensors.guard.torch.evidence import context_of
from typedtensors.guard.torch.metrics import compares, metric_frame, place_of_metric
from typedtensors.guard.torch.names import meeting as meeting_by_name
from typedtensors.guard.torch.place import current_place
from typedtensors.guard.torch.table import roles
from typedtensors.shapes.arrays.intended import is_intended
from typedtensors.shapes.broadcast import (
    Context,
    Level,
    Reason,
    fixes,
    hint,
    judge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import FrameType

    from typedtensors.guard.names.meeting import Meeting
    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.torch.names import Look
    from typedtensors.guard.torch.operands import Operands, Role, Sizes
    from typedtensors.guard.torch.place import Place
    from typedtensors.shapes.broadcast import BroadcastEvent

_MANY = 1 << 16
"""Data of ever new lengths must not fill the memory with shapes."""


class Finding(NamedTuple):
    """An event, and whether it is a clash of sizes that torch rejects."""

    event: GuardEvent
    clash: bool


class Examiner:
    """Examines calls of one function at one level."""

    def __init__(self, role: Role, level: Level) -> None:
        self._role = role
        self._level = level
        # The shapes of arguments that nothing could make reportable: those of most calls.
        self._harmless: set[tuple[Any, ...]] = set()

    def examine(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], look: Look | None = None
    ) -> GuardEvent | None:
        """The event that the call is, if it is one to report.

        `look`: what annotations call the axes of a tensor, within a checked call.
        """
        # Most calls end here.
        shapes = tuple([each.shape for each in args if isinstance(each, Tensor)])
        if kwargs:
            shapes += _named_shapes(kwargs)
        if look is not None:
            shapes += _names(args, kwargs, look)
        metric = metric_frame(2)
        if metric is None and shapes in self._harmless:
            return None
        operands = self._role.read(args, kwargs)
        event = None if operands is None else event_of(operands.shapes)
        if metric is not None and operands is not None and event is not None:
            found = self._measured(operands, event, metric)
            if found is not None:
                return found
        meeting = None if operands is None or look is None else meeting_by_name(operands, look)
        if operands is not None and meeting is not None:
            if meeting.clash:
                return self._clash(operands, meeting)
            # Where the shapes are equal, a name that is 1 here has only met a 1.
            event = meeting.event if meeting.settled and event is not None else event
        if operands is None or event is None or not self._may_be_reported(event, operands):
            if self._role.by_shapes:
                self._remember(shapes)
            return None
        place = current_place(self._role, operands)
        return None if place is None else self._judged(operands, event, place)

    def examine_at(
        self, place: Place, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> GuardEvent | None:
        """As `examine`, of a call that is not made now but stands at some place of the program."""
        operands = self._role.read(args, kwargs)
        event = None if operands is None else event_of(operands.shapes)
        if operands is None or event is None or not self._may_be_reported(event, operands):
            return None
        return self._judged(operands, event, place)

    def examine_named(
        self,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        spec: Callable[[Sequence[int | None]], str],
    ) -> Finding | None:
        """As `examine`, of a call whose sizes stand for names: `spec` writes what they are."""
        operands = self._role.read(args, kwargs)
        if operands is None:
            return None
        clash, event = broadcast_of(operands.shapes).shape is None, event_of(operands.shapes)
        if not clash and (event is None or not self._may_be_reported(event, operands)):
            return None
        place = current_place(self._role, operands)
        if place is None:
            return None
        if clash or event is None:
            found: GuardEvent | None = self._told(operands, Reason.NAMES, place)
        else:
            found = self._judged(operands, event, place)
        if found is None:
            return None
        names = tuple(map(spec, found.shapes))
        return Finding(replace(found, names=names, named_result=spec(found.result)), clash)

    def _may_be_reported(self, event: BroadcastEvent, operands: Operands) -> bool:
        """Whether any intent and any dtype at all could make the event reportable."""
        worst = Context(operands.comparison, floating=True, parameter=False)
        return judge(event, worst, self._level) is not None

    def _remember(self, shapes: tuple[Any, ...]) -> None:
        if len(self._harmless) >= _MANY:
            self._harmless.clear()
        self._harmless.add(shapes)

    def _judged(self, operands: Operands, event: BroadcastEvent, place: Place) -> GuardEvent | None:
        site = place.site
        context = context_of(event, operands, site, method=self._role.method)
        reason = None if site.accepted else judge(event, context, self._level)
        if reason is None or not _is_callers(event, reason, place):
            return None
        found = self._told(operands, reason, place)
        written = site if place.written else None
        return replace(found, fix=self._fix(operands, event, context, written))

    def _clash(self, operands: Operands, meeting: Meeting) -> GuardEvent | None:
        """The event that two axes meet which annotations name differently."""
        place = current_place(self._role, operands)
        if place is None or place.library or place.site.accepted or not place.plain:
            return None
        # Sizes that the function itself compares are equal by its word, whatever their names.
        if place.site.compared or all(map(is_intended, operands.tensors)):
            return None
        if broadcast_of(operands.shapes).shape is None:
            # torch says itself that their sizes differ.
            return None
        found = self._told(operands, Reason.NAMES, place)
        return replace(found, names=meeting.texts)

    def _measured(
        self, operands: Operands, event: BroadcastEvent, frame: FrameType
    ) -> GuardEvent | None:
        """The event that a metric compares what differs in shape; its caller gave it that."""
        if not compares(frame, operands):
            return None
        place = place_of_metric(frame)
        if place is None:
            return None
        found = self._judged(replace(operands, comparison=True), event, place)
        # Its caller knows the metric, and not what it is made of.
        return None if found is None else replace(found, op=place.site.called or found.op)

    def _told(self, operands: Operands, reason: Reason, place: Place) -> GuardEvent:
        site, result = place.site, broadcast_of(operands.shapes).shape
        sizes = sizes_of(result) if result is not None else _stretched(operands.shapes)
        return GuardEvent(
            op=self._role.name,
            shapes=operands.shown,
            result=(*sizes[: operands.kept], *operands.result_core),
            reason=reason.value,
            file=site.file,
            line=site.line,
            expression=site.expression,
            module=site.module,
            function=site.function,
            library=place.library,
        )

    def _fix(
        self, operands: Operands, event: BroadcastEvent, context: Context, site: Site | None
    ) -> str | None:
        if operands.partial:
            # An edit of some axes alone would be written for shapes that nobody sees.
            return None
        texts: list[str | None] = [None] * len(operands.places)
        if site is not None:
            texts = site.operands(operands.places, method=self._role.method)
        return hint(fixes(event, context, self._level), texts)


@cache
def examiners(level: Level) -> Mapping[Callable[..., Any], Examiner]:
    """An examiner for each function that can broadcast; kept, so that guards start warm."""
    return {function: Examiner(role, level) for function, role in roles().items()}


def _named_shapes(kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The shapes of the tensors among the arguments by keyword; what is written has no say."""
    tensors = {name: each for name, each in kwargs.items() if isinstance(each, Tensor)}
    return tuple([(name, each.shape) for name, each in tensors.items() if name != "out"])


def _names(args: tuple[Any, ...], kwargs: Mapping[str, Any], look: Look) -> tuple[Any, ...]:
    """The names of axes, of all tensors among the arguments."""
    values = (*args, *kwargs.values()) if kwargs else args
    found = [look(each) for each in values if isinstance(each, Tensor)]
    return tuple([each.names for each in found if each is not None])


def _stretched(shapes: tuple[Sizes, ...]) -> Sizes:
    """What sizes that differ would give if they did not: the first that is not 1, on each axis."""
    columns: Iterable[Sizes] = zip_longest(*map(reversed, shapes), fillvalue=1)
    return tuple(next((size for size in each if size != 1), 1) for each in columns)[::-1]


def _is_callers(event: BroadcastEvent, reason: Reason, place: Place) -> bool:
    """Whether the shapes that a library, or torch's own Python code, was given are at fault.

    What they make of good shapes is their business: `Categorical` of (n, c) logits broadcasts
    (k, n, 1) samples by design.
    """
    if not place.plain and not (event.twins or reason is Reason.LOSS):
        return False
    return not place.library or reason in {Reason.LOSS, Reason.RANK}
