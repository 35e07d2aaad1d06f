# SPDX-License-Identifier: Apache-2.0
"""Two axes, or two runs of axes, that one name stands for: can they be the same?"""

from __future__ import annotations

from collections.abc import Iterator

from typedtensors.dims import Dim, Facts, Verdict
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis
from typedtensors.shapes.broadcast import broadcast
from typedtensors.shapes.matching.bindings import BoundRun
from typedtensors.shapes.shape import Shape

_ONE = Dim.of(1)


@dataclass(frozen=True)
class Met:
    """What two axes under one name show: the better known axis, and what was learned."""

    verdict: Verdict
    axis: Axis
    facts: Facts


@dataclass(frozen=True)
class Clash:
    """Where two runs disagree: on their lengths, or on one axis.

    `index` counts from the left of the run or, negative, from its right.
    """

    index: int | None = None
    expected: Axis | None = None
    given: Axis | None = None


@dataclass(frozen=True)
class MetRun:
    """What two runs under one name show.

    Invariant: there is a clash if and only if the verdict is DIFFERENT.
    """

    facts: Facts
    run: BoundRun
    verdict: Verdict = Verdict.EQUAL
    clash: Clash | None = None


def seen_through(given: Axis, facts: Facts, *, flexible: bool) -> Axis | None:
    """What `#name` (or, not `flexible`, `name`) sees of an axis: nothing where the size is 1.

    A size that may be 1 is seen as such, so it settles no name.
    """
    if not flexible:
        return given
    verdict = facts.compare(given.dim, _ONE)
    if verdict is Verdict.EQUAL:
        return None
    maybe_one = given.flexible or verdict is Verdict.UNDECIDED
    return Axis(given.dim, flexible=True) if maybe_one else given


def are_apart(rigid: Axis, other: Axis, facts: Facts) -> bool:
    """Whether one axis has neither the size of another that may be 1, nor 1."""
    if rigid.flexible or not other.flexible:
        return False
    verdicts = (facts.compare(rigid.dim, dim) for dim in (other.dim, _ONE))
    return all(verdict is Verdict.DIFFERENT for verdict in verdicts)


def meet(bound: Axis, given: Axis, facts: Facts, *, teach: bool = False) -> Met:
    """Compare what a name stands for, or a spec's size, with an axis.

    `teach` lets a literal size teach the caller's declared dims (see `Facts.require`).
    An axis that may be 1 contradicts nothing, and teaches nothing.
    """
    if bound.flexible or given.flexible:
        settled = given if bound.flexible else bound
        return Met(Verdict.UNDECIDED, settled, facts)
    if teach:
        verdict, learned = facts.require(given.dim, bound.dim)
    else:
        verdict, learned = facts.equate(bound.dim, given.dim)
    plainer = given if _plainness(given.dim) < _plainness(bound.dim) else bound
    return Met(verdict, plainer if verdict is Verdict.UNDECIDED else bound, learned)


def _plainness(dim: Dim) -> tuple[bool, bool, int]:
    """Orders the ways to write one size: literals, then names, then what the code computed."""
    return dim.value is None, not dim.declared, len(dim.terms)


def meet_runs(bound: BoundRun, given: Shape, facts: Facts, *, flexible: bool) -> MetRun:
    """Compare what a variadic name stands for with the axes that `*name` or `*#name` covers.

    As jaxtyping: runs of `*#name` broadcast together, and each of them to the run of `*name`.
    """
    if not flexible and not bound.flexible:
        return _same(bound, given, facts)
    if flexible and bound.flexible:
        return _broadcast(bound, given, facts)
    rigid, loose = (bound.axes, given) if flexible else (given, bound.axes)
    verdict, clash = _fits(loose, rigid, facts, swap=not flexible)
    return MetRun(facts, BoundRun(rigid, bound.place), verdict, clash)


