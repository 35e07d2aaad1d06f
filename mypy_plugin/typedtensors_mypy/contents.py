# SPDX-License-Identifier: Apache-2.0
"""`Contents`, what some code binds and mentions, found in one walk."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from typedtensors_mypy.modules import AnyFunction, FunctionNode
from typedtensors_mypy.syntax import FIELDS, dotted

# What a quoted annotation looks like; most other texts are prose.
_ANNOTATION = re.compile(r"[\w.]+(?:\s*[\[|].*)?", re.DOTALL)
# Code that has names of its own.
_SCOPES = (*FunctionNode, ast.ClassDef, ast.Lambda)
AnyImport: TypeAlias = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Contents:
    """What is in the code of a function, a class or an expression.

    `bound` are the names that are a function's own, `names` what is read, with attributes as far
    as they are written (`torch.nn.Linear`), but without what starts with a name in `bound`.
    `texts` may be annotations in quotes. `imports` are the import statements inside.
    """

    bound: frozenset[str]
    names: frozenset[str]
    texts: frozenset[str]
    imports: tuple[AnyImport, ...]
    yields: bool = False


def contents(node: ast.AST) -> Contents:
    """The contents of a function, of an expression, or of a class without the functions in it."""
    walk = _Walk()
    if isinstance(node, FunctionNode):
        walk.function(node)
    elif isinstance(node, ast.ClassDef):
        rest = [part for part in node.body if not isinstance(part, FunctionNode)]
        walk.inner([*node.bases, *node.keywords, *node.decorator_list, *rest])
    else:
        walk.inner([node])
    return walk.contents()


@dataclass
class _Walk:
    """One walk over some code. It is the bulk of what a module costs that has no arrays at all."""

    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    imports: list[AnyImport] = field(default_factory=list)
    yields: bool = False

    def contents(self) -> Contents:
        bound = frozenset(self.bound - self.outer)
        names = {name for name in self.names if name.partition(".")[0] not in bound}
        return Contents(
            bound, frozenset(names), frozenset(self.texts), tuple(self.imports), self.yields
        )

    def function(self, node: AnyFunction) -> None:
        """A function: what its own statements bind, what everything in it mentions."""
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        self.bound.update(arg.arg for arg in every if arg is not None)
        nested = self._own(node.body)
        self.inner([args, node.returns, *node.decorator_list, *nested])

    def _own(self, body: Iterable[ast.stmt]) -> list[ast.AST]:
        """Walk over a function's own code; the scopes inside it are left over."""
        nested: list[ast.AST] = []
        pending: list[Any] = [*body]
        while pending:
            node = pending.pop()
            fields = FIELDS.get(node.__class__)
            if fields is None:
                continue
            if isinstance(node, _SCOPES):
                nested.append(node)
                if not isinstance(node, ast.Lambda):
                    self.bound.add(node.name)
            elif isinstance(node, ast.Name):
                (self.names if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)
            else:
                self._note(node)
                self._bind(node)
                self._push(node, fields, pending)
        return nested

    def inner(self, nodes: Iterable[ast.AST | None]) -> None:
        """Walk over code of which only the mentions count."""
        pending: list[Any] = [*nodes]
        while pending:
            node = pending.pop()
            fields = FIELDS.get(node.__class__)
            if fields is None:
                continue
            if isinstance(node, ast.Name):
                self.names.add(node.id)
            else:
                self._note(node)
                self._push(node, fields, pending)

    def _push(self, node: ast.AST, fields: tuple[str, ...], pending: list[Any]) -> None:
        for name in fields:
            value = getattr(node, name)
            if value.__class__ is list:
                pending += value
            else:
                pending.append(value)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and _ANNOTATION.fullmatch(node.value):
                self.texts.add(node.value)
        elif isinstance(node, ast.Attribute):
            name = dotted(node)
            if name is not None:
                self.names.add(name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports.append(node)

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            self.yields = True
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self.outer.update(node.names)
        elif isinstance(node, ast.alias):
            self.bound.add(node.asname or node.name.partition(".")[0])
