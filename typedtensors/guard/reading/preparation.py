# SPDX-License-Identifier: Apache-2.0
"""What earlier lines of the function did to the variables of an expression."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from typedtensors.shapes.broadcast import inserts_axis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
# What has names of its own, so that nothing in it assigns to a name around it.
_CLOSED: Final = (*_SCOPES, ast.ClassDef, ast.Lambda)


class Given(NamedTuple):
    """What a variable is assigned: a value, or an item of one that is unpacked."""

    value: ast.expr
    item: int | None = None

    @property
    def line(self) -> int:
        """The line at which the value is computed."""
        return self.value.lineno


class Variables:
    """The variables of the function that covers a line, or of the module."""

    def __init__(self, source: str, line: int) -> None:
        tree = _tree(source)
        self._scope = None if tree is None else _innermost(tree, line)
        self._given = [] if self._scope is None else [*_assignments(self._scope)]

    def before(self, name: str, line: int) -> Given | None:
        """What a variable is assigned last before a line."""
        return max(
            (
                given
                for variable, given in self._given
                if variable == name and (given.value.end_lineno or given.line) < line
            ),
            key=lambda given: given.line,
            default=None,
        )

    def compare_sizes(self, line: int) -> bool:
        """Whether the function compares sizes before a line: `assert x.shape == y.shape`."""
        nodes = () if self._scope is None else ast.walk(self._scope)
        compared = [_compared(node) for node in nodes if getattr(node, "lineno", line) < line]
        return any(pair and all(map(self._is_size, pair)) for pair in compared)

    def _is_size(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            given = self.before(node.id, node.lineno)
            return given is not None and _mentions_sizes(given.value)
        return _mentions_sizes(node)


def _compared(node: ast.AST) -> Sequence[ast.expr]:
    """The two sides of `a == b`, `a != b` and `assert_equal(a, b)`; nothing of anything else."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return node.left, node.comparators[0]
    if isinstance(node, ast.Call) and len(node.args) > 1:
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        return node.args[:2] if name == "assert_equal" else ()
    return ()


def _mentions_sizes(node: ast.expr) -> bool:
    words = {getattr(part, "attr", getattr(part, "id", None)) for part in ast.walk(node)}
    return not words.isdisjoint({"shape", "size", "len"})


def is_prepared(expression: ast.AST, line: int, variables: Variables) -> bool:
    """Whether the last assignment to some variable of the expression inserts an axis.

    `position = torch.arange(n).unsqueeze(1).float()` is no view any more when it is used.
    """
    names = {part.id for part in ast.walk(expression) if isinstance(part, ast.Name)}
    latest = [variables.before(name, line) for name in names]
    return any(inserts_axis(given.value) for given in latest if given is not None)


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


def _assignments(node: ast.AST) -> Iterator[tuple[str, Given]]:
    """Each plain assignment to a name, in this scope only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assign):
            for target in child.targets:
                yield from _paired(target, child.value)
        elif isinstance(child, (ast.AnnAssign, ast.NamedExpr)) and child.value is not None:
            yield from _paired(child.target, child.value)
        if not isinstance(child, _CLOSED):
            yield from _assignments(child)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Given]]:
    if isinstance(target, ast.Name):
        yield target.id, Given(value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for each, its in zip(target.elts, value.elts, strict=False):
            yield from _paired(each, its)
    elif isinstance(target, ast.Tuple):
        for item, each in enumerate(target.elts):
            if isinstance(each, ast.Name):
                yield each.id, Given(value, item)