def _same(bound: BoundRun, given: Shape, facts: Facts) -> MetRun:
    """Two runs of one length and, axis by axis, of one size."""
    left, right = bound.axes, given
    if _lengths_differ(left, right):
        return MetRun(facts, bound, Verdict.DIFFERENT, Clash())
    certain = _alike(left, right)
    verdict = Verdict.EQUAL if certain else Verdict.UNDECIDED
    for index, expected, actual in _overlap(left, right):
        met = meet(expected, actual, facts)
        facts = met.facts
        if met.verdict is Verdict.DIFFERENT:
            return MetRun(facts, bound, met.verdict, Clash(index, expected, actual))
        if met.verdict is Verdict.UNDECIDED:
            verdict = met.verdict
        left = left.replace(index % len(left.axes), met.axis) if certain else left
    better = left if _knowledge(left) >= _knowledge(right) else right
    return MetRun(facts, BoundRun(better, bound.place), verdict)


def _lengths_differ(left: Shape, right: Shape) -> bool:
    if left.rank is None and right.rank is None:
        return (
            left.axes != right.axes
            and _variadic(left) == _variadic(right)
            and (left.least_rank != right.least_rank)
        )
    if left.rank is None or right.rank is None:
        open_ended, fixed = (left, right) if left.rank is None else (right, left)
        return open_ended.least_rank > fixed.least_rank
    return left.rank != right.rank


def _alike(left: Shape, right: Shape) -> bool:
    """Whether each axis of one run has its place in the other."""
    if left.rank is not None or right.rank is not None:
        return left.rank == right.rank
    return _variadic(left) == _variadic(right) and left.variadic == right.variadic


def _variadic(shape: Shape) -> object:
    return None if shape.variadic is None else shape.axes[shape.variadic]


def _overlap(left: Shape, right: Shape) -> Iterator[tuple[int, Axis, Axis]]:
    """The axes of two runs that are the same, counted from the left or, negative, the right."""
    for index in range(min(len(left.prefix), len(right.prefix))):
        yield index, left.prefix[index], right.prefix[index]
    if left.rank is None or right.rank is None:
        for index in range(-1, -1 - min(len(left.suffix), len(right.suffix)), -1):
            yield index, left.suffix[index], right.suffix[index]


def _knowledge(run: Shape) -> tuple[bool, int]:
    return run.rank is not None, run.least_rank


def _broadcast(bound: BoundRun, given: Shape, facts: Facts) -> MetRun:
    """Two runs that have to broadcast to the run they stand for."""
    result = broadcast([bound.axes, given], facts)
    if result.shape is None:
        met = result.conflict
        clash = Clash() if met is None else _clash_at(met.index, bound.axes, given)
        return MetRun(facts, bound, Verdict.DIFFERENT, clash)
    verdict = Verdict.EQUAL if result.decided else Verdict.UNDECIDED
    return MetRun(facts, BoundRun(result.shape, bound.place, flexible=True), verdict)


def _clash_at(index: int, expected: Shape, given: Shape) -> Clash:
    return Clash(index, expected.axis(index), given.axis(index))


def _fits(loose: Shape, rigid: Shape, facts: Facts, *, swap: bool) -> tuple[Verdict, Clash | None]:
    """Whether one run broadcasts to another, which stays as it is."""
    if loose == rigid:
        return Verdict.EQUAL, None
    if rigid.rank is not None and loose.least_rank > rigid.rank:
        return Verdict.DIFFERENT, Clash()
    ordered = (rigid, loose) if not swap else (loose, rigid)
    verdict = Verdict.EQUAL if rigid.rank is not None is not loose.rank else Verdict.UNDECIDED
    for index in range(-1, -1 - min(len(loose.suffix), len(rigid.suffix)), -1):
        seen = seen_through(loose.suffix[index], facts, flexible=True)
        if seen is None:
            continue
        met = meet(rigid.suffix[index], seen, facts)
        if met.verdict is Verdict.DIFFERENT:
            return met.verdict, _clash_at(index, *ordered)
        if met.verdict is Verdict.UNDECIDED:
            verdict = met.verdict
    return verdict, None
