# SPDX-License-Identifier: Apache-2.0
"""Whether an earlier line of the function gave a variable of an expression its axis of size 1."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from typedtensors.shapes.broadcast import inserts_axis

if TYPE_CHECKING:
    from collections.abc import Iterator

_Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
# What has names of its own, so that nothing in it assigns to a name around it.
_CLOSED: Final = (*_SCOPES, ast.ClassDef, ast.Lambda)


def is_prepared(source: str, line: int, expression: ast.AST) -> bool:
    """Whether the last assignment before `line` to some variable of the expression inserts an axis.

    `position = torch.arange(n).unsqueeze(1).float()` is no view any more when it is used.
    """
    tree = _tree(source)
    names = {part.id for part in ast.walk(expression) if isinstance(part, ast.Name)}
    if tree is None or not names:
        return False
    latest: dict[str, ast.expr] = {}
    for name, value in _assignments(_innermost(tree, line)):
        earlier = (value.end_lineno or value.lineno) < line
        if earlier and name in names and _is_later(value, latest.get(name)):
            latest[name] = value
    return any(map(inserts_axis, latest.values()))


@lru_cache(maxsize=32)
def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def _innermost(tree: ast.Module, line: int) -> _Scope:
    """The innermost function that covers a line, or the module."""
    best: _Scope = tree
    for node in ast.walk(tree):  # outer functions come before those in them
        if isinstance(node, _SCOPES) and node.lineno <= line <= (node.end_lineno or node.lineno):
            best = node
    return best


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Each plain assignment to a name, in this scope only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assign):
            for target in child.targets:
                yield from _paired(target, child.value)
        elif isinstance(child, (ast.AnnAssign, ast.NamedExpr)) and child.value is not None:
            yield from _paired(child.target, child.value)
        if not isinstance(child, _CLOSED):
            yield from _assignments(child)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for each, its in zip(target.elts, values, strict=False):
            yield from _paired(each, its)


def _is_later(value: ast.expr, other: ast.expr | None) -> bool:
    return other is None or value.lineno >= other.lineno
