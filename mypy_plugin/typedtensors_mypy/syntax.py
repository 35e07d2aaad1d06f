# SPDX-License-Identifier: Apache-2.0
"""Walks over statements only: most of a syntax tree is expressions, and most questions are not."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a body, in no order, those of functions and classes in it included."""
    pending: list[ast.AST] = [*body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        for part in _PARTS:
            pending += getattr(node, part, ())


def assigned_attributes(body: Iterable[ast.stmt]) -> Iterator[ast.Attribute]:
    """Every attribute that a statement of a body assigns, `self.a` of `self.a, b = 1, 2`."""
    for statement in statements(body):
        for target in _targets(statement):
            for part in ast.walk(target):
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                    yield part


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign):
        yield from node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        yield node.target
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from (item.optional_vars for item in node.items if item.optional_vars is not None)
