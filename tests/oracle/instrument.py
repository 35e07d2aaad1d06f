# SPDX-License-Identifier: Apache-2.0
"""Rewrites a program so that its run tells a `Recorder` the value of every expression.

Nothing else changes: each expression stands where it stood, at the same line and column. A
statement that fails is told of, and what it would have bound is poisoned; so one run shows
every mistake of a function, not only its first.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import TypeAlias, TypeVar

RECORDER = "_oracle_recorder"
ACTIVATION = "_oracle_activation"
_VALUES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.BoolOp, ast.IfExp, ast.NamedExpr, ast.Tuple),
)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Key: TypeAlias = tuple[str, int, int, int, int]
_Node = TypeVar("_Node", bound=ast.AST)


def key_of(node: ast.AST) -> Key:
    """What an expression and its copy in another tree of the same source have in common."""
    place = [getattr(node, name) for name in ("lineno", "col_offset", "end_lineno")]
    return type(node).__name__, place[0], place[1], place[2], node.end_col_offset  # type: ignore[attr-defined]


def instrument(source: str) -> ast.Module:
    """The program that a source text holds, made to tell of itself."""
    tree = ast.parse(source)
    body = _Instrumenter().block(tree.body)
    start = 0
    while start < len(body) and _comes_first(body[start]):
        start += 1
    opening = ast.parse(f"{ACTIVATION} = {RECORDER}.enter(None, ())").body
    tree.body = [*body[:start], *opening, *body[start:]]
    return ast.fix_missing_locations(tree)


def _comes_first(node: ast.stmt) -> bool:
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or _is_text(node)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class _Instrumenter(ast.NodeTransformer):
    """Wraps expressions; `_guarded` counts the `try` statements of the user's around them."""

    def __init__(self) -> None:
        self._guarded = 0

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [self._statement(node) for node in body]

    def _statement(self, node: ast.stmt) -> ast.stmt:
        if not isinstance(node, _SIMPLE) or self._guarded or _is_text(node):
            self.visit(node)
            return node
        before = copy.deepcopy(node)
        self.visit(node)
        return _attempt(before, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Wrap what is inside a node, then the node."""
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list"}:
                continue
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value))
            elif isinstance(value, list):
                value[:] = [
                    self.visit(item) if isinstance(item, ast.AST) else item for item in value
                ]
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        stored = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        return self._wrapped(node) if isinstance(node, _VALUES) and not stored else node

    def _wrapped(self, node: ast.expr) -> ast.expr:
        call = ast.parse(f"{ACTIVATION}.see({key_of(node)!r}, None)", mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[1] = node
        for part in (call, call.func, *ast.walk(call.args[0])):
            ast.copy_location(part, node)
        return call

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The name of what is called is no value of interest, and `super()` needs it as it is."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(each) for each in node.args]
        node.keywords = [self.visit(each) for each in node.keywords]
        return self._wrapped(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Slices stand in brackets only."""
        node.value = self.visit(node.value)
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [self.visit(each) for each in node.slice.elts]
        else:
            node.slice = self.visit(node.slice)
        return self._wrapped(node) if isinstance(node.ctx, ast.Load) else node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """The interpreter goes through a lambda where it is called, as another activation."""
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """What is in an f-string has no position of its own in Python 3.11."""
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Patterns are no expressions."""
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.body = self.block(case.body)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """What fails inside is the user's own business."""
        self._guarded += 1
        node.body = self.block(node.body)
        self._guarded -= 1
        for handler in node.handlers:
            handler.body = self.block(handler.body)
        node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """A round of a loop begins where its values come from."""
        node = self._inside(node)
        node.iter = _rounds(node, node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        """A round begins with the test."""
        node = self._inside(node)
        start = ast.parse(f"{ACTIVATION}.round({_loop(node)!r})", mode="eval").body
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [start, node.test]), node.test)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Each item is a round of its own."""
        node = self._inside(node)
        node.iter = _rounds(node.iter, node.iter)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A call of a function is an activation; its annotations are checked."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """The same."""
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        names = [each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)]
        keys = [key_of(each) for each in ast.walk(node.args) if isinstance(each, ast.arg)]
        given = ", ".join(f"({key!r}, {name})" for key, name in zip(keys, names, strict=True))
        place = node.name, node.lineno
        text = f"{ACTIVATION} = {RECORDER}.enter({place!r}, ({given}{',' * bool(given)}))"
        guarded, self._guarded = self._guarded, 0
        body = self.block(node.body)
        self._guarded = guarded
        start = 1 if _is_text(body[0]) else 0
        node.body = [*body[:start], *ast.parse(text).body, *body[start:]]
        checked = ast.parse(f"{RECORDER}.checked", mode="eval").body
        node.decorator_list.append(checked)
        return node

    def _inside(self, node: _Node) -> _Node:
        visited = self.generic_visit(node)
        assert isinstance(visited, type(node))
        return visited


def _loop(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _rounds(place: ast.AST, values: ast.expr) -> ast.expr:
    call = ast.parse(f"{ACTIVATION}.rounds({_loop(place)!r}, None)", mode="eval").body
    assert isinstance(call, ast.Call)
    call.args[1] = values
    return ast.copy_location(call, values)


def _attempt(before: ast.stmt, node: ast.stmt) -> ast.stmt:
    """`try: node`, which tells what fails, and goes on."""
    name = "_oracle_error"
    told = ast.parse(f"{ACTIVATION}.fail({_span(before)!r}, {name})").body
    bound = {
        each.id
        for each in ast.walk(before)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    told += ast.parse("\n".join(f"{each} = {RECORDER}.poison" for each in sorted(bound))).body
    if isinstance(node, ast.Return):
        told += ast.parse(f"raise {RECORDER}.Poisoned").body
    handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), name, told)
    return ast.copy_location(ast.Try([node], [handler], [], []), before)


def _span(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno
