# SPDX-License-Identifier: Apache-2.0
"""Which operands are made of the positions along an axis that is not the first one.

Such an embedding of positions, `self.position(tf.range(ids.shape[1]))`, belongs beside the features
of each text, however many texts there are.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typedtensors.guard.reading.preparation import Variables

_RANGES: Final = frozenset({"range", "arange"})
_SIZES: Final = frozenset({"shape", "size"})
_MOVING: Final = frozenset({"transpose", "permute", "reshape", "unsqueeze", "expand_dims", "view"})


def counts_positions(node: ast.expr, line: int, variables: Variables) -> bool:
    """Whether an expression, at a line, is what some call makes of such positions."""
    if isinstance(node, ast.Name):
        given = variables.before(node.id, line)
        known = given is not None and given.item is None
        return known and given is not None and counts_positions(given.value, given.line, variables)
    if not isinstance(node, ast.Call) or _name(node.func) in _MOVING:
        return False
    if _name(node.func) in _RANGES:
        return any(_is_later_size(each, line, variables) for each in _arguments(node))
    return any(counts_positions(each, line, variables) for each in _arguments(node))


def _is_later_size(node: ast.expr, line: int, variables: Variables) -> bool:
    """Whether an expression is the size of an axis that is not the first one."""
    if isinstance(node, ast.Name):
        given = variables.before(node.id, line)
        if given is None:
            return False
        if given.item is not None:
            return given.item > 0 and _tells_sizes(given.value)
        return _is_later_size(given.value, given.line, variables)
    if isinstance(node, ast.Subscript):
        return _tells_sizes(node.value) and _is_later(node.slice)
    if isinstance(node, ast.Call) and _name(node.func) == "size":
        return any(map(_is_later, node.args))
    return False


def _tells_sizes(node: ast.expr) -> bool:
    named = node.func if isinstance(node, ast.Call) else node
    return _name(named) in _SIZES


def _is_later(index: ast.expr) -> bool:
    try:
        number = ast.literal_eval(index)
    except (TypeError, ValueError):
        return False
    return isinstance(number, int) and number != 0


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def _name(function: ast.expr) -> str:
    name: str = getattr(function, "attr", getattr(function, "id", ""))
    return name
