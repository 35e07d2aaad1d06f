# SPDX-License-Identifier: Apache-2.0
"""`Run`, what the interpretation of one module shares; `Frame`, one activation of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from typedtensors.config import Config
from typedtensors.diagnostics import Diagnostic
from typedtensors.dims import Facts
from typedtensors.ops import Value
from typedtensors.shapes import Bindings, Variadic
from typedtensors.shapes.broadcast import lines_of
from typedtensors_mypy.findings import Finding, Place
from typedtensors_mypy.interpreter.state import State
from typedtensors_mypy.interpreter.values import Function, Instance, UserClass
from typedtensors_mypy.source.modules import AnyFunction, Module
from typedtensors_mypy.source.program import External, Program
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.types import UNANNOTATED, AnnotationType

if TYPE_CHECKING:
    from typedtensors_mypy.interpreter.memo import Followed, Likeness
    from typedtensors_mypy.interpreter.signature import Signature

# An untyped function is interpreted once per call; these bounds keep a module's cost linear.
_MOST_STEPS = 40_000
# Code that takes more, of branches in loops in loops, is given up.
_MOST_STEPS_AT_ALL = 150_000
_DEEPEST = 12
_UNBOUND = object()


@dataclass(frozen=True, eq=False)
class Sighting:
    """The value of an expression or a parameter, once, and what was known then."""

    frame: Frame
    node: ast.expr | ast.arg
    value: Value
    facts: Facts


class TooMuchError(Exception):
    """Some code takes more steps than are worth it: nothing is known of what it does."""


@dataclass
class Run:
    """The interpretation of one module.

    `evaluate`, `execute`, `call` and `interpret` are the interpreter's verbs; they are handed over
    here so that its rooms need not import each other.

    `sightings`, if asked for, are the values of all parameters and expressions, in the order of
    their evaluation.
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
    classes: dict[int, UserClass] = field(default_factory=dict)
    lineages: dict[int, list[UserClass | External | None]] = field(default_factory=dict)
    generic: dict[int, Instance] = field(default_factory=dict)
    constructors: dict[int, Function] = field(default_factory=dict)
    signatures: dict[int, Signature] = field(default_factory=dict)
    rule_names: dict[str, str | None] = field(default_factory=dict)
    sums: dict[tuple[object, str], frozenset[str]] = field(default_factory=dict)
    faults: dict[int, frozenset[Place]] = field(default_factory=dict)
    active: set[Likeness] = field(default_factory=set)
    followed: dict[Likeness, Followed] = field(default_factory=dict)
    results: dict[object, Value] = field(default_factory=dict)
    listeners: list[tuple[list[Finding], int]] = field(default_factory=list)
    sightings: list[Sighting] | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    steps: int = 0
    most_steps: int = _MOST_STEPS
    muted: int = 0

    def summed(self, ask: Callable[[Module], frozenset[str]], module: Module) -> frozenset[str]:
        """The answer to a question about a whole module, which is asked once."""
        key = ask, module.name
        if key not in self.sums:
            self.sums[key] = ask(module)
        return self.sums[key]

    def tell(self, finding: Finding) -> None:
        """Keep a finding, unless the same place has one of the same code already."""
        for heard, muted in self.listeners:
            if self.muted == muted:
                heard.append(finding)
        if self.muted:
            return
        key = (finding.place.line, finding.place.column, finding.code)
        told = ((f.place.line, f.place.column, f.code) for f in self.findings)
        if key not in told:
            self.findings.append(finding)

    @contextmanager
    def listening(self) -> Iterator[list[Finding]]:
        """Hear what the block tells, whether or not it is kept; not what it silences itself."""
        heard: list[Finding] = []
        self.listeners.append((heard, self.muted))
        try:
            yield heard
        finally:
            self.listeners.pop()

    def silence(self) -> _Silence:
        """Interpret without telling anything."""
        return _Silence(self)

    def faults_of(self, function: Function) -> frozenset[Place]:
        """Where a function of another module is wrong by itself, whatever it is called with."""
        known = self.faults.get(id(function.node))
        if known is None:
            module = function.scope.module
            verbs = self.evaluate, self.execute, self.call, self.interpret
            alone = Run(self.program, module, self.config, *verbs)
            with alone.giving_up(function.name):
                self.interpret(alone, function)
            known = frozenset(finding.place for finding in alone.findings)
            self.faults[id(function.node)] = known
        return known

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

    def step(self, count: int = 1) -> None:
        """Count steps. Raises TooMuchError if there were too many."""
        self.steps += count
        if self.steps > _MOST_STEPS_AT_ALL:
            raise TooMuchError

    @contextmanager
    def giving_up(self, name: str) -> Iterator[None]:
        """Give up what the block goes through, under a name, if that takes too many steps.

        What it has told until then may be wrong: of a loop only the last round counts.
        """
        told = len(self.findings)
        self.steps = 0
        try:
            yield
        except (TooMuchError, RecursionError) as error:
            del self.findings[told:]
            self.active.clear()
            deep = isinstance(error, RecursionError)
            self.given_up[name] = "nested too deeply" if deep else "too many steps"


