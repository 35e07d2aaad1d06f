# SPDX-License-Identifier: Apache-2.0
"""`Run`, what the interpretation of one module shares: what was found, what was met, the budget."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from typedtensors.config import Config
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Value
from typedtensors_mypy.findings import Finding, Place
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.state import State
from typedtensors_mypy.interpreter.values import Function, Instance, UserClass
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import External, Program
from typedtensors_mypy.source.scope import Scope

if TYPE_CHECKING:
    from typedtensors_mypy.interpreter.annotations.signature import Signature
    from typedtensors_mypy.interpreter.frame import Frame, Sighting
    from typedtensors_mypy.interpreter.memo import Followed, Likeness

# An untyped function is interpreted once per call; these bounds keep a module's cost linear. One
# function may lead to calls of so many steps,
_MOST_STEPS = 40_000
# and all functions of a module to these and some for each line; then each gets the least.
_MOST_STEPS_OF_ALL = 80_000
_MOST_STEPS_PER_LINE = 50
_LEAST_STEPS = 2_000
# Code that takes more, of branches in loops in loops, is given up.
MOST_STEPS_AT_ALL = 150_000
# Of what is gone through beside, to know what it may leave behind, it is less.
_MOST_STEPS_APART = 10_000


class TooMuchError(Exception):
    """Some code takes more steps than are worth it: nothing is known of what it does."""


@dataclass(frozen=True)
class Supposed:
    """What the attributes of an object are taken to be between two calls of its methods."""

    instance: Instance | None
    attributes: Mapping[str, Value]


@dataclass
class Run:
    """The interpretation of one module.

    `evaluate`, `execute`, `call` and `interpret` are the interpreter's verbs; they are handed over
    here so that its rooms need not import each other.

    `sightings`, if asked for, are the values of all parameters and expressions, in the order of
    their evaluation. `trail`, if asked for, are the statements that are gone through, blocks left
    aside. `doubts` counts what is wrong for some of the alternatives of a value. `heard` is all
    that was told while there are `listeners`, with how `muted` the run was. `beside` are the
    classes that objects of a class may be of too, `storing` the methods that assign an attribute of
    these, and `kept` what they make of it, once somebody asked. `supposed` are the attributes of
    one object while that is being found out, in the run `apart`.
    """

    program: Program
    module: Module
    config: Config
    evaluate: Callable[[Frame, ast.expr], Value]
    execute: Callable[[Frame, Sequence[ast.stmt]], None]
    call: Callable[[Frame, ast.expr, Value, Arguments], Value]
    interpret: Callable[[Run, Function], None]
    findings: list[Finding] = field(default_factory=list)
    globals: State = field(default_factory=State)
    scopes: dict[str, Scope] = field(default_factory=dict)
    functions: dict[int, Function] = field(default_factory=dict)
    classes: dict[int, UserClass] = field(default_factory=dict)
    lineages: dict[int, list[UserClass | External | None]] = field(default_factory=dict)
    generic: dict[int, Instance] = field(default_factory=dict)
    constructors: dict[int, Function] = field(default_factory=dict)
    signatures: dict[int, Signature] = field(default_factory=dict)
    rule_names: dict[str, str | None] = field(default_factory=dict)
    faults: dict[int, frozenset[Place]] = field(default_factory=dict)
    active: set[Hashable] = field(default_factory=set)
    followed: dict[Likeness, Followed] = field(default_factory=dict)
    results: dict[object, Value] = field(default_factory=dict)
    heard: list[tuple[Finding, int]] = field(default_factory=list)
    listeners: int = 0
    sightings: list[Sighting] | None = None
    trail: list[ast.stmt] | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    steps: int = 0
    spent: int = 0
    most_steps: int = _MOST_STEPS
    muted: int = 0
    doubts: int = 0
    beside: dict[int, tuple[UserClass, ...]] = field(default_factory=dict)
    storing: dict[tuple[int, str], tuple[Function, ...] | None] = field(default_factory=dict)
    kept: dict[int, Mapping[str, Value]] = field(default_factory=dict)
    supposed: Supposed | None = None
    most_at_all: int = MOST_STEPS_AT_ALL

    def scope_of(self, module: Module) -> Scope:
        """Where the names at the top level of a module are looked up."""
        known = self.scopes.get(module.name)
        if known is None:
            known = self.scopes[module.name] = Scope(self.program, module)
        return known

    def tell(self, finding: Finding) -> None:
        """Keep a finding, unless it is told already."""
        if self.listeners:
            self.heard.append((finding, self.muted))
        if self.muted:
            return
        if not any(map(finding.repeats, self.findings)):
            self.findings.append(finding)

    def listening(self) -> _Listening:
        """Hear what the block tells, whether or not it is kept; not what it silences itself.

        What the block gets is filled when it ends.
        """
        return _Listening(self)

    def silence(self) -> _Silence:
        """Interpret without telling anything."""
        return _Silence(self)

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Keep no sightings of what the block goes through once more."""
        sightings, self.sightings = self.sightings, None
        try:
            yield
        finally:
            self.sightings = sightings

    def faults_of(self, function: Function) -> frozenset[Place]:
        """Where a function of another module is wrong by itself, whatever it is called with."""
        known = self.faults.get(id(function.node))
        if known is None:
            module = function.scope.module
            verbs = self.evaluate, self.execute, self.call, self.interpret
            alone = Run(self.program, module, self.config, *verbs)
            with alone.giving_up(function.name):
                self.interpret(alone, function)
            self.spent += alone.steps
            known = frozenset(finding.place for finding in alone.findings)
            self.faults[id(function.node)] = known
        return known

    @cached_property
    def apart(self) -> Run:
        """A run in which the same code is gone through on suppositions, so that nothing is told.

        What it finds out of calls, objects and globals is its own: it holds as long as these do.
        """
        verbs = self.evaluate, self.execute, self.call, self.interpret
        return Run(
            self.program,
            self.module,
            self.config,
            *verbs,
            globals=self.globals,
            scopes=self.scopes,
            functions=self.functions,
            classes=self.classes,
            lineages=self.lineages,
            constructors=self.constructors,
            signatures=self.signatures,
            rule_names=self.rule_names,
            faults=self.faults,
            beside=self.beside,
            storing=self.storing,
            supposed=Supposed(None, {}),
            muted=1,
            most_at_all=_MOST_STEPS_APART,
        )

    @property
    def exhausted(self) -> bool:
        """Whether no more calls are to be followed."""
        return self.steps > self.most_steps

    @contextmanager
    def sparing(self, steps: int) -> Iterator[None]:
        """Follow calls in the block for so many steps at most."""
        before = self.most_steps
        self.most_steps = min(before, self.steps + steps)
        try:
            yield
        finally:
            self.most_steps = before

    def step(self, count: int) -> None:
        """Count steps. Raises TooMuchError if there were too many."""
        self.steps += count
        if self.steps > self.most_at_all:
            raise TooMuchError

    @contextmanager
    def giving_up(self, name: str) -> Iterator[None]:
        """Give up what the block goes through, under a name, if that takes too many steps.

        What it has told until then may be wrong: of a loop only the last round counts.
        """
        told = len(self.findings)
        self.steps = 0
        self.most_steps = max(_LEAST_STEPS, min(_MOST_STEPS, self._unspent))
        try:
            yield
        except (TooMuchError, RecursionError) as error:
            del self.findings[told:]
            self.active.clear()
            deep = isinstance(error, RecursionError)
            self.given_up[name] = "nested too deeply" if deep else "too many steps"
        finally:
            self.spent += self.steps

    @property
    def _unspent(self) -> int:
        """How many steps the module's functions may still take to follow calls."""
        return self._steps_of_all - self.spent

    @cached_property
    def _steps_of_all(self) -> int:
        return _MOST_STEPS_OF_ALL + _MOST_STEPS_PER_LINE * self.module.source.count("\n")


# Both are entered so often that the cost of a generator would show.
class _Listening:
    """The time in which what a run tells is heard."""

    def __init__(self, run: Run) -> None:
        self._run, self._muted, self._start = run, run.muted, len(run.heard)
        self._heard: list[Finding] = []

    def __enter__(self) -> list[Finding]:
        self._run.listeners += 1
        return self._heard

    def __exit__(self, *_: object) -> None:
        run = self._run
        run.listeners -= 1
        if len(run.heard) > self._start:
            told = run.heard[self._start :]
            self._heard += [finding for finding, muted in told if muted == self._muted]
        if not run.listeners:
            run.heard.clear()


class _Silence:
    """The time in which a run tells nothing."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __enter__(self) -> None:
        self._run.muted += 1

    def __exit__(self, *_: object) -> None:
        self._run.muted -= 1
