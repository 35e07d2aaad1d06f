# SPDX-License-Identifier: Apache-2.0
"""`match` statements: which cases a value may come to, and what their patterns bind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.calls.libraries.builtin import is_of
from typedtensors_mypy.interpreter.expressions.attributes import attribute_of
from typedtensors_mypy.interpreter.expressions.iteration import (
    known_items,
    unpack,
    unpack_around,
)
from typedtensors_mypy.interpreter.expressions.operators import decide
from typedtensors_mypy.interpreter.expressions.subscripts import item_at
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.state import State, join_states
from typedtensors_mypy.interpreter.statements.assignment import assign
from typedtensors_mypy.interpreter.statements.refinement import refine, truth
from typedtensors_mypy.interpreter.values import Instance, UserClass, either, options
from typedtensors_mypy.source.modules import Assigned


def match_statement(frame: Frame, node: ast.Match) -> None:
    """Go through each case that some alternative of the subject may come to."""
    left = options(frame.evaluate(node.subject))
    ends: list[State] = []
    for case in node.cases:
        tried = [_try(frame, case.pattern, option) for option in left]
        fitting = [
            (option, end)
            for option, (fits, end) in zip(left, tried, strict=True)
            if fits is not False
        ]
        if fitting:
            with frame.branch(join_states(end for _, end in fitting)):
                _set_subject(frame, node.subject, [option for option, _ in fitting])
                _execute_case(frame, case)
                ends.append(frame.state)
        sure = case.guard is None
        left = tuple(
            option
            for option, (fits, _) in zip(left, tried, strict=True)
            if not (fits is True and sure)
        )
        if not left:
            break
    if left:
        ends.append(frame.state.fork())
    frame.state.become(join_states(ends))


def _execute_case(frame: Frame, case: ast.match_case) -> None:
    if case.guard is not None:
        frame.evaluate(case.guard)
        refine(frame, case.guard, holds=True)
    frame.execute(case.body)


def _set_subject(frame: Frame, subject: ast.expr, values: Sequence[Value]) -> None:
    if isinstance(subject, ast.Name) and subject.id in frame.state.values:
        frame.state.values[subject.id] = either(values)


def _try(frame: Frame, pattern: ast.pattern, value: Value) -> tuple[bool | None, State]:
    """Whether a value fits a pattern, None if that depends on the run; and the state if so."""
    with frame.branch(frame.state.fork()) as state:
        return _fits(frame, pattern, value), state


def _fits(frame: Frame, pattern: ast.pattern, value: Value) -> bool | None:
    if isinstance(pattern, ast.MatchAs):
        fits = True if pattern.pattern is None else _fits(frame, pattern.pattern, value)
        _bind(frame, pattern.name, value)
        return fits
    if isinstance(pattern, ast.MatchOr):
        return _any(_fits(frame, each, value) for each in pattern.patterns)
    if isinstance(pattern, ast.MatchValue):
        return truth(decide("eq", value, frame.evaluate(pattern.value)))
    if isinstance(pattern, ast.MatchSingleton):
        return _is_singleton(value, pattern.value)
    if isinstance(pattern, ast.MatchSequence):
        return _fits_sequence(frame, pattern, value)
    if isinstance(pattern, ast.MatchClass):
        return _fits_class(frame, pattern, value)
    if isinstance(pattern, ast.MatchMapping):
        pairs = zip(pattern.keys, pattern.patterns, strict=True)
        items = [(each, item_at(frame, value, frame.evaluate(key))) for key, each in pairs]
        _bind(frame, pattern.rest, Unknown("the rest of a dict"))
        return False if False in [_fits(frame, *item) for item in items] else None
    return None


def _bind(frame: Frame, name: str | None, value: Value) -> None:
    if name is not None:
        assign(frame, ast.Name(name, ast.Store()), value)


def _any(answers: Iterable[bool | None]) -> bool | None:
    listed = list(answers)
    return True if True in listed else None if None in listed else False


def _all(answers: Iterable[bool | None]) -> bool | None:
    listed = list(answers)
    return False if False in listed else None if None in listed else True


def _is_singleton(value: Value, singleton: object) -> bool | None:
    if isinstance(value, Unknown):
        return None
    if isinstance(value, bool) or value is None:
        return value is singleton
    return False if isinstance(value, (Tensor, Instance, tuple, str, float)) else None


def _fits_sequence(frame: Frame, pattern: ast.MatchSequence, value: Value) -> bool | None:
    """The items of a sequence, by their patterns; a text is no sequence."""
    count = len(pattern.patterns)
    stars = [at for at, each in enumerate(pattern.patterns) if isinstance(each, ast.MatchStar)]
    if stars:
        around = unpack_around(frame, value, stars[0], count - stars[0] - 1)
        values = None if around is None else (*around[0], around[1], *around[2])
    else:
        values = unpack(frame, value, count)
    known = known_items(frame, value) is not None
    if values is None:
        values = (Unknown("an item of a sequence"),) * count
        if known or isinstance(value, (str, Tensor)) or value is None:
            return False
    answers = []
    for each, item in zip(pattern.patterns, values, strict=True):
        if isinstance(each, ast.MatchStar):
            _bind(frame, each.name, item)
        else:
            answers.append(_fits(frame, each, item))
    return _all(answers if known else [*answers, None])


def _fits_class(frame: Frame, pattern: ast.MatchClass, value: Value) -> bool | None:
    cls = frame.evaluate(pattern.cls)
    answer = is_of(frame, value, cls)
    names = [*_positional_names(cls, len(pattern.patterns)), *pattern.kwd_attrs]
    parts = [*pattern.patterns, *pattern.kwd_patterns]
    answers = [answer]
    for name, part in zip(names, parts, strict=True):
        held = value if name is None else attribute_of(frame, pattern.cls, value, name)
        answers.append(_fits(frame, part, held))
    return _all(answers)


def _positional_names(cls: Value, count: int) -> list[str | None]:
    """The attributes that positional patterns stand for; None for the object, as in `int(x)`."""
    if not isinstance(cls, UserClass):
        return [None] * count
    symbols = cls.symbols.items()
    fields = [name for name, each in symbols if isinstance(each, Assigned) and each.annotation]
    return [*fields[:count], *["__match_args__"] * (count - len(fields))]
