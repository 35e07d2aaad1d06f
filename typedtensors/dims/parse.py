# SPDX-License-Identifier: Apache-2.0
"""Text to `Dim`. Nothing is evaluated: the text is parsed, and only integer arithmetic is read."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtensors.dims import arithmetic
from typedtensors.dims.dim import Dim

if TYPE_CHECKING:
    from collections.abc import Callable

_OPERATORS: dict[type[ast.operator], Callable[[Dim, Dim], Dim]] = {
    ast.Add: Dim.__add__,
    ast.Sub: Dim.__sub__,
    ast.Mult: Dim.__mul__,
    ast.FloorDiv: Dim.__floordiv__,
    ast.Mod: Dim.__mod__,
}
_FUNCTIONS: dict[str, Callable[..., Dim]] = {"max": arithmetic.maximum, "min": arithmetic.minimum}


class DimSyntaxError(ValueError):
    """The text is not integer arithmetic over names."""


def parse_dim(text: str) -> Dim:
    """The dim that `text` writes, its names declared: `parse_dim("2*h+1")`.

    Reads names, integers, parentheses, `+ - * // %` and `max` and `min` calls.
    Raises DimSyntaxError for anything else, a division by a literal zero included.
    """
    try:
        return _read(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, DimSyntaxError):
            raise
        msg = f"`{text}` is not arithmetic over dims"
        raise DimSyntaxError(msg) from None
    except ZeroDivisionError:
        msg = f"`{text}` divides by zero"
        raise DimSyntaxError(msg) from None


def _read(node: ast.expr) -> Dim:
    if isinstance(node, ast.Name):
        return Dim.name(node.id)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Dim.of(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = _read(node.operand)
        return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_read(node.left), _read(node.right))
    if isinstance(node, ast.Call):
        return _read_call(node)
    msg = f"`{ast.unparse(node)}` is not a dim: use names, integers and + - * // %"
    raise DimSyntaxError(msg)


def _read_call(node: ast.Call) -> Dim:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in _FUNCTIONS or node.keywords or not node.args:
        msg = f"`{ast.unparse(node)}` is not a dim: only max(...) and min(...) may be called"
        raise DimSyntaxError(msg)
    return _FUNCTIONS[name](*map(_read, node.args))
