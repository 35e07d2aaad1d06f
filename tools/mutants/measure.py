# SPDX-License-Identifier: Apache-2.0
"""Whether the check finds a mutant, and if not, what of it is not known."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.mutants.collect import Mutant, mutants
from tools.whole import Files, View, modules
from typedtensors.config import Config
from typedtensors.dims import Compound, Operator
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, Tensor
from typedtensors_mypy.interpreter import check_module
from typedtensors_mypy.interpreter.frame import Sighting
from typedtensors_mypy.interpreter.values import Either
from typedtensors_mypy.source.modules import Module

_CONFIG = Config()
# What a module with annotations of shapes holds, whatever it imports them from.
_SPEC = re.compile(r"\b(?:Bool|Complex|Float|Int|Integer|Num|Real|Shaped|UInt)\d*\[")


@dataclass(frozen=True)
class Result:
    """What became of a mutant.

    Args:
        mutant: The mutant.
        found: Whether an error is told that the module has not without it.
        strong: Whether it is certainly wrong, by what its text and the known shapes say.
        reason: Why it is missed.
    """

    mutant: Mutant
    found: bool
    strong: bool
    reason: str = ""


class Package:
    """The modules of a package that have annotations of shapes, and what is said of them."""

    def __init__(self, root: Path) -> None:
        self.name = root.name
        folders = [each for each in sorted(root.iterdir()) if not each.name.endswith(".dist-info")]
        self.files = Files(modules([each for each in folders if each.is_dir()]))
        self._told = cache(self._errors)
        self._seen = cache(self._values)

    def mutants(self) -> list[Mutant]:
        """Every mutant of the package."""
        found: list[Mutant] = []
        for name, path in self.files.paths.items():
            if _SPEC.search(path.read_text(encoding="utf-8", errors="replace")):
                module = self.files.read(name)
                if module is not None:
                    found += mutants(module, View(self.files, module))
        return found

    def check(self, mutant: Mutant) -> Result:
        """Check a mutant's module."""
        before = self._told(mutant.module)
        module = Module.parse(mutant.module, str(self.files.paths[mutant.module]), mutant.source)
        if module is None:
            return Result(mutant, found=False, strong=False)
        strong = mutant.strong and not self._is_wrong(mutant)
        after = self._texts(module)
        if after - before:
            return Result(mutant, found=True, strong=strong)
        reason = self._reason(mutant, module) if strong else ""
        return Result(mutant, found=False, strong=strong and bool(reason), reason=reason)

    def _is_wrong(self, mutant: Mutant) -> bool:
        """Whether the function is wrong without the mistake: what is told once hides it."""
        original = self.files.read(mutant.module)
        lines = {line for line, _ in self._told(mutant.module)}
        return original is not None and any(
            each.lineno <= line <= (each.end_lineno or 0)
            for each in _around(original, mutant)
            for line in lines
        )

    def _errors(self, name: str) -> Counter[tuple[int, str]]:
        module = self.files.read(name)
        return Counter() if module is None else self._texts(module)

    def _texts(self, module: Module) -> Counter[tuple[int, str]]:
        found = check_module(module, View(self.files, module), _CONFIG)
        return Counter((each.place.line, str(each.code)) for each in found if each.code)

    def _values(self, name: str) -> dict[tuple[int, int, str], Value]:
        module = self.files.read(name)
        return {} if module is None else self._sightings(module)

    def _sightings(self, module: Module) -> dict[tuple[int, int, str], Value]:
        """The value of each expression in a function gone through by itself, by its place."""
        seen: list[Sighting] = []
        check_module(module, View(self.files, module), _CONFIG, seen)
        found = {}
        for each in seen:
            if each.frame.caller is None and each.frame.scope.module is module:
                # The outermost expression at a place comes last.
                place = _place(each.node)
                found[place] = found[(*place[:2], "")] = each.value
        return found

    def _reason(self, mutant: Mutant, module: Module) -> str:
        """Why a mutant is missed; nothing if it gives what the code without it gives."""
        original = self.files.read(mutant.module)
        if original is None:
            return "not read"
        own = self._seen(mutant.module)
        statement = _statement(original, mutant)
        if statement is None:
            return "nothing that is returned"
        if any(_is_out_of_reach(each, statement, own) for each in _around(original, mutant)):
            return ""
        before = own.get(_place(statement), Unknown("not gone through"))
        if _takes_the_smaller(before):
            return ""
        if isinstance(before, Unknown) or _is_vague(before):
            return _first_unknown(statement, own) or f"vague: {_kind(before)}"
        if "spec" in mutant.edit.kind:
            return f"returned: {_kind(before)}"
        place = *_place(statement)[:2], ""
        after = self._sightings(module).get(place, Unknown("not gone through"))
        if isinstance(after, Unknown):
            return f"after: {after.reason}"
        if before == after and not _is_vague(before):
            return ""
        return f"known: {_kind(before)} -> {_kind(after)}"


