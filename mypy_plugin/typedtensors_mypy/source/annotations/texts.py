# SPDX-License-Identifier: Apache-2.0
"""Texts that a source writes out, in whatever pieces: `"b d"`, `SPEC`, `PREFIX + " d"`."""

from __future__ import annotations

import ast

from typedtensors_mypy.source.modules import Assigned
from typedtensors_mypy.source.program import Definition
from typedtensors_mypy.source.scope import Scope

_MOST_NAMES = 10


def text_of(node: ast.expr, scope: Scope) -> str | None:
    """The text that an expression comes to; None if it is none, or not known before the run."""
    constant = constant_of(node, scope)
    return constant.value if constant and isinstance(constant.value, str) else None


def constant_of(node: ast.expr, scope: Scope, names: int = _MOST_NAMES) -> ast.Constant | None:
    """The constant that an expression comes to, by way of at most so many names."""
    if isinstance(node, ast.Constant):
        return node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([node.left, node.right], scope, names)
    if isinstance(node, ast.JoinedStr):
        return _joined(node.values, scope, names)
    if isinstance(node, ast.FormattedValue):
        plain = node.conversion == -1 and node.format_spec is None
        inner = constant_of(node.value, scope, names) if plain else None
        return inner and ast.Constant(str(inner.value))
    return _named(node, scope, names)


def _joined(nodes: list[ast.expr], scope: Scope, names: int) -> ast.Constant | None:
    parts = [constant_of(node, scope, names) for node in nodes]
    texts = [part.value for part in parts if part and isinstance(part.value, str)]
    return ast.Constant("".join(texts)) if len(texts) == len(nodes) else None


def _named(node: ast.expr, scope: Scope, names: int) -> ast.Constant | None:
    target = scope.target(node)
    if not names or not isinstance(target, Definition) or not isinstance(target.node, Assigned):
        return None
    value = target.node.value
    inner = scope if target.module is scope.module else Scope(scope.program, target.module)
    return None if value is None else constant_of(value, inner, names - 1)
