# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check --coverage`: how much is known, and why the rest is not."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from typedtensors.cli.mypy_run import Outcome
from typedtensors.cli.terminal import Style, is_interactive, paint

_TOTAL = "total"
_MOST_REASONS = 3
_ALL = 100


@dataclass(frozen=True)
class Coverage:
    """How much is known in a file, or in all of them.

    Args:
        specs: How many shape annotations are read.
        written: How many there are.
        known: How many expressions and parameters are arrays of a known shape.
        unknown: How many are arrays of unknown shape, or may be.
        reasons: How often something was lost, by the reason.
    """

    specs: int = 0
    written: int = 0
    known: int = 0
    unknown: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Coverage) -> Coverage:
        """That of both together."""
        return Coverage(
            self.specs + other.specs,
            self.written + other.written,
            self.known + other.known,
            self.unknown + other.unknown,
            self.reasons + other.reasons,
        )

    @property
    def is_shaped(self) -> bool:
        """Whether there is any annotation or array."""
        return self.written + self.known + self.unknown > 0

    @property
    def percent(self) -> float:
        """How much is known; all of it, if there is nothing to know."""
        arrays = self.known + self.unknown
        return _ALL * self.known / arrays if arrays else _ALL


def total(outcome: Outcome) -> Coverage:
    """The coverage of all files of a run."""
    return sum(_by_file(outcome).values(), Coverage())


def _by_file(outcome: Outcome) -> dict[str, Coverage]:
    return {file: _read(outcome.by_file[file], found) for file, found in outcome.coverage.items()}


def _read(specs: Sequence[int], found: Mapping[str, Any]) -> Coverage:
    read, written = specs
    return Coverage(read, written, found["known"], found["unknown"], Counter(found["reasons"]))


def require(outcome: Outcome, percent: float) -> bool:
    """Whether so much is known in a run; says so if not."""
    known = total(outcome).percent
    if known >= percent:
        return True
    print(f"shapes known: {known:.1f}%, less than min-coverage = {percent}", file=sys.stderr)
    return False


def show(outcome: Outcome) -> None:
    """Print a table of the files, each with what most of its losses are due to."""
    by_file, every = _by_file(outcome), total(outcome)
    rows = {name: each for name, each in by_file.items() if each.is_shaped} | {_TOTAL: every}
    width = max(map(len, rows))
    colored = is_interactive(sys.stdout)
    print(paint(f"{'file':{width}}  specs read    arrays known", Style.BOLD, on=colored))
    for name, each in rows.items():
        print(f"{name:{width}}  {_numbers(each)}")
        given_up = outcome.coverage[name]["given_up"] if name in outcome.coverage else {}
        for line in (*_losses(each), *_given_up(given_up)):
            print(paint(f"    {line}", Style.DIM, on=colored))


def _numbers(each: Coverage) -> str:
    specs = f"{each.specs} of {each.written}"
    arrays = f"{each.known} of {each.known + each.unknown}"
    return f"{specs:12}  {arrays:14}  {each.percent:3.0f}%"


def _losses(each: Coverage) -> Iterator[str]:
    for reason, count in each.reasons.most_common(_MOST_REASONS):
        yield f"{count:4}  {reason}"


def _given_up(functions: Mapping[str, str]) -> Iterator[str]:
    for name, reason in functions.items():
        yield f"`{name}` is not checked: {reason}"
