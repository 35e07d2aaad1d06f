# SPDX-License-Identifier: Apache-2.0
"""What the source around a line is a part of, where no frame is there to say."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from typedtensors.shapes.broadcast import ACCEPTING, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS: Final = (ast.With, ast.AsyncWith)
_WORDS: Final = frozenset(name.rpartition(".")[2] for name in ACCEPTING)


def names_around(source: str, line: int) -> list[str]:
    """The names of the classes and functions that a line is in, outermost first."""
    return [node.name for node in _around(source, line) if isinstance(node, _NAMED)]


def allows_broadcasts(source: str, line: int) -> bool:
    """Whether a line is in a block, or in a decorated function, that allows broadcasts."""
    return any(
        _word(expression) in _WORDS
        for node in _around(source, line)
        for expression in _entered(node)
    )


def _around(source: str, line: int) -> Iterator[ast.stmt]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):  # outer ones come before those in them
        if isinstance(node, (*_NAMED, *_BLOCKS)) and line in lines_of(node):
            yield node


def _entered(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, _BLOCKS):
        return [item.context_expr for item in node.items]
    return node.decorator_list if isinstance(node, _NAMED) else []


def _word(node: ast.expr) -> str:
    """The last name of what is called: `allow_broadcast` of `tt.allow_broadcast()`."""
    called = node.func if isinstance(node, ast.Call) else node
    word: str = getattr(called, "attr", getattr(called, "id", ""))
    return word
