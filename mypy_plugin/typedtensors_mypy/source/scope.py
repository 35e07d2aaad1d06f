# SPDX-License-Identifier: Apache-2.0
"""`Scope`, where a name is looked up: what is around it, its module, the build."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass

from typedtensors_mypy.source.modules import AnyFunction, Imported, Module, Symbol
from typedtensors_mypy.source.program import (
    External,
    Program,
    Target,
    define,
    module_symbol,
    resolve,
)
from typedtensors_mypy.source.syntax import dotted


@dataclass(frozen=True, eq=False)
class Scope:
    """A place in a module, as its names see it.

    Invariant: `enclosing` holds what each scope around the place binds, the innermost first. A
    class's names are seen by its own statements only, not by its methods.
    """

    program: Program
    module: Module
    enclosing: tuple[Mapping[str, Symbol], ...] = ()

    def inside(self, node: AnyFunction | ast.ClassDef) -> Scope:
        """The scope of a function's or class's statements."""
        symbols = self.module.symbols_in(node)
        return Scope(self.program, self.module, (symbols, *self.enclosing))

    def target(self, node: ast.expr) -> Target | None:
        """What a name or a chain of attributes stands for; None if that depends on the run."""
        name = dotted(node)
        return None if name is None else self.named(name)

    def named(self, name: str) -> Target | None:
        """What a dotted name stands for."""
        root, _, rest = name.partition(".")
        for symbols in self.enclosing:
            if root in symbols:
                return self._bound(symbols[root], name, rest)
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
