# SPDX-License-Identifier: Apache-2.0
"""Following alternatives: what fails for all of them is a mistake, what fails for some is not."""

from __future__ import annotations

from collections.abc import Callable

from typedtensors.ops import Value
from typedtensors_mypy.findings import Finding
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.state import State, join_states
from typedtensors_mypy.interpreter.values import REPORTED, Either, either


def for_each(frame: Frame, value: Value, follow: Callable[[Value], Value]) -> Value:
    """What following gives for a value, whichever of its alternatives it is.

    An alternative for which following tells of an error is taken to be ruled out by something the
    interpreter does not see, unless that happens to all of them.
    """
    if not isinstance(value, Either):
        return follow(value)
    first_told: list[Finding] | None = None
    values: list[Value] = []
    ends: list[State] = []
    for option in value.options:
        told, seen = len(frame.run.findings), len(frame.run.sightings or ())
        with frame.branch(frame.state.fork()), frame.run.listening() as heard:
            result = follow(option)
            end = frame.state
        if heard:
            new = frame.run.findings[told:]
            first_told = new if first_told is None else first_told
            del frame.run.findings[told:]
            if frame.run.sightings is not None:
                del frame.run.sightings[seen:]
        else:
            values.append(result)
            ends.append(end)
    if not values:
        for finding in first_told or ():
            frame.run.tell(finding)
        return REPORTED
    frame.state.become(join_states(ends))
    return either(values)
