# SPDX-License-Identifier: Apache-2.0
"""The mutants of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.mutants.annotations import Annotated, annotated, call_edits, spec_edits
from tools.mutants.edits import Edit, edits
from tools.mutants.strength import is_strong
from typedtensors_mypy.source.annotations.types import specs_of
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.program import Program
from typedtensors_mypy.source.scope import Scope


@dataclass(frozen=True)
class Mutant:
    """A module with a mistake in one line.

    Args:
        module: The module's name.
        function: The function that holds the mistake.
        edit: The mistake.
        strong: Whether what is written elsewhere certainly disagrees with it.
        source: The text with the mistake.
    """

    module: str
    function: str
    edit: Edit
    strong: bool
    source: str

    @property
    def line(self) -> int:
        """Where the mistake is."""
        return self.edit.node.lineno

    @property
    def changed(self) -> str:
        """The line with the mistake."""
        return self.source.splitlines()[self.line - 1].strip()


def mutants(module: Module, program: Program) -> Iterator[Mutant]:
    """Each mutant of the annotated functions of a module, and of the classes that have some."""
    lines = module.source.splitlines(keepends=True)
    imported = frozenset(
        alias.asname or alias.name
        for part in ast.walk(module.tree)
        if isinstance(part, (ast.Import, ast.ImportFrom))
        for alias in part.names
    )
    for name, node, scope, kinds, named in _functions(module, Scope(program, module)):
        found = [*spec_edits(node)]
        for part in _inside(node):
            found += [*edits(part, imported), *call_edits(part, scope.inside(node))]
        for edit in found:
            source = _applied(lines, edit)
            if source is not None:
                strong = is_strong(node, kinds, edit, named=named)
                yield Mutant(module.name, name, edit, strong, source)


def _functions(
    module: Module, scope: Scope
) -> Iterator[tuple[str, AnyFunction, Scope, Annotated, frozenset[str]]]:
    """Each with its name, its annotations, and the names in all the specs of its class."""
    for node in module.tree.body:
        if isinstance(node, FunctionNode):
            kinds = annotated(node, scope)
            if kinds:
                yield node.name, node, scope, kinds, frozenset()
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, FunctionNode)]
            read = [annotated(each, scope) for each in methods]
            specs = (spec for kinds in read for kind in kinds.values() for spec in specs_of(kind))
            named = frozenset(name for spec in specs for name in spec.names)
            for method, kinds in zip(methods, read, strict=True):
                # A layer that a constructor makes is used where the annotations are.
                if kinds or (method.name == "__init__" and any(read)):
                    yield f"{node.name}.{method.name}", method, scope, kinds, named


def _inside(function: AnyFunction) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _applied(lines: Sequence[str], edit: Edit) -> str | None:
    """The text with an edit made; None if that is more than one line, or cannot be parsed."""
    node = edit.node
    if node.lineno != node.end_lineno or node.end_col_offset is None:
        return None
    line = lines[node.lineno - 1].encode()
    changed = line[: node.col_offset] + edit.text.encode() + line[node.end_col_offset :]
    text = [*lines]
    text[node.lineno - 1] = changed.decode()
    source = "".join(text)
    try:
        ast.parse(source)
    except SyntaxError:
        return None
    return source
