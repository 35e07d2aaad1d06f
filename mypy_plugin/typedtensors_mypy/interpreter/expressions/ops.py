# SPDX-License-Identifier: Apache-2.0
"""Applying the rules of ops to values, and judging the broadcasts that this shows."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from functools import cache

from typedtensors.diagnostics import Diagnostic
from typedtensors.dims import Dim, Facts
from typedtensors.ops import (
    Conflict,
    Fields,
    Framework,
    Known,
    Layer,
    Many,
    Outcome,
    Rule,
    Unknown,
    Value,
    canonical,
    lookup,
)
from typedtensors.ops.rule import framework_of as framework_of_op
from typedtensors.shapes import DType, Tensor
from typedtensors.shapes.broadcast import Reason
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions.broadcasts import as_compared, judge_all
from typedtensors_mypy.interpreter.expressions.choices import judge_choice, reads_places
from typedtensors_mypy.interpreter.expressions.layouts import judge_rows, judge_view
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Either,
    Items,
    Stream,
    either,
    of_framework,
    options,
    present_options,
)
from typedtensors_mypy.source.program import External

_MOST_COMBINATIONS = 8
# Most arguments are one of these, which rules know as they are.
_PLAIN = (Tensor, Dim, Unknown, DType, str)
_FLAGS = frozenset({"keepdim", "keepdims"})
# `dtype=float` is what arrays make of it, in NumPy and in torch.
_PYTHON_TYPES = {
    "builtins.bool": DType.exactly("bool"),
    "builtins.int": DType.exactly("int64"),
    "builtins.float": DType.exactly("float64"),
    "builtins.complex": DType.exactly("complex128"),
}


def rule_name(frame: Frame, name: str) -> str | None:
    """The name under which an op has a rule: the one it is reached by, or is defined under."""
    known = frame.run.rule_names
    if name not in known:
        candidates = (name, frame.run.program.canonical(name))
        found = (each for each in candidates if each and lookup(each) is not None)
        known[name] = next(map(canonical, found), None)
    return known[name]


def apply_op(
    frame: Frame,
    node: ast.expr,
    name: str,
    args: tuple[Value, ...],
    kwargs: Mapping[str, Value] | None = None,
    *,
    layer: Layer | None = None,
) -> Value:
    """The value of an op called with these arguments; tells of a conflict, once.

    Where an argument has alternatives each is tried; only if all of them conflict that is told.
    """
    known = rule_name(frame, name)
    rule = None if known is None else lookup(known)
    if known is None or rule is None:
        return Unknown(f"`{name}` has no rule")
    given = tuple([_plain(frame, arg) for arg in args])
    named = {key: _flag(key, _plain(frame, arg)) for key, arg in (kwargs or {}).items()}
    if any(map(_is_reported, given)) or any(map(_is_reported, named.values())):
        return REPORTED
    return _Application(frame, node, known, rule, layer).run(given, named)


def _plain(frame: Frame, value: Value) -> Value:
    """The value as rules know it: a list of which something may have changed is unknown."""
    if isinstance(value, _PLAIN):
        return value
    value = frame.state.now(value)
    if isinstance(value, Items):
        if value.keys is not None:
            return Unknown("a dict")
        return [_plain_item(frame, item) for item in value.values]
    if isinstance(value, tuple):
        return tuple(_plain_item(frame, item) for item in value)
    if isinstance(value, External):
        return _PYTHON_TYPES.get(value.name, value)
    if isinstance(value, Stream):
        return Many(_plain_item(frame, value.item), value.rounds)
    return value


def _plain_item(frame: Frame, value: Value) -> Value:
    """The same of what a sequence holds: of several arrays that it may be, what they share.

    That one of them is None is left to mypy, as it is of an argument.
    """
    if isinstance(value, Either):
        arrays = present_options(value)
        if all(isinstance(each, Tensor) for each in arrays):
            return join_all(arrays)
    return _plain(frame, value)


def _flag(name: str, value: Value) -> Value:
    """A flag on which the rank of a result depends is one or the other, where it is not known."""
    unknown = isinstance(value, Unknown) and value != REPORTED
    return either((True, False)) if unknown and name in _FLAGS else value


def _is_reported(value: Value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(each, Unknown) and each == REPORTED for each in value)
    return isinstance(value, Unknown) and value == REPORTED


@cache
def _framework_of_result(op: str) -> Framework:
    return Framework.NUMPY if op == "torch.Tensor.numpy" else framework_of_op(op)


class _Application:
    """One op at one place of the code, with one set of alternatives of arguments."""

    def __init__(
        self, frame: Frame, node: ast.expr, name: str, rule: Rule, layer: Layer | None
    ) -> None:
        self.frame, self.node, self.name = frame, node, name
        self.rule, self.layer = rule, layer

    def run(self, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        if Either not in map(type, args) and Either not in map(type, kwargs.values()):
            return self._run_one(args, kwargs)
        ways = itertools.product(*map(options, (*args, *kwargs.values())))
        combinations = list(itertools.islice(ways, _MOST_COMBINATIONS + 1))
        if len(combinations) > _MOST_COMBINATIONS:
            self.frame.run.doubts += 1
            return Unknown("more alternatives than are followed")
        before = self.frame.state.facts
        values: list[Value] = []
        after: list[Facts] = []
        conflicts: list[Diagnostic] = []
        for combination in combinations:
            named = dict(zip(kwargs, combination[len(args) :], strict=True))
            outcome = self._once(combination[: len(args)], named, before)
            if isinstance(outcome, Conflict):
                conflicts.append(outcome.diagnostic)
            elif isinstance(outcome, Unknown):
                values.append(outcome)
                after.append(before)
            else:
                values.append(of_framework(outcome.value, _framework_of_result(self.name)))
                after.append(outcome.facts)
        return self._combine(values, after, conflicts)

    def _run_one(self, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        """The value where no argument has alternatives."""
        before = self.frame.state.facts
        outcome = self._once(args, kwargs, before)
        if isinstance(outcome, Conflict):
            self.frame.report(self.node, outcome.diagnostic)
            return REPORTED
        if isinstance(outcome, Unknown):
            self.frame.state.facts = before
            return outcome
        self.frame.state.facts = outcome.facts
        return of_framework(outcome.value, _framework_of_result(self.name))

    def _once(self, args: tuple[Value, ...], kwargs: dict[str, Value], facts: Facts) -> Outcome:
        outcome = self.rule.evaluate(
            self.name, args, kwargs, facts, layer=self.layer, invoke=self._invoke
        )
        if isinstance(outcome, Known):
            found = judge_all(self.frame, self.node, self.rule, outcome)
            found = found or judge_view(self.frame, self.name, args, outcome)
            found = found or judge_rows(self.name, args, kwargs)
            found = found or self._judge_choice(args, kwargs, outcome)
            if found is not None and found.reason == Reason.IMPLICIT.value:
                # It is not written out, but it is no mistake: its result is what it is.
                self.frame.report(self.node, found)
            elif found is not None:
                return Conflict(found)
            return as_compared(outcome)
        return outcome

    def _judge_choice(
        self, args: tuple[Value, ...], kwargs: dict[str, Value], outcome: Known
    ) -> Diagnostic | None:
        """In a function that is followed from a call, an axis may have one element by chance."""
        if self.frame.called_at is not None:
            return None
        found = judge_choice(self.name, self.rule, self.layer, (args, kwargs), outcome)
        if found is None or not isinstance(outcome.value, Fields):
            return found
        root = self.frame.function or self.frame.scope.module.tree
        return found if reads_places(root, self.node) else None

    def _invoke(self, callee: Value, args: tuple[Value, ...]) -> Outcome:
        """How a rule calls what it was given: a layer inside `nn.Sequential`, a function."""
        value = self.frame.run.call(self.frame, self.node, callee, Arguments(args))
        return value if isinstance(value, Unknown) else Known(value, self.frame.state.facts)

    def _combine(
        self, values: list[Value], after: list[Facts], conflicts: list[Diagnostic]
    ) -> Value:
        if not values:
            self.frame.report(self.node, conflicts[0])
            return REPORTED
        self.frame.run.doubts += len(conflicts)
        self.frame.state.facts = facts = after[0]
        for other in after[1:]:
            self.frame.state.facts = facts = facts.join(other)
        joined = either(values)
        self.frame.run.doubts += isinstance(joined, Unknown) and len(values) > 1
        return joined
