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
from itertools import chain, islice
from typing import TYPE_CHECKING

from typedtensors.shapes.broadcast import lines_of, own_parts
from typedtensors_mypy.source import library
from typedtensors_mypy.source.contents import contents
from typedtensors_mypy.source.modules import FunctionNode, Module
from typedtensors_mypy.source.syntax import dotted, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typedtensors_mypy.source.contents import Contents
    from typedtensors_mypy.source.modules import AnyFunction

_NAME = re.compile(r"[^\W\d]\w*")
# The body of a function longer than this is not worth interpreting at its callers.
_LONGEST_BODY = 40
# What the summary of a package begins with: relative imports in it start from the package itself.
_PACKAGE = "# package"
_ELLIPSIS = ast.Expr(ast.Constant(...))
_MARK = ast.Expr(ast.Constant("broadcast: ok"))
_WRITTEN_MARK = re.compile(r"\n *'broadcast: ok'(?=\n|$)")
# Constructors define the attributes that methods of other modules' subclasses read.
_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "setup", "build"})


def summarize(module: Module) -> str:
    """The text of the module's summary."""
    outline = ast.Module([*_outline(module.tree.body, module)], [])
    text = _marked(outline, module.accepted) if module.accepted else ast.unparse(outline)
    return f"{_PACKAGE}\n{text}" if text and module.is_package else text


def read_summary(name: str, text: str) -> Module | None:
    """The module that a summary tells of."""
    path = f"{name}/__init__.py" if text.startswith(_PACKAGE) else f"{name}.py"
    return Module.parse(name, path, text)


def _marked(outline: ast.Module, accepted: frozenset[int]) -> str:
    """The text of an outline, with the comments that accept broadcasts."""
    marked: ast.Module = _Marker(accepted).visit(deepcopy(outline))
    return _WRITTEN_MARK.sub("  # broadcast: ok", ast.unparse(marked))


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


def _outline(
    body: Iterable[ast.stmt], module: Module, *, of_class: bool = False
) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, FunctionNode):
            yield _function(statement, module, is_method=of_class)
        elif isinstance(statement, ast.ClassDef):
            yield _class(statement, module)
        elif not isinstance(statement, (ast.Expr, ast.Assert, ast.Delete, ast.Pass)):
            yield statement


def _class(node: ast.ClassDef, module: Module) -> ast.ClassDef:
    outline = copy(node)
    outline.body = list(_outline(node.body, module, of_class=True)) or [_ELLIPSIS]
    return outline


def _function(node: AnyFunction, module: Module, *, is_method: bool) -> AnyFunction:
    """The function with its body only if a reader has to interpret it."""
    outline = copy(node)
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if not body or not _is_read(node, is_method=is_method):
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


def _is_read(node: AnyFunction, *, is_method: bool) -> bool:
    if node.name in _CONSTRUCTORS:
        return True
    # What a method promises may hold for some of the sizes that objects are made with.
    if not is_method and _says_enough(node):
        return False
    return sum(1 for _ in islice(statements(node.body), _LONGEST_BODY)) < _LONGEST_BODY


def _says_enough(node: AnyFunction) -> bool:
    """Whether a function promises an array whose sizes all come from its parameters."""
    spec = _spec(node.returns)
    if spec is None:
        return False
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg]
    annotations = [arg.annotation for arg in every if arg is not None and arg.annotation]
    return set(_NAME.findall(spec)).issubset(chain.from_iterable(map(_words, annotations)))


def _spec(annotation: ast.expr | None) -> str | None:
    """The spec of `Float[Tensor, "b d"]`, where the spelling alone shows that it is one."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return None
    if len(annotation.slice.elts) != 2:
        return None
    array, spec = annotation.slice.elts
    names = [dotted(node) or "" for node in (annotation.value, array)]
    if not isinstance(spec, ast.Constant) or not library.is_array_annotation(*names):
        return None
    return spec.value if isinstance(spec.value, str) else None


def _words(annotation: ast.expr) -> Iterator[str]:
    """The words of all texts in an annotation."""
    for part in walk(annotation):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from _NAME.findall(part.value)