# Both are entered so often that the cost of a generator would show.
class _Silence:
    """The time in which a run tells nothing."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __enter__(self) -> None:
        self._run.muted += 1

    def __exit__(self, *_: object) -> None:
        self._run.muted -= 1


class _Branch:
    """The time in which a frame has another state."""

    def __init__(self, frame: Frame, state: State) -> None:
        self._frame, self._state, self._before = frame, state, frame.state

    def __enter__(self) -> State:
        self._frame.state = self._state
        return self._state

    def __exit__(self, *_: object) -> None:
        self._frame.state = self._before


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call. `complete` is False if some `*args` or `**kwargs` is not known.

    Among the positional ones of an op may be a `Variadic`: sizes of unknown number (`*x.shape`).
    `more`: any number of further ones may follow, as for an object whose making nobody saw. `rest`:
    what each of any number of positional ones is like, of a call that is not complete.
    """

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)
    nodes: tuple[ast.expr, ...] = ()
    keyword_nodes: dict[str, ast.expr] = field(default_factory=dict)
    complete: bool = True
    more: bool = False
    rest: Value = None

    def after(self, *values: Value) -> Arguments:
        """The arguments with more in front, as a method has its receiver."""
        nodes = (*[ast.Constant(None)] * len(values), *self.nodes) if self.nodes else ()
        positional = (*values, *self.positional)
        return replace(self, positional=positional, nodes=nodes)

    def with_defaults(self, keywords: Mapping[str, Value]) -> Arguments:
        """The arguments with keywords that hold where they say nothing else."""
        return replace(self, keywords={**keywords, **self.keywords})

    @property
    def counted(self) -> Arguments:
        """For code that counts them: not complete if among them are sizes of unknown number."""
        runs = any(isinstance(value, Variadic) for value in self.positional)
        return replace(self, positional=(), nodes=(), complete=False) if runs else self

    @property
    def values(self) -> tuple[Value, ...]:
        """All of them."""
        return (*self.positional, *self.keywords.values())


@dataclass
class Loop:
    """The states that leave a loop's body early."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass
class Frame:
    """One activation of a function, or of a module's top level.

    `shifts`: it has taken a view that puts the elements of a padded axis elsewhere on purpose.
    `site` is the call in the module under check that led here, where the code is another
    module's: findings belong there. `accepting`: an `allow_broadcast` block is active.
    """

    run: Run
    scope: Scope
    state: State = field(default_factory=State)
    function: AnyFunction | None = None
    name: str = ""
    returns: AnnotationType = UNANNOTATED
    yielding: AnnotationType = UNANNOTATED
    bindings: Bindings = field(default_factory=Bindings)
    owner: UserClass | None = None
    closure: dict[str, Value] = field(default_factory=dict)
    outcomes: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    exits: list[State] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    site: ast.AST | None = None
    callee: Function | None = None
    called_at: ast.AST | None = None
    caller: Frame | None = None
    depth: int = 0
    shifts: bool = False
    local: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    accepting: bool = False

    def accepts_broadcasts(self, node: ast.expr) -> bool:
        """Whether the code or the configuration says that an expression's broadcasts are meant."""
        module = self.scope.module
        return (
            self.accepting
            or not module.accepted.isdisjoint(lines_of(node))
            or self.run.config.allows(module.path, self.qualified_name)
        )

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression here."""
        run = self.run
        if run.sightings is not None:
            return self._seen(node)
        if isinstance(node, ast.Name):
            # Two expressions of five are a local name: this is what the interpreter does most.
            value = self.state.values.get(node.id, _UNBOUND)
            if value is not _UNBOUND:
                run.steps += 1
                return value
        return run.evaluate(self, node)

    def _seen(self, node: ast.expr) -> Value:
        value = self.run.evaluate(self, node)
        self.sight(node, value)
        return value

    def sight(self, node: ast.expr | ast.arg, value: Value) -> None:
        """Keep a value for those who asked to see all of them."""
        if self.run.sightings is not None and not self.run.muted:
            now = self.state.now(value)
            self.run.sightings.append(Sighting(self, node, now, self.state.facts))

    def execute(self, body: Sequence[ast.stmt]) -> None:
        """Go through statements."""
        self.run.execute(self, body)

    def report(self, node: ast.AST, diagnostic: Diagnostic) -> None:
        """Tell of a mistake at a node, or at the call that led to its module."""
        if self.caller is not None and self.called_at is not None and self._is_passed_on(node):
            self.caller.report(self.called_at, replace(diagnostic, rewrite=None))
        elif self.scope.module is self.run.module:
            self.run.tell(Finding.error(Place.of(node), diagnostic, self._caller_line))
        elif self.site is not None and not self._is_fault_of_its_own(Place.of(node)):
            self.run.tell(Finding.error(Place.of(self.site), replace(diagnostic, rewrite=None)))

    def _is_passed_on(self, node: ast.AST) -> bool:
        """Whether a node is the function's `*args` or `**kwargs`: its caller wrote the values."""
        name = node.value if isinstance(node, ast.Starred) else node
        if self.function is None or not isinstance(name, ast.Name):
            return False
        passed = (self.function.args.vararg, self.function.args.kwarg)
        return name.id in {arg.arg for arg in passed if arg is not None}

    @property
    def _caller_line(self) -> int | None:
        """The line of the call that brought the values in, if the frame is not a function's own."""
        return getattr(self.called_at, "lineno", None)

    def _is_fault_of_its_own(self, place: Place) -> bool:
        """Whether a mistake in another module is told there, and is not the call's."""
        frame: Frame | None = self
        while frame is not None and frame.scope.module is self.scope.module:
            if frame.callee is not None and place in self.run.faults_of(frame.callee):
                return True
            frame = frame.caller
        return False

    def site_of(self, node: ast.AST) -> ast.AST | None:
        """Where the findings of another module's code belong that a call at `node` leads to."""
        return self.site if self.scope.module is not self.run.module else node

    @property
    def qualified_name(self) -> str:
        """The function's full name, as the configuration's `allow` has it."""
        return f"{self.scope.module.name}.{self.name}".rstrip(".")

    @property
    def too_deep(self) -> bool:
        """Whether no more calls are to be followed from here."""
        return self.depth > _DEEPEST or self.run.exhausted

    def branch(self, state: State) -> _Branch:
        """Interpret with another state, which the block gets and may change."""
        return _Branch(self, state)
