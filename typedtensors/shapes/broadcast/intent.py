# SPDX-License-Identifier: Apache-2.0
"""Whether an expression shows that a broadcast is meant: it inserts an axis itself."""

from __future__ import annotations

import ast
from typing import Final

_INSERTING: Final = frozenset(
    {"unsqueeze", "unsqueeze_", "view", "reshape", "expand", "expand_as", "view_as", "reshape_as"}
    | {"broadcast_to", "expand_dims", "meshgrid", "rearrange", "repeat", "tile", "align"}
)


def inserts_axis(node: ast.AST) -> bool:
    """Whether the expression inserts an axis: `x[:, None]`, unsqueeze, view, `keepdim=True`."""
    return any(_inserts(part) for part in ast.walk(node))


def _inserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return any(_is_new_axis(part) for part in ast.walk(node.slice))
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        return name in _INSERTING or any(map(_keeps_dim, node.keywords))
    return False


def _is_new_axis(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Attribute) and node.attr == "newaxis"


def _keeps_dim(keyword: ast.keyword) -> bool:
    named = keyword.arg in {"keepdim", "keepdims"}
    return named and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
