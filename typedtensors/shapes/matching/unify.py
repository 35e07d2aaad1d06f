# SPDX-License-Identifier: Apache-2.0
"""Matching specs with shapes, and writing shapes from specs.

A call is solved as a whole: `match_all` takes the specs and shapes of all its arguments, in any
order, and finds what each name stands for or one axis that contradicts the rest. What cannot be
decided matches. `instantiate` then writes the shape of what the call returns.

>>> from typedtensors.shapes import Argument, Shape, instantiate, match_all, parse_spec
>>> found = match_all([
...     Argument("x", parse_spec("b n+1"), Shape.of("batch", 8)),
...     Argument("y", parse_spec("n k"), Shape.of(7, "hidden")),
... ])
>>> print(instantiate(parse_spec("b 2*n k"), found.bindings))
(batch, 14, hidden)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from typedtensors.dims import Dim, Facts, Verdict
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis, Variadic
from typedtensors.shapes.matching.alignment import Argument, AxisPair, Pair, RunPair, align
from typedtensors.shapes.matching.bindings import Bindings, Bound, BoundRun, Place
from typedtensors.shapes.matching.instantiate import evaluate
from typedtensors.shapes.matching.meeting import Clash, are_apart, meet, meet_runs, seen_through
from typedtensors.shapes.matching.mismatch import AxisMismatch, Mismatch, RankMismatch
from typedtensors.shapes.shape import Shape
from typedtensors.shapes.specs.spec import Reader, Spec, SpecAxis


@dataclass(frozen=True)
class Match:
    """Specs and shapes that agree, as far as it can be told.

    `facts` are those the match began with and what it taught. `verdict` is EQUAL if every axis is
    as its spec says, UNDECIDED if some may be otherwise (an error only under strict).
    """

    bindings: Bindings
    facts: Facts
    verdict: Verdict = Verdict.EQUAL


def match(
    spec: Spec,
    shape: Shape,
    bindings: Bindings | None = None,
    facts: Facts | None = None,
    *,
    name: str = "",
    read: Reader | None = None,
) -> Match | Mismatch:
    """`match_all` for one value, such as what a function returns.

    Without a `name`, later messages do not say that this value bound a dim.
    """
    return match_all([Argument(name, spec, shape)], bindings, facts, read=read)


def match_all(
    arguments: Iterable[Argument],
    bindings: Bindings | None = None,
    facts: Facts | None = None,
    *,
    teach: bool = False,
    read: Reader | None = None,
) -> Match | Mismatch:
    """Solve the specs of several values together.

    Arguments:
        arguments: The values, each with its name, its spec and its shape in the caller's dims.
        bindings: What names stand for already: `Bindings.declared` for a function's own specs,
            the bindings of the arguments for what the call returns.
        facts: What is known of the caller's dims.
        teach: Whether a size that a spec fixes teaches the caller's declared dims, as parameters
            of a call do (`"b 784"` called with `"batch features"`) and returns do not.
        read: What `{expr}` is in the caller; unknown without it.

    Returns:
        A Match, or the first Mismatch: ranks first, then names, literals and variadics in the
        order of the arguments, then arithmetic, when every name is bound.
    """
    bindings = bindings or Bindings()
    pairs: list[Pair] = []
    for argument in arguments:
        aligned = _other_rank(argument, bindings) or align(argument)
        if isinstance(aligned, RankMismatch):
            return aligned
        pairs += aligned
    solver = _Solver(bindings, facts or Facts(), teach=teach, read=read)
    return solver.solve(sorted(pairs, key=_is_arithmetic))


def _other_rank(argument: Argument, bindings: Bindings) -> RankMismatch | None:
    """Whether a spec has more axes, or fewer, beside the same run of axes than a shape has.

    Where `*batch` stands for itself, `"*batch 1"` is never what `(*batch,)` has, however many axes
    that is.
    """
    wanted = argument.spec.variadic
    name = None if wanted is None else argument.spec.axes[wanted].name
    bound = None if name is None else bindings.runs.get(name)
    if bound is None or bound.flexible or wanted is None or argument.spec.axes[wanted].flexible:
        return None
    runs = [part for part in argument.shape.axes if isinstance(part, Variadic)]
    whole = argument.spec.shape()
    expected = Shape((*whole.prefix, *bound.axes.axes, *whole.suffix))
    if runs != [part for part in bound.axes.axes if isinstance(part, Variadic)] or not runs:
        return None
    if runs[0].flexible or expected.least_rank == argument.shape.least_rank:
        return None
    return RankMismatch(argument.name, expected, argument.shape, bound.place)


def _is_arithmetic(pair: Pair) -> bool:
    dim = pair.wanted.dim
    return dim is not None and dim.value is None and pair.wanted.name is None


class _Solver:
    """The state of one solution; lives for one `match_all`."""

    def __init__(
        self, bindings: Bindings, facts: Facts, *, teach: bool, read: Reader | None
    ) -> None:
        self.axes = dict(bindings.axes)
        self.runs = dict(bindings.runs)
        self.facts = facts
        self.verdict = Verdict.EQUAL
        self.teach = teach
        self.read = _reading_once(read)
        self.guessed: set[str] = set()

    def solve(self, pairs: Sequence[Pair]) -> Match | Mismatch:
        for pair in pairs:
            mismatch = self._axis(pair) if isinstance(pair, AxisPair) else self._run(pair)
            if mismatch is not None:
                return mismatch
        mismatch = self._settle([pair for pair in pairs if _is_arithmetic(pair)])
        if mismatch is not None:
            return mismatch
        for name in self.guessed:
            axis = self.axes[name].axis
            self.axes[name] = replace(
                self.axes[name], axis=axis.with_dim(self.facts.resolve(axis.dim))
            )
        return Match(Bindings.of(self.axes, self.runs), self.facts, self.verdict)

    def _settle(self, pairs: Sequence[Pair]) -> Mismatch | None:
        """Look at arithmetic again while that teaches something.

        What the last equation teaches may contradict one that was undecided before.
        """
        known = None
        while len(pairs) > 1 and known != self.facts:
            known = self.facts
            for pair in pairs:
                mismatch = self._axis(pair) if isinstance(pair, AxisPair) else None
                if mismatch is not None:
                    return mismatch
        return None

    def _axis(self, pair: AxisPair) -> AxisMismatch | None:
        wanted, place = pair.wanted, Place(pair.argument.name, pair.index)
        seen = seen_through(pair.given, self.facts, flexible=wanted.flexible)
        if seen is None or wanted.dim is None or wanted.tree:
            return None
        bound = self._bound(wanted, wanted.dim)
        if bound is None:
            if wanted.name is not None:
                self.axes[wanted.name] = Bound(seen, place)
            return None
        met = meet(bound.axis, seen, self.facts, teach=self.teach and wanted.dim.value is not None)
        apart = not wanted.flexible and are_apart(bound.axis, seen, self.facts)
        if met.verdict is Verdict.DIFFERENT or apart:
            return AxisMismatch(place, wanted, bound.axis, pair.given, bound.place)
        # `#b` takes an axis that is b or 1: that is certain, though the size is not.
        alike = self.facts.compare(bound.axis.dim, seen.dim) is Verdict.EQUAL
        self._note(Verdict.EQUAL if alike and wanted.flexible else met.verdict)
        self.facts = met.facts
        if wanted.name is not None and met.axis is not bound.axis:
            self.axes[wanted.name] = Bound(met.axis, place)
        return None

    def _bound(self, wanted: SpecAxis, size: Dim) -> Bound | None:
        """What an axis of the spec has to be, if that is known."""
        if wanted.name is not None:
            return self.axes.get(wanted.name)
        for name in sorted(wanted.names.difference(self.axes)):
            # Facts solve `n+1 == 8` for it, and later arithmetic has to agree.
            self.axes[name] = Bound(Axis(Dim.fresh(name)))
            self.guessed.add(name)
        found = evaluate(size, Bindings.of(self.axes, self.runs), self.read)
        return None if found is None else Bound(Axis(found))

    def _run(self, pair: RunPair) -> Mismatch | None:
        wanted = pair.wanted
        if wanted.name is None or wanted.tree:
            return None
        bound = self.runs.get(wanted.name)
        if bound is None:
            place = Place(pair.argument.name, pair.start)
            self.runs[wanted.name] = BoundRun(pair.given, place, wanted.flexible)
            return None
        met = meet_runs(bound, pair.given, self.facts, flexible=wanted.flexible)
        if met.clash is not None:
            return _run_mismatch(pair, bound, met.clash)
        self.facts, self.runs[wanted.name] = met.facts, met.run
        self._note(met.verdict)
        return None

    def _note(self, verdict: Verdict) -> None:
        if verdict is Verdict.UNDECIDED:
            self.verdict = verdict


def _reading_once(read: Reader | None) -> Reader:
    """One size for each `{expr}`, however often it is looked at; an unknown stays the same one."""
    known: dict[str, Dim] = {}

    def size(text: str) -> Dim:
        if text not in known:
            found = None if read is None else read(text)
            known[text] = Dim.fresh(text) if found is None else found
        return known[text]

    return size


def _run_mismatch(pair: RunPair, bound: BoundRun, clash: Clash) -> Mismatch:
    argument = pair.argument
    if clash.index is None or clash.expected is None or clash.given is None:
        whole = argument.spec.shape()
        expected = Shape((*whole.prefix, *bound.axes.axes, *whole.suffix))
        return RankMismatch(argument.name, expected, argument.shape, bound.place)
    if clash.index >= 0:
        index = pair.start + clash.index
    else:
        index = clash.index - len(argument.spec.suffix) + (argument.shape.rank or 0)
    place = Place(argument.name, index)
    return AxisMismatch(place, pair.wanted, clash.expected, clash.given, bound.place)
