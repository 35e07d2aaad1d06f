# SPDX-License-Identifier: Apache-2.0
"""What other modules may read of a module: its source, without what no other module depends on.

A cached module has no syntax tree any more. So the summary is a text that mypy stores with the
module, and that changes only if something changes that a reader can see: then mypy checks the
readers again. Other modules are read in no other way, so a warm run sees what a cold one saw.
"""

from __future__ import annotations

import ast
import re
from copy import copy, deepcopy
from itertools import islice
from typing import TYPE_CHECKING

from typedtensors.shapes.broadcast import lines_of, own_parts
from typedtensors_mypy.source.contents import contents
from typedtensors_mypy.source.modules import FunctionNode, Module, import_origin
from typedtensors_mypy.source.syntax import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typedtensors_mypy.source.contents import Contents
    from typedtensors_mypy.source.modules import AnyFunction

# The body of an untyped function longer than this is not worth interpreting at its callers.
_LONGEST_BODY = 40
_ELLIPSIS = ast.Expr(ast.Constant(...))
_MARK = ast.Expr(ast.Constant("broadcast: ok"))
_WRITTEN_MARK = re.compile(r"\n *'broadcast: ok'(?=\n|$)")
# Constructors define the attributes that methods of other modules' subclasses read.
_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "setup", "build"})


def summarize(module: Module) -> str:
    """The text of the module's summary."""
    body = [_absolute(statement, module) for statement in _outline(module.tree.body, module)]
    outline = ast.Module(body, [])
    if not module.accepted:
        return ast.unparse(outline)
    marked: ast.Module = _Marker(module.accepted).visit(deepcopy(outline))
    return _WRITTEN_MARK.sub("  # broadcast: ok", ast.unparse(marked))


def read_summary(name: str, text: str) -> Module | None:
    """The module that a summary tells of."""
    return Module.parse(name, f"{name}.py", text)


class _Marker(ast.NodeTransformer):
    """Writes comments that accept broadcasts as statements, which a syntax tree can hold.

    The mark is behind a simple statement, and first in the body of a compound one.
    """

    def __init__(self, accepted: frozenset[int]) -> None:
        self._accepted = accepted

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            inside = getattr(node, name, None)
            if isinstance(inside, list):
                setattr(node, name, [*self._marked(inside)])
        return node

    def _marked(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in body:
            yield statement
            if not self._is_accepted(statement):
                continue
            if hasattr(statement, "body"):
                statement.body = [_MARK, *statement.body]
            else:
                yield _MARK

    def _is_accepted(self, statement: ast.stmt) -> bool:
        # What the outline itself wrote has no line.
        if isinstance(statement, (*FunctionNode, ast.ClassDef)) or not hasattr(statement, "lineno"):
            return False
        return any(not self._accepted.isdisjoint(lines_of(part)) for part in own_parts(statement))


def _absolute(statement: ast.stmt, module: Module) -> ast.stmt:
    """An import as a reader elsewhere would write it."""
    if not isinstance(statement, ast.ImportFrom) or not statement.level:
        return statement
    return ast.ImportFrom(import_origin(statement, module.package), statement.names, 0)


def _outline(body: Iterable[ast.stmt], module: Module) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, FunctionNode):
            yield _function(statement, module)
        elif isinstance(statement, ast.ClassDef):
            yield _class(statement, module)
        elif not isinstance(statement, (ast.Expr, ast.Assert, ast.Delete, ast.Pass)):
            yield statement


def _class(node: ast.ClassDef, module: Module) -> ast.ClassDef:
    outline = copy(node)
    outline.body = list(_outline(node.body, module)) or [_ELLIPSIS]
    return outline


def _function(node: AnyFunction, module: Module) -> AnyFunction:
    """The function with its body only if a reader has to interpret it."""
    outline = copy(node)
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if not body or not _is_read(node):
        body = [*_assignments(module.once(contents, node)), _ELLIPSIS]
    outline.body = body
    return outline


def _assignments(inside: Contents) -> Iterator[ast.stmt]:
    """What a body assigns or changes: a reader may not rely on what it was first."""
    stored = {ast.unparse(each): each for each in (*inside.assigned, *inside.assigned_inside)}
    for target in stored.values():
        yield ast.Assign([target], ast.Constant(...), lineno=0)
    for owner in inside.changed.values():
        item = ast.Subscript(owner, ast.Constant(...), ast.Store())
        yield ast.Assign([item], ast.Constant(...), lineno=0)


def _is_read(node: AnyFunction) -> bool:
    if node.name in _CONSTRUCTORS:
        return True
    if _says_shapes(node.returns):
        return False
    return sum(1 for _ in islice(statements(node.body), _LONGEST_BODY)) < _LONGEST_BODY


def _says_shapes(returns: ast.expr | None) -> bool:
    """Whether a return annotation may hold a spec: some text, or a name that may be an alias."""
    if returns is None:
        return False
    return any(isinstance(part, (ast.Constant, ast.Subscript)) for part in ast.walk(returns))
