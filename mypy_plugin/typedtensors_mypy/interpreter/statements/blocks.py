# SPDX-License-Identifier: Apache-2.0
"""Blocks that an exception may leave: those of `with` and `try`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import nullcontext

from typedtensors.ops import Unknown, Value
from typedtensors.shapes.broadcast import ACCEPTING
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.calls.libraries.python import enter
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.state import State, join_states
from typedtensors_mypy.interpreter.statements.assignment import assign
from typedtensors_mypy.interpreter.values import Instance
from typedtensors_mypy.source import library
from typedtensors_mypy.source.program import External
from typedtensors_mypy.source.syntax.walks import dotted, stored_names

# In statements: a training loop in a `try` is no attempt at something.
_LONGEST_ATTEMPT = 2


def with_block(frame: Frame, node: ast.With | ast.AsyncWith) -> None:
    """Go through a block; control goes on after it where its manager swallows exceptions."""
    before, names = frame.accepting, {_manager(frame, item.context_expr) for item in node.items}
    suppressed = not names.isdisjoint(library.SUPPRESSING)
    start = frame.state.fork()
    for item in node.items:
        manager = frame.evaluate(item.context_expr)
        suppressed |= _may_suppress(frame, manager)
        entered = enter(frame, item.context_expr, manager)
        if item.optional_vars is not None:
            assign(frame, item.optional_vars, entered)
    frame.accepting = before or not names.isdisjoint(ACCEPTING)
    with nullcontext() if names.isdisjoint(library.EXPECTING) else frame.run.silence():
        frame.execute(node.body)
    frame.accepting = before
    if suppressed:
        # An exception in the block ends it, and control goes on after it.
        _forget_assigned(start, node.body)
        frame.state.become(join_states([frame.state, start]))


def _may_suppress(frame: Frame, manager: Value) -> bool:
    """Whether an object of the user's may swallow an exception: its `__exit__` returns a bool."""
    leaving = bound_method(frame, manager, "__exit__") if isinstance(manager, Instance) else None
    said = None if leaving is None else leaving.node.returns
    return said is not None and dotted(said) == "bool"


def _manager(frame: Frame, expression: ast.expr) -> str:
    """The name of the library's context manager that an expression makes, if it does.

    Each framework of tests has more of `self.assertRaises`, `self.assertRaisesRegex`.
    """
    if not isinstance(expression, ast.Call):
        return ""
    called = expression.func
    if isinstance(called, ast.Attribute) and called.attr.startswith("assertRaises"):
        return library.ASSERT_RAISES
    target = frame.scope.target(called)
    return target.name if isinstance(target, External) else ""


def try_block(frame: Frame, node: ast.Try) -> None:
    """A handler may be entered from anywhere in the body: of what that assigns it knows nothing."""
    before = frame.state.fork()
    attempt = frame.scope.module.once(_is_attempt, node)
    with frame.run.silence() if attempt else nullcontext():
        frame.execute(node.body)
    frame.execute(node.orelse)
    ends = [frame.state.fork()]
    for handler in node.handlers:
        with frame.branch(before.fork()) as state:
            _forget_assigned(state, node.body)
            if handler.name is not None:
                state.assign(handler.name, Unknown("an exception"))
            frame.execute(handler.body)
            ends.append(frame.state)
    frame.state.become(join_states(ends))
    _finally(frame, node, ends)


def _is_attempt(node: ast.Try) -> bool:
    """Whether a block tries something that may well fail: it is short, and goes on if it does.

    A loop of training in a `try` is none.
    """
    return len(node.body) <= _LONGEST_ATTEMPT and any(
        (each.type is None or not library.FAILURES.isdisjoint(_named(each.type)))
        and not any(isinstance(part, ast.Raise) for body in each.body for part in ast.walk(body))
        for each in node.handlers
    )


def _named(kind: ast.expr) -> set[str]:
    """The names in what an `except` catches."""
    return {part.id for part in ast.walk(kind) if isinstance(part, ast.Name)}


def _finally(frame: Frame, node: ast.Try, ends: list[State]) -> None:
    if not node.finalbody:
        return
    if frame.state.alive:
        frame.execute(node.finalbody)
        return
    with frame.branch(ends[0].fork()) as state:
        state.alive = True
        frame.execute(node.finalbody)


def _forget_assigned(state: State, body: Sequence[ast.stmt]) -> None:
    for name in stored_names(body):
        state.assign(name, Unknown("assigned where an exception may come in between"))
