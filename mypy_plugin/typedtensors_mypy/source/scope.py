# SPDX-License-Identifier: Apache-2.0
"""`Scope`, where a name is looked up: what is around it, its module, the build."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeVar

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source.modules import (
    UNASKED,
    AnyFunction,
    FunctionNode,
    Imported,
    Module,
    Symbol,
)
from typedtensors_mypy.source.program import (
    External,
    Program,
    Target,
    define,
    module_symbol,
    resolve,
)
from typedtensors_mypy.source.syntax.contents import contents
from typedtensors_mypy.source.syntax.walks import dotted

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, eq=False)
class Binding:
    """The names that a function or class binds; most are never looked for."""

    module: Module
    node: AnyFunction | ast.ClassDef

    def symbol(self, name: str) -> Symbol | None:
        """What a name is bound to; None if it is not."""
        if isinstance(self.node, FunctionNode):
            inside = self.module.once(contents, self.node)
            if name not in inside.bound and name not in inside.globalized:
                return None
        return self.module.symbols_in(self.node).get(name)


@dataclass(frozen=True, eq=False)
class Scope:
    """A place in a module, as its names see it.

    Invariant: `enclosing` holds what each scope around the place binds, the innermost first. A
    class's names are seen by its own statements only, not by its methods.
    """

    program: Program
    module: Module
    enclosing: tuple[Binding, ...] = ()
    _inside: dict[ast.AST, Scope] = field(default_factory=dict, repr=False)
    _named: dict[str, Target | None] = field(default_factory=dict, repr=False)
    _answers: dict[tuple[object, ast.expr], Any] = field(default_factory=dict, repr=False)

    def inside(self, node: AnyFunction | ast.ClassDef) -> Scope:
        """The scope of a function's or class's statements; always the same one."""
        known = self._inside.get(node)
        if known is None:
            bindings = (Binding(self.module, node), *self.enclosing)
            known = self._inside[node] = Scope(self.program, self.module, bindings)
        return known

    def once(self, ask: Callable[[Scope, ast.expr], _Answer], node: ast.expr) -> _Answer:
        """The answer to a question about an expression as this place sees it, asked once."""
        key = ask, node
        answer: _Answer = self._answers.get(key, UNASKED)
        if answer is UNASKED:
            answer = self._answers[key] = ask(self, node)
        return answer

    def forget(self) -> None:
        """Let go of what was found out here and inside: what annotations promise holds scopes."""
        for scope in self._inside.values():
            scope.forget()
        self._inside.clear()
        self._answers.clear()

    def target(self, node: ast.expr) -> Target | None:
        """What a name or a chain of attributes stands for; None if that depends on the run."""
        name = dotted(node)
        return None if name is None else self.named(name)

    def named(self, name: str) -> Target | None:
        """What a dotted name stands for."""
        if name not in self._named:
            self._named[name] = self._look_up(name)
        return self._named[name]

    def _look_up(self, name: str) -> Target | None:
        root, _, rest = name.partition(".")
        for binding in self.enclosing:
            bound = binding.symbol(root)
            if bound is not None:
                return self._bound(bound, name, rest)
        known, key = self.program.resolved, f"{self.module.name}:{name}"
        if key not in known:
            symbol = module_symbol(self.program, self.module, root)
            known[key] = self._bound(symbol, name, rest)
        return known[key]

    def _bound(self, symbol: Symbol | None, name: str, rest: str) -> Target | None:
        """What a name stands for that starts with a symbol."""
        if symbol is None and hasattr(builtins, name.partition(".")[0]):
            return External(f"builtins.{name}")
        if isinstance(symbol, Imported):
            return resolve(self.program, f"{symbol.target}.{rest}".rstrip("."))
        return define(self.module, symbol, rest.split(".") if rest else [])
