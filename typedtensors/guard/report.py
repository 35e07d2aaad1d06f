# SPDX-License-Identifier: Apache-2.0
"""What a guard saw: events, the report that collects them, the error and the warning."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from typedtensors.diagnostics import Diagnostic, TensorError, wording
from typedtensors.guard.sizes import EqualSizes, SizesSeen

if TYPE_CHECKING:
    from collections.abc import Mapping

_Key: TypeAlias = tuple[object, ...]
Sizes: TypeAlias = tuple[int | None, ...]
"""A shape; None is a size that is not known where a graph is made."""


@dataclass(frozen=True)
class GuardEvent:
    """One broadcast at one place of the source, with the sizes it had.

    `op` is the framework's name of the operation, `shapes` the operands' shapes and `result` what
    they broadcast to. `reason` is one of the reasons of `typedtensors.shapes.broadcast`. `file` and
    `line` are the first frame outside the framework, `expression` is its source text, `module` the
    name of its module and `function` the dotted name of its function. `fix` is what to write
    instead, if that is known. `library`: the place is in an installed package. `names` are the
    operands' shapes as annotations write them, where that is the reason or all that is known, and
    `named_result` is the result's.
    """

    op: str
    shapes: tuple[Sizes, ...]
    result: Sizes
    reason: str
    file: str
    line: int
    expression: str | None = None
    module: str = ""
    function: str = ""
    fix: str | None = None
    library: bool = False
    names: tuple[str, ...] = ()
    named_result: str = ""

    @property
    def diagnostic(self) -> Diagnostic:
        """The event in the words that mypy and pytest use too."""
        return wording.broadcasts(
            self.expression or self.op,
            self.names or tuple(_spec(shape) for shape in self.shapes),
            self.named_result or _spec(self.result),
            self.reason,
            hint=self.fix,
        )

    def __str__(self) -> str:
        found = self.diagnostic
        return f"{self.file}:{self.line}: {found.text}  [{found.code}]"


@dataclass
class Report:
    """The events of a guarded run, one for each place and its sizes, in the order they came in."""

    events: list[GuardEvent] = field(default_factory=list)
    # Plain to begin with: a report is made inside of functions that torch.compile traces too.
    _times: dict[_Key, int] = field(default_factory=dict, repr=False)
    _places: set[_Key] = field(default_factory=set, repr=False)
    _sizes: SizesSeen | None = field(default=None, repr=False)

    def add(self, event: GuardEvent) -> bool:
        """Note an occurrence; True if it is the first one at this place, whatever its sizes."""
        key, place = _key(event), _place(event)
        if key not in self._times:
            self.events.append(event)
        self._times[key] = self._times.get(key, 0) + 1
        first = place not in self._places
        self._places.add(place)
        return first

    def times(self, event: GuardEvent) -> int:
        """How often the place had these sizes."""
        return self._times.get(_key(event), 0)

    def note_sizes(self, function: str, sizes: Mapping[str, int]) -> None:
        """Note what a checked function was called with."""
        if self._sizes is None:
            self._sizes = SizesSeen()
        self._sizes.note(function, sizes)

    @property
    def equal_sizes(self) -> tuple[EqualSizes, ...]:
        """The dims of checked functions that had equal sizes in every call."""
        return tuple(self._sizes or ())

    def as_json(self) -> dict[str, object]:
        """The events and the equal sizes, as lists and dicts that JSON can hold."""
        events = [asdict(event) | {"times": self.times(event)} for event in self.events]
        return {"events": events, "equal_sizes": [asdict(each) for each in self.equal_sizes]}

    def __str__(self) -> str:
        events = [*map(str, self.events)] or ["no suspicious broadcast"]
        return "\n".join([*events, *map(str, self.equal_sizes)])


class BroadcastError(TensorError, ValueError):
    """A broadcast that the guard's level forbids; raised before the operation runs.

    Not a RuntimeError: programs catch those to survive a lack of memory. TensorFlow tells of an
    operation when it has run.
    """

    def __init__(self, event: GuardEvent) -> None:
        if hasattr(self, "event"):
            return  # it has been made before
        super().__init__(event.diagnostic)
        self.event = event

    def __str__(self) -> str:
        return str(self.event)

    def __reduce__(self) -> tuple[type[BroadcastError], tuple[GuardEvent]]:
        """Pickle by event, so that the error survives a worker process."""
        return type(self), (self.event,)


class BroadcastWarning(UserWarning):
    """As `BroadcastError`, where the guard warns; once per place."""


class DryRunError(TensorError, RuntimeError):
    """A dry run that cannot be made: of a missing annotation, or of code that needs data."""


# Users meet the public names in tracebacks.
BroadcastError.__module__ = DryRunError.__module__ = "typedtensors"


def _place(event: GuardEvent) -> _Key:
    return event.file, event.line, event.op, event.expression


def _key(event: GuardEvent) -> _Key:
    return (*_place(event), event.shapes)


def _spec(shape: Sizes) -> str:
    return " ".join(map(str, shape))
