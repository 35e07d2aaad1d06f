# SPDX-License-Identifier: Apache-2.0
"""Expressions that AutoGraph has converted, as the program wrote them."""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Final

_AUTOGRAPH: Final = "ag__"
"""The module that converted code calls."""


def written_before(node: ast.AST) -> str:
    """The expression that was converted, as Python writes it.

    >>> written_before(ast.parse("ag__.converted_call(ag__.ld(f), (ag__.ld(x),), None, fscope)"))
    'f(x)'
    """
    return ast.unparse(_Restoring().visit(deepcopy(node)))


class _Restoring(ast.NodeTransformer):
    """Puts names and calls back for what reads and makes them."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`x` for `ag__.ld(x)`, and `f(x)` for `ag__.converted_call(f, (x,), None, scope)`."""
        self.generic_visit(node)
        name = _name(node)
        if name == "ld" and len(node.args) == 1:
            return node.args[0]
        if name == "converted_call" and len(node.args) == 4 and isinstance(node.args[1], ast.Tuple):
            named = node.args[2]
            keywords = named.keywords if isinstance(named, ast.Call) else []
            return ast.Call(node.args[0], node.args[1].elts, keywords)
        return node


def _name(node: ast.Call) -> str | None:
    """The name of AutoGraph's function that is called."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == _AUTOGRAPH else None
    return None
