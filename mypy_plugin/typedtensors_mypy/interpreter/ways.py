# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a function whichever of a few arrays its parameters are.

Where `x` is an image or a batch of images, `x - x.mean(-1)` has to be right for one of them and
itself; with `x` unsettled, an image and the mean of a batch would have to be wrong too.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping

from typedtensors.dims.quick import dataclass
from typedtensors.ops import Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.findings import Finding
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.run import Run, TooMuchError
from typedtensors_mypy.interpreter.values import Either, either
from typedtensors_mypy.source.modules import AnyFunction
from typedtensors_mypy.source.syntax.walks import binding_counts

_MOST_WAYS = 4


def ways(parameters: Mapping[str, Value]) -> list[dict[str, Value]]:
    """What each parameter is that may be one of a few arrays; nothing if there are many ways."""
    unsettled = {
        name: value.options
        for name, value in parameters.items()
        if isinstance(value, Either)
        and sum(isinstance(option, Tensor) for option in value.options) > 1
    }
    chosen = list(itertools.islice(itertools.product(*unsettled.values()), _MOST_WAYS + 1))
    if not unsettled or len(chosen) > _MOST_WAYS:
        return []
    return [dict(zip(unsettled, options, strict=True)) for options in chosen]


def given_or_not(function: AnyFunction, parameters: Mapping[str, Value]) -> list[dict[str, Value]]:
    """Arrays that may be left out and are then made by the function: all given, none given.

    Behind `if x is None: x = ...` nobody knows which it is, and what the two have in common may be
    little.
    """
    left_out = {
        name: tuple(option for option in value.options if option is not None)
        for name, value in parameters.items()
        if isinstance(value, Either) and None in value.options
    }
    arrays = {
        name: either(options)
        for name, options in left_out.items()
        if all(isinstance(option, Tensor) for option in options)
    }
    counts = binding_counts(function) if arrays else {}
    given = {name: value for name, value in arrays.items() if counts.get(name, 0) > 1}
    return [given, dict.fromkeys(given, None)] if given else []


def tell_of_each(run: Run, frames: Iterator[Frame], go_through: Callable[[Frame], None]) -> None:
    """Tell what is wrong on any of the ways; each frame is prepared for one way."""
    told = len(run.findings)
    try:
        with run.unseen():
            for frame in frames:
                go_through(frame)
    except (TooMuchError, RecursionError):
        run.active.clear()
        del run.findings[told:]
    run.findings[told:] = [each for each in run.findings[told:] if each.code is not None]


def tell_of_all(run: Run, frames: Iterator[Frame], go_through: Callable[[Frame], None]) -> None:
    """Tell what is wrong on every way that comes to it; each frame is prepared for one way."""
    try:
        with run.unseen():
            gone = [_Way.of(run, frame, go_through) for frame in frames]
    except (TooMuchError, RecursionError):
        run.active.clear()
        return
    finally:
        run.trail = None
    for finding in [finding for way in gone for finding in way.told]:
        if finding.code is not None and all(way.agrees(finding) for way in gone):
            run.tell(finding)


@dataclass(frozen=True)
class _Way:
    """What was told on one way, and which statements it came to."""

    told: list[Finding]
    trail: list[ast.stmt]

    @classmethod
    def of(cls, run: Run, frame: Frame, go_through: Callable[[Frame], None]) -> _Way:
        told, run.trail, run.steps = len(run.findings), [], 0
        try:
            go_through(frame)
            return cls(run.findings[told:], run.trail)
        finally:
            del run.findings[told:]

    def agrees(self, finding: Finding) -> bool:
        """Whether the same is wrong here, or this way does not come there."""
        line = finding.place.line
        same = any((each.code, each.place) == (finding.code, finding.place) for each in self.told)
        return same or not any(
            each.lineno <= line <= (each.end_lineno or each.lineno) for each in self.trail
        )
