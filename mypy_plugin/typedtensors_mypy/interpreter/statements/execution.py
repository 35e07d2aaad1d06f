# SPDX-License-Identifier: Apache-2.0
"""Going through statements."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from typedtensors.diagnostics import wording
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.alternatives import either_way
from typedtensors_mypy.interpreter.annotations.absent import unbound_names
from typedtensors_mypy.interpreter.annotations.declared import check, keep
from typedtensors_mypy.interpreter.calls.libraries.containers import extend
from typedtensors_mypy.interpreter.expressions import operators
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.state import join_states
from typedtensors_mypy.interpreter.statements.assignment import (
    assign,
    forget_module,
    mark_changed,
)
from typedtensors_mypy.interpreter.statements.blocks import try_block, with_block
from typedtensors_mypy.interpreter.statements.definitions import define_class, define_function
from typedtensors_mypy.interpreter.statements.endings import End, ending, hold_against_each, missing
from typedtensors_mypy.interpreter.statements.guards import judge_guard
from typedtensors_mypy.interpreter.statements.loops import for_loop, while_loop
from typedtensors_mypy.interpreter.statements.matching import match_statement
from typedtensors_mypy.interpreter.statements.refinement import holds_here, refine
from typedtensors_mypy.interpreter.statements.unpacking import check_pieces, unpack_shape
from typedtensors_mypy.interpreter.values import REPORTED, Chain, Items, Promise, either
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import OpaqueType
from typedtensors_mypy.source.modules import Module, import_bindings
from typedtensors_mypy.source.program import External, resolve as resolve_name


def execute(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Go through statements, up to the one after which control does not go on."""
    for at, statement in enumerate(body):
        if not frame.state.alive:
            return
        if statement.__class__ is ast.If:
            rest = ending(frame, body[at + 1 :])
            if rest:
                _end(frame, statement, rest)
                return
        if frame.run.trail is not None and not hasattr(statement, "body"):
            frame.run.trail.append(statement)
        executor = _EXECUTORS.get(type(statement))
        if executor is not None:
            executor(frame, statement)


def _expression(frame: Frame, node: ast.Expr) -> None:
    frame.evaluate(node.value)


def _assign(frame: Frame, node: ast.Assign) -> None:
    value = frame.evaluate(node.value)
    for target in node.targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            check_pieces(frame, target, node.value, value)
            assign(frame, target, unpack_shape(frame, target, node.value, value))
        else:
            assign(frame, target, value)


def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    kind = type_of(frame.scope, node.annotation)
    if node.value is None:
        if isinstance(node.target, ast.Name) and not isinstance(kind, OpaqueType):
            frame.state.assign(node.target.id, Promise(kind))
        return
    value = frame.evaluate(node.value)
    where = f"`{ast.unparse(node.target)}`"
    assign(frame, node.target, keep(frame, node.value, where, kind, value))


def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    left, right = frame.evaluate(node.target), frame.evaluate(node.value)
    if isinstance(left, Items) and isinstance(node.op, ast.Add):
        extend(frame, left, right)
        return
    as_expression = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
    value = operators.binary(frame, as_expression, node.op, left, right, in_place=True)
    assign(frame, node.target, value)


def _return(frame: Frame, node: ast.Return) -> None:
    frame.outcomes.append(None if node.value is None else _returned(frame, node.value))
    frame.exits.append(frame.state.fork())
    frame.state.alive = False


def _returned(frame: Frame, node: ast.expr) -> Value:
    """What a statement returns, which is checked; `a if test else b` returns either, as `if` does.

    Names that only the return annotation has stand for what this statement returns.
    """
    if isinstance(node, ast.IfExp) and not isinstance(frame.returns, OpaqueType):
        return _returned_of_either(frame, node)
    value = frame.evaluate(node)
    if isinstance(frame.returns, OpaqueType):
        return value
    bindings = frame.bindings
    frame.bindings = bindings.without(unbound_names(frame))
    fits = check(frame, node, wording.returned(frame.name), frame.returns, value)
    frame.bindings = bindings
    return value if fits else REPORTED


