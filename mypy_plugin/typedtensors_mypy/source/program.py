# SPDX-License-Identifier: Apache-2.0
"""`Program`, the modules of a build, and how a dotted name leads to a definition in one of them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source import library
from typedtensors_mypy.source.modules import (
    Ambiguous,
    AnyFunction,
    Assigned,
    Imported,
    Module,
    Symbol,
)

_MOST_HOPS = 20


class Program(Protocol):
    """What the interpreter may know of modules other than the one it checks.

    `resolved` is what dotted names were found to stand for, as one module sees the program;
    `module:name` is a name as another module uses it.
    """

    resolved: dict[str, Target | None]

    def module(self, name: str) -> Module | None:
        """A module of the user's own code, as far as its summary tells it; None for any other."""

    def canonical(self, name: str) -> str | None:
        """The full name under which a library defines what it exports as `name`, if it is known."""


@dataclass(frozen=True)
class External:
    """Something a library defines, by the full name it was reached by."""

    name: str


@dataclass(frozen=True, eq=False)
class Definition:
    """A definition in the user's own code, and the module it is in."""

    module: Module
    node: AnyFunction | ast.ClassDef | Assigned

    @property
    def name(self) -> str:
        """Its full name, for people; the module's for an assignment."""
        own = getattr(self.node, "name", "")
        return f"{self.module.name}.{own}".rstrip(".")


Target: TypeAlias = External | Definition | Module


def resolve(program: Program, name: str) -> Target | None:
    """What a dotted name stands for; None if that depends on the run."""
    if name not in program.resolved:
        program.resolved[name] = _resolve(program, name)
    return program.resolved[name]


def _resolve(program: Program, name: str) -> Target | None:
    for _ in range(_MOST_HOPS):
        module, rest = _split(program, name)
        if module is None:
            return External(library.original(name))
        if not rest:
            return module
        symbol = module_symbol(program, module, rest[0])
        if isinstance(symbol, Imported):
            name = ".".join((symbol.target, *rest[1:]))
        else:
            return define(module, symbol, rest[1:])
    return None


def define(module: Module, symbol: Symbol | None, rest: Sequence[str]) -> Definition | None:
    """The definition that a symbol of a module stands for, or an assignment in the class it is."""
    if isinstance(symbol, ast.ClassDef) and len(rest) == 1:
        inner = module.symbols_in(symbol).get(rest[0])
        return Definition(module, inner) if isinstance(inner, Assigned) else None
    if rest or symbol is None or isinstance(symbol, (Ambiguous, Imported)):
        return None
    return Definition(module, symbol)


def module_symbol(
    program: Program, module: Module, name: str, hops: int = _MOST_HOPS
) -> Symbol | None:
    """What a module's own statements, or else its star imports, bind a name to."""
    if name in module.symbols:
        return module.symbols[name]
    if not hops or hasattr(builtins, name):
        return None
    for star in module.stars:
        source = program.module(star)
        if source is None:
            if _exports(program, star, name):
                return Imported(f"{star}.{name}")
        elif module_symbol(program, source, name, hops - 1) is not None:
            return Imported(f"{star}.{name}")
    return None


def _exports(program: Program, library: str, name: str) -> bool:
    """Whether a library has a name; one that the build does not know is taken to have it."""
    return program.canonical(f"{library}.{name}") is not None or program.canonical(library) is None


def _split(program: Program, name: str) -> tuple[Module | None, list[str]]:
    """The longest prefix of a name that is a module of the user's, and the names after it."""
    parts = name.split(".")
    if library.is_known(parts[0]):
        return None, parts
    for count in range(len(parts), 0, -1):
        module = program.module(".".join(parts[:count]))
        if module is not None:
            return module, parts[count:]
    return None, parts
