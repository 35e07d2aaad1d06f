# SPDX-License-Identifier: Apache-2.0
"""`Frame`, one activation of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import field, replace

from typedtensors.diagnostics import Diagnostic
from typedtensors.dims import Facts
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Value
from typedtensors.shapes import Bindings
from typedtensors.shapes.broadcast import lines_of
from typedtensors_mypy.findings import Finding, Place
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.state import State
from typedtensors_mypy.interpreter.values import Function, Instance, UserClass
from typedtensors_mypy.source.annotations.types import UNANNOTATED, AnnotationType, specs_of
from typedtensors_mypy.source.modules import AnyFunction
from typedtensors_mypy.source.scope import Scope

_DEEPEST = 12
_UNBOUND = object()


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
    module's: findings belong there. `accepting`: an `allow_broadcast` block is active. `own` is the
    object whose method it is, where nobody calls it. `absent` are the parameters that are not
    given, whatever the function then makes them. `stored`, if anybody asks, is told of what it
    assigns to the attributes of its own object, with what is known then.
    """

    run: Run
    scope: Scope
    state: State = field(default_factory=State)
    function: AnyFunction | None = None
    name: str = ""
    returns: AnnotationType = UNANNOTATED
    yielding: AnnotationType = UNANNOTATED
    bindings: Bindings = field(default_factory=Bindings)
    own: Instance | None = None
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
    absent: frozenset[str] = frozenset()
    stored: Callable[[str, Value, Facts], None] | None = None

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
        # Two expressions of five are a local name: this is what the interpreter does most.
        if node.__class__ is ast.Name:
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
            self.caller.report(self.called_at, replace(diagnostic, rewrites=()))
        elif self.scope.module is self.run.module:
            self.run.tell(Finding.error(Place.of(node), diagnostic, self._caller_line))
        elif self.site is not None and not self._is_fault_of_its_own(Place.of(node)):
            self.run.tell(Finding.error(Place.of(self.site), replace(diagnostic, rewrites=())))

    def _is_passed_on(self, node: ast.AST) -> bool:
        """Whether a node is the function's `*args` or `**kwargs`: its caller wrote the values."""
        name = node.value if isinstance(node, ast.Starred) else node
        if self.function is None or not isinstance(name, ast.Name):
            return False
        passed = (self.function.args.vararg, self.function.args.kwarg)
        return name.id in {arg.arg for arg in passed if arg is not None}

    @property
    def _caller_line(self) -> int | None:
        """The line of the call that brought the values in, if the frame is not a function's own.

        Of a call in another module's code, it is that of the one which led to that module.
        """
        return getattr(self.site, "lineno", None)

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
    def says_shapes(self) -> bool:
        """Whether the function's own annotations hold its values against something."""
        bound = self.bindings.axes or self.bindings.runs
        return bool(bound) or bool(specs_of(self.returns))

    @property
    def too_deep(self) -> bool:
        """Whether no more calls are to be followed from here."""
        return self.depth > _DEEPEST or self.run.exhausted

    def branch(self, state: State) -> _Branch:
        """Interpret with another state, which the block gets and may change."""
        return _Branch(self, state)


@dataclass(frozen=True, eq=False)
class Sighting:
    """The value of an expression or a parameter, once, and what was known then."""

    frame: Frame
    node: ast.expr | ast.arg
    value: Value
    facts: Facts


# Entered so often that the cost of a generator would show.
class _Branch:
    """The time in which a frame has another state."""

    def __init__(self, frame: Frame, state: State) -> None:
        self._frame, self._state, self._before = frame, state, frame.state

    def __enter__(self) -> State:
        self._frame.state = self._state
        return self._state

    def __exit__(self, *_: object) -> None:
        self._frame.state = self._before
