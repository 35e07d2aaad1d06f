# SPDX-License-Identifier: Apache-2.0
"""Following alternatives: what fails for all of them is a mistake, what fails for some is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from typedtensors.ops import Value
from typedtensors_mypy.findings import Finding
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.state import State, join_states
from typedtensors_mypy.interpreter.values import REPORTED, Either, either

T = TypeVar("T")


def for_each(frame: Frame, value: Value, follow: Callable[[Value], Value]) -> Value:
    """What following gives for a value, whichever of its alternatives it is.

    An alternative for which following tells of an error is taken to be ruled out by something the
    interpreter does not see, unless that happens to all of them.
    """
    if not isinstance(value, Either):
        return follow(value)
    taken, failed = _go(frame, [partial(follow, option) for option in value.options])
    if not taken:
        for finding in failed[0].told:
            frame.run.tell(finding)
        return REPORTED
    frame.run.doubts += len(failed)
    frame.state.become(join_states([way.end for way in taken]))
    return either(way.result for way in taken)


def either_way(frame: Frame, ways: Sequence[Callable[[], T]]) -> list[T]:
    """Go each way from here, as by the branches of a test; what holds after any of them is left.

    Inside a call that is followed, a way on which an error is told is taken to be ruled out, unless
    that happens on all of them: the caller may know what the test says.
    """
    taken = [] if frame.called_at is None else _go(frame, ways)[0]
    taken = taken or [_Way(frame, way) for way in ways]
    frame.state.become(join_states([way.end for way in taken]))
    return [way.result for way in taken]


class _Way:
    """What going one way gave, where it ended, and what it told."""

    def __init__(self, frame: Frame, way: Callable[[], Any]) -> None:
        self.told: list[Finding] = []
        with frame.branch(frame.state.fork()):
            self.result = way()
            self.end: State = frame.state


def _go(frame: Frame, ways: Sequence[Callable[[], Any]]) -> tuple[list[_Way], list[_Way]]:
    """The ways on which nothing was told, and the others, of which nothing is left."""
    taken, failed = [], []
    for each in ways:
        marks = Marks(frame)
        with frame.run.listening() as heard:
            way = _Way(frame, each)
        if heard:
            way.told = frame.run.findings[marks.findings :]
            marks.undo()
            failed.append(way)
        else:
            taken.append(way)
    return taken, failed


class Marks:
    """How much a frame had told and returned before something that may have to be forgotten."""

    def __init__(self, frame: Frame) -> None:
        run = frame.run
        self.findings = len(run.findings)
        kept: list[list[Any]] = [run.findings, run.heard, frame.outcomes, frame.yields, frame.exits]
        if run.sightings is not None:
            kept.append(run.sightings)
        self._kept = kept
        self._lengths = [*map(len, kept)]

    def undo(self) -> None:
        """Forget what was told and returned since."""
        for kept, length in zip(self._kept, self._lengths, strict=True):
            del kept[length:]
