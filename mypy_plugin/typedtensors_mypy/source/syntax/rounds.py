# SPDX-License-Identifier: Apache-2.0
"""What a round of a loop may have from the round before it, by syntax alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from typedtensors_mypy.source.syntax.contents import CHANGING
from typedtensors_mypy.source.syntax.walks import statements, walk

AnyLoop: TypeAlias = ast.For | ast.AsyncFor | ast.While


def carried(loop: AnyLoop) -> frozenset[str]:
    """The names whose values a round may read, or leave, as the round before it left them.

    All others a round binds before it reads them, whatever way it takes.
    """
    reading = _Reading()
    if isinstance(loop, ast.While):
        reading.read(loop.test)
    else:
        reading.bind([loop.target])
    reading.block(loop.body)
    stored = {name for name, node in _names(loop.body) if isinstance(node.ctx, ast.Store)}
    return frozenset(reading.exposed | (stored - reading.bound))


def tallied(loop: AnyLoop) -> frozenset[str]:
    """The names that a loop has for nothing but to add to them: `total += n`."""
    counts = [each.target for each in statements(loop.body) if isinstance(each, ast.AugAssign)]
    targets = {id(target): target.id for target in counts if isinstance(target, ast.Name)}
    parts = [loop.test] if isinstance(loop, ast.While) else [loop.target]
    others = {name for name, node in _names([*parts, *loop.body]) if id(node) not in targets}
    return frozenset(targets.values()) - others


def feeds_itself(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop changes the list that it goes through: `for at in todo: todo.append(...)`."""
    gone_through = {name for name, _ in _names([loop.iter])}
    owners = (
        part.func.value.id
        for statement in loop.body
        for part in walk(statement)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Name)
        and part.func.attr in CHANGING
    )
    return not gone_through.isdisjoint(owners)


class _Reading:
    """The names that statements bind on every way, and those they read before."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.exposed: set[str] = set()
        self._may_be_over = False

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self.read(item.context_expr)
                self.bind([item.optional_vars] if item.optional_vars else [])
            self.block(node.body)
        elif isinstance(node, ast.If):
            self.read(node.test)
            before = set(self.bound)
            self.block(node.body)
            after, self.bound = self.bound, before
            self.block(node.orelse)
            self.bound &= after
        elif isinstance(node, ast.Assign):
            self.read(node.value, *node.targets)
            self.bind(node.targets)
        else:
            self.read(node)
            left = (ast.Break, ast.Continue)
            self._may_be_over |= any(isinstance(each, left) for each in statements([node]))

    def read(self, *nodes: ast.AST) -> None:
        """Go through what is evaluated; `x += 1` reads `x`, though its context says otherwise."""
        for node in nodes:
            stepped = node.target if isinstance(node, ast.AugAssign) else None
            self.exposed |= {
                name
                for name, each in _names([node])
                if each is stepped or not isinstance(each.ctx, ast.Store)
            } - self.bound

    def bind(self, targets: Iterable[ast.expr]) -> None:
        """Go through what is bound, unless the round may be over before."""
        if not self._may_be_over:
            self.bound |= {
                name
                for target in targets
                for name, each in _names([target])
                if isinstance(each.ctx, ast.Store)
            }


def _names(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.Name]]:
    for node in nodes:
        for part in walk(node):
            if isinstance(part, ast.Name):
                yield part.id, part