def _around(module: Module, mutant: Mutant) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The function that holds the mistake."""
    name = mutant.function.rpartition(".")[2]
    for each in ast.walk(module.tree):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == name:
            yield from [each] if each.lineno <= mutant.line <= (each.end_lineno or 0) else ()


def _statement(module: Module, mutant: Mutant) -> ast.expr | None:
    """The value that is assigned or returned where the mistake is; for a spec, what is returned."""
    found = None
    kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
    for part in (inner for each in _around(module, mutant) for inner in ast.walk(each)):
        if isinstance(part, ast.Return if "spec" in mutant.edit.kind else kinds) and part.value:
            inside = part.lineno <= mutant.line <= (part.end_lineno or 0)
            if inside or "spec" in mutant.edit.kind:
                found = part.value
    return found


def _is_out_of_reach(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    expression: ast.expr,
    seen: dict[tuple[int, int, str], Value],
) -> bool:
    """Whether an expression stands where control never comes, as annotated."""
    return any(
        part is expression
        for node in ast.walk(function)
        for dead in _dead(node, seen)
        for part in ast.walk(dead)
    )


def _dead(node: ast.AST, seen: dict[tuple[int, int, str], Value]) -> Iterator[ast.AST]:
    """The statements right inside a node that control does not come to."""
    if isinstance(node, ast.If):
        answer = seen.get(_place(node.test))
        if isinstance(answer, bool):
            yield from node.orelse if answer else node.body
    for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
        for at, each in enumerate(block if isinstance(block, list) else ()):
            if isinstance(each, (ast.Raise, ast.Return)):
                yield from block[at + 1 :]


def _takes_the_smaller(value: Value) -> bool:
    """Whether a size of an array is one of two that have names, the smaller or the larger one."""
    if isinstance(value, tuple):
        return any(map(_takes_the_smaller, value))
    parts = value.shape.axes if isinstance(value, Tensor) else ()
    factors = (part.dim.factor for part in parts if isinstance(part, Axis))
    return any(
        isinstance(factor, Compound)
        and factor.operator in {Operator.MAX, Operator.MIN}
        and all(operand.atoms for operand in factor.operands)
        for factor in factors
    )


def _first_unknown(node: ast.expr, seen: dict[tuple[int, int, str], Value]) -> str | None:
    """Why the innermost part of an expression is not known that is not."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            found = _first_unknown(part, seen)
            if found is not None:
                return found
        if isinstance(part, ast.keyword):
            found = _first_unknown(part.value, seen)
            if found is not None:
                return found
    value = seen.get(_place(node))
    return f"`{ast.unparse(node)[:60]}`: {value.reason}" if isinstance(value, Unknown) else None


def _is_vague(value: Value) -> bool:
    return isinstance(value, Tensor) and value.shape.rank is None


def _place(node: ast.AST) -> tuple[int, int, str]:
    at = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return (*at, ast.unparse(node) if not isinstance(node, ast.arg) else node.arg)


def _kind(value: Value) -> str:
    if isinstance(value, Tensor):
        return value.shape.text
    if isinstance(value, (tuple, Either)):
        parts = value.options if isinstance(value, Either) else value
        return ", ".join(map(_kind, parts))
    return type(value).__name__ + (": " + value.reason if isinstance(value, Unknown) else "")