def _returned_of_either(frame: Frame, node: ast.IfExp) -> Value:
    answer = holds_here(frame, frame.evaluate(node.test))
    if answer is not None:
        return _returned(frame, node.body if answer else node.orelse)
    values, ends = [], []
    for branch, holds in ((node.body, True), (node.orelse, False)):
        with frame.branch(frame.state.fork()) as state:
            refine(frame, node.test, holds=holds)
            values.append(_returned(frame, branch))
            ends.append(state)
    frame.state.become(join_states(ends))
    return either(values)


def _raise(frame: Frame, node: ast.Raise) -> None:
    if node.exc is not None:
        frame.evaluate(node.exc)
    frame.state.alive = False


def _assert(frame: Frame, node: ast.Assert) -> None:
    if holds_here(frame, frame.evaluate(node.test)) is False:
        judge_guard(frame, node, (), answer=False)
    refine(frame, node.test, holds=True)


def _end(frame: Frame, node: ast.If, rest: Sequence[ast.stmt]) -> None:
    """Go through a test and what is left of the function behind it."""
    ends: list[End] = []
    _if(frame, node, ends)
    told = len(frame.run.findings)
    frame.execute(rest)
    if len(frame.run.findings) == told:
        hold_against_each(frame, ends, rest)


def _if(frame: Frame, node: ast.If, ends: list[End] | None = None) -> None:
    """Go through the branches of a test; `ends` get what holds where each of them goes on."""
    answer = holds_here(frame, frame.evaluate(node.test))
    if answer is not None and frame.function is not None:
        chosen = node.body if answer else node.orelse
        judge_guard(frame, node, chosen, answer=answer)
        refine(frame, node.test, holds=answer)
        frame.execute(chosen)
        return

    def branch(body: Sequence[ast.stmt], *, holds: bool) -> None:
        refine(frame, node.test, holds=holds)
        absent = frozenset() if ends is None else missing(frame)
        frame.execute(body)
        if ends is not None and frame.state.alive:
            ends.append(End(frame.state.fork(), absent))

    sides = partial(branch, node.body, holds=True), partial(branch, node.orelse, holds=False)
    either_way(frame, sides)


def _delete(frame: Frame, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            owner = frame.evaluate(target.value)
            mark_changed(frame, owner)
            if isinstance(owner, Chain):
                forget_module(frame, target.value)
        else:
            assign(frame, target, Unknown("a name that was deleted"))


def _break(frame: Frame, _node: ast.Break) -> None:
    if frame.loops:
        frame.loops[-1].breaks.append(frame.state.fork())
    frame.state.alive = False


def _continue(frame: Frame, _node: ast.Continue) -> None:
    if frame.loops:
        frame.loops[-1].continues.append(frame.state.fork())
    frame.state.alive = False


def _import(frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    for name, full in import_bindings(node, frame.scope.module.package):
        if name == "*":
            continue
        target = resolve_name(frame.run.program, full)
        if isinstance(target, (External, Module)):
            frame.state.assign(name, target)
        else:
            frame.state.values.pop(name, None)
            frame.local -= {name}


def _function(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    define_function(frame, node)


def _class(frame: Frame, node: ast.ClassDef) -> None:
    define_class(frame, node)


_EXECUTORS: dict[type[ast.stmt], Callable[[Frame, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.If: _if,
    ast.For: for_loop,
    ast.AsyncFor: for_loop,
    ast.While: while_loop,
    ast.With: with_block,
    ast.AsyncWith: with_block,
    ast.Try: try_block,
    ast.Match: match_statement,
    ast.Delete: _delete,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
if sys.version_info >= (3, 11):
    _EXECUTORS[ast.TryStar] = try_block
