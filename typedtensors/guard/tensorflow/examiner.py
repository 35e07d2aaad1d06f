# SPDX-License-Identifier: Apache-2.0
"""From one operation of TensorFlow to an event, or to nothing as early as can be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from typedtensors.guard.outcome import broadcast_of, event_of, sizes_of
from typedtensors.guard.report import GuardEvent
from typedtensors.guard.tensorflow.evidence import context_of
from typedtensors.guard.tensorflow.losses import compared_by
from typedtensors.guard.tensorflow.marks import is_made_by_a_helper
from typedtensors.guard.tensorflow.names.following import meeting_of_all
from typedtensors.guard.tensorflow.operands import UNKNOWN
from typedtensors.guard.tensorflow.places.place import is_whole, places_at
from typedtensors.guard.tensorflow.table import ROLES
from typedtensors.shapes.arrays.intended import is_intended
from typedtensors.shapes.broadcast import (
    TENSORFLOW,
    Context,
    Level,
    Reason,
    fixes,
    hint,
    judge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typedtensors.guard.names.meeting import Meeting
    from typedtensors.guard.names.naming import OpenCall
    from typedtensors.guard.report import Sizes
    from typedtensors.guard.tensorflow.operands import Operands
    from typedtensors.guard.tensorflow.places.place import Path, Place
    from typedtensors.guard.tensorflow.table import Role
    from typedtensors.shapes.broadcast import BroadcastEvent

_MANY = 1 << 16
"""Data of ever new lengths must not fill the memory with shapes."""


@dataclass(frozen=True)
class Operation:
    """One operation, made eagerly or in a graph.

    `shapes` are those of the inputs. `path` finds the way from it to the program. `meeting` is what
    annotations say of the axes of the inputs, within a checked call.
    """

    inputs: Sequence[Any]
    shapes: tuple[Sizes, ...]
    attributes: Sequence[Any]
    output: Any
    path: Callable[[], Path | None]
    meeting: Meeting | None = None


class Doubt(Enum):
    """Where inputs of some shapes could be something to report, whatever else is known of them."""

    NONE = "nowhere, as those of most operations"
    IN_A_LOSS = "where a loss of Keras compares them"
    ANYWHERE = "anywhere"


class Examiner:
    """Examines operations of one type at one level."""

    def __init__(self, role: Role, level: Level) -> None:
        self._role = role
        self._level = level
        self._doubts: dict[tuple[Sizes, ...], Doubt] = {}

    @property
    def name(self) -> str:
        """What the operations are called."""
        return self._role.name

    def doubt(self, shapes: tuple[Sizes, ...]) -> Doubt:
        """Whether an operation on inputs of these shapes can be one to report."""
        known = self._doubts.get(shapes)
        if known is None:
            if len(self._doubts) >= _MANY:
                self._doubts.clear()
            known = self._doubts[shapes] = self._weigh(shapes)
        return known

    def _weigh(self, shapes: tuple[Sizes, ...]) -> Doubt:
        operands = self._role.read((), shapes, {})
        event = None if operands is None else event_of(operands.rows)
        if operands is None:
            return Doubt.NONE
        if event is None:
            # A loss may know more of what it was given than that a size is not known.
            unknown = any(None in shape for shape in operands.shapes)
            return Doubt.IN_A_LOSS if unknown else Doubt.NONE
        if self._may_be_reported(event, comparison=operands.comparison):
            return Doubt.ANYWHERE
        compared = self._may_be_reported(event, comparison=True)
        return Doubt.IN_A_LOSS if compared else Doubt.NONE

    def examine(self, operation: Operation) -> GuardEvent | None:
        """The event that the operation is, if it is one to report."""
        path = operation.path()
        attributes = dict(zip(operation.attributes[::2], operation.attributes[1::2], strict=False))
        operands = self._role.read(operation.inputs, operation.shapes, attributes)
        if path is None or operands is None:
            return None
        meeting = operation.meeting
        if meeting is not None and meeting.clash:
            return self._clash(path, operation, operands, meeting)
        if path.compared is not None:
            return self._compared(path, operation, operands)
        event = event_of(operands.rows)
        # Where the shapes are equal, a name that is 1 here has only met a 1.
        if event is not None and meeting is not None and meeting.settled:
            event = meeting.event
        if event is None or not is_whole(path, self._role):
            return None
        places = places_at(path, self._role, operation.output)
        return _agreed([self._judged(operands, event, place) for place in places])

    def meeting(
        self, inputs: Sequence[Any], shapes: tuple[Sizes, ...], call: OpenCall
    ) -> Meeting | None:
        """What is known by name of how the inputs meet; None if that is nothing."""
        operands = self._role.read(inputs, shapes, {})
        return None if operands is None or operands.cores else meeting_of_all(inputs, call)

    def _clash(
        self, path: Path, operation: Operation, operands: Operands, meeting: Meeting
    ) -> GuardEvent | None:
        """The event that two axes meet which annotations name differently."""
        compared = None if path.compared is None else compared_by(path, operands)
        if path.compared is None and not is_whole(path, self._role):
            return None
        name = self._role.name if compared is None else compared[0]
        places = places_at(path, self._role, operation.output)
        return _agreed(
            [self._named(operands, meeting, replace(each, name=name)) for each in places]
        )

    def _named(self, operands: Operands, meeting: Meeting, place: Place) -> GuardEvent | None:
        site = place.site
        # Sizes that the function itself compares are equal by its word, whatever their names.
        if place.library or site.accepted or site.compared:
            return None
        if all(is_intended(each) or is_made_by_a_helper(each) for each in operands.tensors):
            return None
        return replace(self._told(operands, Reason.NAMES, place), names=meeting.texts)

    def _compared(self, path: Path, operation: Operation, operands: Operands) -> GuardEvent | None:
        """The event that a loss or metric of Keras was given operands of different shapes."""
        found = compared_by(path, operands)
        event = None if found is None else event_of(found[1].rows)
        if found is None or event is None:
            return None
        name, compared = found
        places = [
            replace(place, name=name, written=place.site.called == name)
            for place in places_at(path, self._role, operation.output)
        ]
        return _agreed([self._judged(compared, event, place) for place in places])

    def _may_be_reported(self, event: BroadcastEvent, *, comparison: bool) -> bool:
        """Whether any intent and any dtype at all could make the event reportable."""
        worst = Context(comparison, floating=True, parameter=False)
        return judge(event, worst, self._level) is not None

    def _judged(self, operands: Operands, event: BroadcastEvent, place: Place) -> GuardEvent | None:
        site = place.site
        context = context_of(event, operands, site)
        reason = None if site.accepted else judge(event, context, self._level)
        # What a library makes of good shapes is its business.
        if reason is None or (place.library and reason not in {Reason.LOSS, Reason.RANK}):
            return None
        found = self._told(operands, reason, place)
        return replace(found, fix=self._fix(operands, event, context, place))

    def _told(self, operands: Operands, reason: Reason, place: Place) -> GuardEvent:
        site, result = place.site, sizes_of(broadcast_of(operands.rows).shape)
        return GuardEvent(
            op=place.name,
            shapes=operands.shown,
            result=(*result, *operands.result_core),
            reason=reason.value,
            file=site.file,
            line=site.line,
            expression=site.expression,
            module=site.module,
            function=site.function,
            library=place.library,
        )

    def _fix(
        self, operands: Operands, event: BroadcastEvent, context: Context, place: Place
    ) -> str | None:
        if operands.cores:
            # An edit of some axes alone would be written for shapes that nobody sees.
            return None
        places = range(len(operands.shapes))
        texts: list[str | None] = [None] * len(operands.shapes)
        if place.written:
            texts = place.site.operands(places, method=False)
        return hint(fixes(_supposed(event, operands), context, self._level), texts, TENSORFLOW)


def _supposed(event: BroadcastEvent, operands: Operands) -> BroadcastEvent:
    """The event if all sizes that are not known are one, as that of a batch: what is then to mend.

    Else nothing but a table of two batches could be meant.
    """
    rows = [[UNKNOWN if size is None else size for size in shape] for shape in operands.shapes]
    return event_of(tuple(map(tuple, rows))) or event


def _agreed(events: Sequence[GuardEvent | None]) -> GuardEvent | None:
    """The event, if each expression that the operation may be in is one to report."""
    found = [event for event in events if event is not None]
    if not found or len(found) < len(events):
        return None
    if len(found) == 1:
        return found[0]
    texts = dict.fromkeys(event.expression for event in found)
    return replace(found[0], expression=" or ".join(filter(None, texts)), fix=None)


@cache
def examiners(level: Level) -> Mapping[str | bytes, Examiner]:
    """An examiner for each type of operation that broadcasts; kept, so that guards start warm."""
    known: dict[str | bytes, Examiner] = {}
    for name, role in ROLES.items():
        # Where arguments have to be converted first, TensorFlow names the type in bytes.
        known[name] = known[name.encode()] = Examiner(role, level)
    return known
