# SPDX-License-Identifier: Apache-2.0
"""The end of a function behind an `if`, held against each of its branches.

What two branches leave of a variable may have little in common: an axis that is `batch` after one
and `pos` after the other is any axis after both. A few statements that return are gone through once
more for each, and what is wrong after one of them is wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.interpreter.alternatives import Marks
from typedtensors_mypy.interpreter.annotations.signature import signature_of
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.state import State
from typedtensors_mypy.interpreter.values import Function
from typedtensors_mypy.source.annotations.types import (
    AnnotationType,
    ArrayType,
    UnionType,
    specs_of,
)
from typedtensors_mypy.source.syntax.walks import walk

# In statements, the one that returns included.
_LONGEST = 4
_PLAIN = (ast.AnnAssign, ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
# What depends on a test may be ruled out after the branch in question.
_TESTS = (ast.BoolOp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.Lambda, ast.ListComp)


def ending(frame: Frame, rest: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """The statements behind an `if`, if these are few that return; else none."""
    if frame.callee is None or frame.called_at is not None or frame.run.muted:
        return ()
    if not 0 < len(rest) <= _LONGEST or not isinstance(rest[-1], ast.Return):
        return ()
    module = frame.scope.module
    plain = all(module.once(_is_plain, each) for each in rest)
    return rest if plain and _binds_each_name(frame, frame.callee) else ()


def _binds_each_name(frame: Frame, function: Function) -> bool:
    """Whether the names of the result are bound whichever of a few arrays a parameter is."""
    signature = signature_of(frame.run, function)
    always, sometimes = set[str](), set[str]()
    for parameter in signature.parameters:
        kind = parameter.type
        items = kind.items if isinstance(kind, UnionType) else (kind,)
        ways = [_names(item) for item in items if isinstance(item, ArrayType)] or [_names(kind)]
        always |= frozenset.intersection(*ways)
        sometimes.update(*ways)
    return _names(signature.returns).isdisjoint(sometimes - always)


def _names(kind: AnnotationType) -> frozenset[str]:
    """The names of axes in an annotation."""
    return frozenset().union(*(spec.names | spec.variadic_names for spec in specs_of(kind)))


def _is_plain(statement: ast.stmt) -> bool:
    tests = (part for part in walk(statement) if isinstance(part, _TESTS))
    return isinstance(statement, _PLAIN) and next(tests, None) is None


@dataclass(frozen=True)
class End:
    """What holds at the end of a branch; `absent` are the names that were None at its start."""

    state: State
    absent: frozenset[str]


def missing(frame: Frame) -> frozenset[str]:
    """The names that are None here: of parameters, those that are not given."""
    return frozenset(name for name, value in frame.state.values.items() if value is None)


def hold_against_each(frame: Frame, ends: Sequence[End], rest: Sequence[ast.stmt]) -> None:
    """Go through the end of a function once for each state that may come to it."""
    if len(ends) < 2 or not _differ(ends, rest):
        return
    run, bindings, absent = frame.run, frame.bindings, frame.absent
    for end in ends:
        marks = Marks(frame)
        frame.absent = absent | end.absent
        with run.unseen(), frame.branch(end.state):
            frame.execute(rest)
        told = [each for each in run.findings[marks.findings :] if each.code is not None]
        marks.undo()
        for finding in told:
            run.tell(finding)
        frame.bindings, frame.absent = bindings, absent


def _differ(ends: Sequence[End], rest: Sequence[ast.stmt]) -> bool:
    """Whether what the statements read is one thing after one branch, another after another."""
    names = {part.id for each in rest for part in walk(each) if isinstance(part, ast.Name)}
    first, *others = (end.state.values for end in ends)
    return any(first.get(name) is not other.get(name) for name in names for other in others)
