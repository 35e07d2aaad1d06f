# SPDX-License-Identifier: Apache-2.0
"""Compares what a run showed with what the interpreter said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tests.oracle.claims import Claims
from tests.oracle.env import Env
from tests.oracle.instrument import Key
from tests.oracle.recorder import Activation, Array, Broken, Real, Recorder, Round, Seen, Thing
from typedtensors.dims import Dim, Facts
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.frame import Sighting
from typedtensors_mypy.interpreter.values import Instance, options


@dataclass
class Judgement:
    """What became of the expressions of a module.

    Args:
        arrays: Those that held an array in the run.
        sizes: Those that held an integer of which the interpreter said something.
        verified: Those whose shape or size was known, and was so whenever the run came there.
        wrong: Where it was not.
        lost: Those whose shape was not known, with why.
    """

    arrays: set[Key] = field(default_factory=set)
    sizes: set[Key] = field(default_factory=set)
    verified: set[Key] = field(default_factory=set)
    wrong: dict[Key, str] = field(default_factory=dict)
    lost: dict[Key, str] = field(default_factory=dict)

    @property
    def coverage(self) -> float:
        """The share of array-valued expressions, plain names aside, that are verified."""
        arrays = {key for key in self.arrays if key[0] != "Name"}
        return len(arrays & self.verified) / len(arrays) if arrays else 1.0


def judge(recorder: Recorder, claims: Mapping[tuple[str, int] | None, list[Claims]]) -> Judgement:
    """Hold each activation of a run against all that is said of its function."""
    found = Judgement()
    for activation in recorder.activations:
        for event in activation.events:
            if isinstance(event, Seen) and isinstance(event.value, Array):
                found.arrays.add(event.key)
        _hold(activation, claims.get(activation.function, ()), found)
    found.verified -= found.wrong.keys()
    for key in found.arrays - found.verified:
        found.lost.setdefault(key, "nothing is said")
    return found


def _hold(activation: Activation, claims: Iterable[Claims], found: Judgement) -> None:
    """Hold an activation against what is said of its function by itself, and of calls like it.

    Of two calls whose arguments look alike here (functions, lists of them), it is one.
    """
    calls = []
    for said in claims:
        trial = _Trial(activation, said, found if said.alone else Judgement())
        trial.run()
        if trial.fits and not said.alone:
            calls.append(trial.found)
    right = [each for each in calls if not each.wrong] or calls[:1]
    for each in right:
        found.sizes |= each.sizes
        found.verified |= each.verified
        for key, text in each.wrong.items():
            found.wrong.setdefault(key, text)
        for key, text in each.lost.items():
            found.lost.setdefault(key, text)


class _Trial:
    """One activation of the run, one of the interpreter."""

    def __init__(self, activation: Activation, claims: Claims, found: Judgement) -> None:
        self._activation, self._claims, self.found = activation, claims, found
        self.fits = True
        self._env = Env()
        self._starts: dict[tuple[int, int], int] = {}
        self._counts = Counter(e.key for e in activation.events if isinstance(e, Seen))
        self._met: Counter[Key] = Counter()

    def run(self) -> None:
        """Go through what happened, if the parameters are those that the claims are about."""
        self.fits = self._begin()
        if not self.fits:
            return
        for event in self._activation.events:
            if isinstance(event, Broken):
                return
            if isinstance(event, Round):
                self._round(event)
            else:
                self._expression(event)

    def _begin(self) -> bool:
        for given in self._activation.arguments:
            said = self._claims.parameters.get(given.key)
            if said is not None and not self._env.fits(said.value, given.value, said.facts):
                if not self._claims.alone:
                    return False
                self._wrong(given, [said])
        facts = next(iter(self._claims.parameters.values()), None)
        return facts is None or self._claims.alone or not self._env.contradicts(facts.facts)

    def _round(self, event: Round) -> None:
        if not event.first:
            self._env.forget_since(self._starts.get(event.loop, len(self._env.order)))
        self._starts[event.loop] = len(self._env.order)

    def _expression(self, event: Seen) -> None:
        said = self._claims.expressions.get(event.key, [])
        index = self._met[event.key]
        self._met[event.key] += 1
        if len(said) == self._counts[event.key]:
            said = said[index : index + 1]
        if not said:
            return
        for one in said:
            trial = self._env.copy() if len(said) > 1 else self._env
            if trial.fits(one.value, event.value, one.facts):
                self._env = trial
                self._note(event, one)
                return
        self._wrong(event, said)

    def _note(self, event: Seen, said: Sighting) -> None:
        env, found = self._env, self.found
        known = not env.undecided and not env.guessed
        env.undecided = env.guessed = 0
        contradiction = env.contradicts(said.facts)
        if contradiction is not None:
            found.wrong.setdefault(event.key, f"learned {contradiction}")
        if isinstance(event.value, Array):
            shapes = [o.shape for o in options(said.value) if isinstance(o, Tensor)]
            if known and shapes and all(shape.rank is not None for shape in shapes):
                found.verified.add(event.key)
            else:
                found.lost.setdefault(event.key, str(getattr(said.value, "reason", said.value)))
        elif isinstance(said.value, Dim) and type(event.value) is int:
            found.sizes.add(event.key)
            if known:
                found.verified.add(event.key)

    def _wrong(self, event: Seen, said: Iterable[Sighting]) -> None:
        texts = " or ".join(_text(one) for one in said)
        sizes = {atom.name: dim.value for atom, dim in self._env.sizes.items()}
        self.found.wrong.setdefault(
            event.key, f"said {texts}, is {_short(event.value)} with {sizes}"
        )


def _short(value: Real) -> str:
    return value.type if isinstance(value, Thing) else str(value)


def _text(said: Sighting) -> str:
    value = said.value
    if isinstance(value, Tensor):
        return f"{value.dtype}{value.shape} = {_resolved(value, said.facts)}"
    return f"some {value.cls.name}" if isinstance(value, Instance) else repr(value)


def _resolved(value: Tensor, facts: Facts) -> str:
    fixed = value.shape.fixed
    return "?" if fixed is None else str([str(facts.resolve(axis.dim)) for axis in fixed])
