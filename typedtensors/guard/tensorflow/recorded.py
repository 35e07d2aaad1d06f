# SPDX-License-Identifier: Apache-2.0
"""The site of an operation in a graph, by the stack that the operation recorded.

Such a stack is the program's own, also where AutoGraph has converted it; it has no columns.
"""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typedtensors.guard.reading import syntax
from typedtensors.guard.reading.source import read_site
from typedtensors.guard.tensorflow.owners import Owner, owner_of_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.tensorflow.table import Role

_PROGRAMS: Final = frozenset({Owner.LIBRARY, Owner.PROJECT})
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def recorded_site(operation: Any, role: Role) -> Site | None:  # noqa: ANN401 - of TensorFlow
    """Where the program made an operation; None if no frame of its stack is a program's."""
    for frame in reversed(operation.traceback):
        if owner_of_file(frame.filename) in _PROGRAMS:
            return _site(frame.filename, frame.lineno or 1, role)
    return None


@lru_cache(maxsize=4096)
def _site(file: str, line: int, role: Role) -> Site:
    source = "".join(linecache.getlines(file))
    lines, text = syntax.only_operation(source, line, lambda node: _calls(node, role))
    module = _module(file)
    return read_site(file, source, lines, text, (module, ".".join((module, *_names(source, line)))))


def _calls(node: ast.AST, role: Role) -> bool:
    """Whether a node of the source is a call of an operation of that role."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, role.operators)
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and isinstance(node.ops[0], role.operators)
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", getattr(node.func, "id", None)) in role.names
    return False


def _names(source: str, line: int) -> Iterator[str]:
    """The names of the classes and functions around a line, outermost first."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):  # outer ones come before those in them
        if isinstance(node, _SCOPES) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node.name


def _module(file: str) -> str:
    for name, module in list(sys.modules.items()):
        if name != "__main__" and getattr(module, "__file__", None) == file:
            return name
    return Path(file).stem
