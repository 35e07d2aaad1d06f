# SPDX-License-Identifier: Apache-2.0
"""The mutants of a module, and which of them are certainly wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.mutants.annotations import Annotated, annotated, call_edits, spec_edits
from tools.mutants.edits import Edit, edits
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.program import Program
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.types import specs_of


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
    for name, node, scope, kinds in _functions(module, Scope(program, module)):
        found = [*spec_edits(node)]
        for part in _inside(node):
            found += [*edits(part), *call_edits(part, scope.inside(node))]
        for edit in found:
            source = _applied(lines, edit)
            if source is not None:
                yield Mutant(module.name, name, edit, _is_strong(node, kinds, edit), source)


def _functions(module: Module, scope: Scope) -> Iterator[tuple[str, AnyFunction, Scope, Annotated]]:
    for node in module.tree.body:
        if isinstance(node, FunctionNode):
            kinds = annotated(node, scope)
            if kinds:
                yield node.name, node, scope, kinds
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, FunctionNode)]
            read = [annotated(each, scope) for each in methods]
            for method, kinds in zip(methods, read, strict=True):
                # A layer that a constructor makes is used where the annotations are.
                if kinds or (method.name == "__init__" and any(read)):
                    yield f"{node.name}.{method.name}", method, scope, kinds


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


def _is_strong(function: AnyFunction, kinds: Annotated, edit: Edit) -> bool:
    """Whether an edit changes the axes of something whose axes are written down.

    A new axis in front that is dropped may be what broadcasting adds anyway; what never reaches
    the annotated result may be right in another way.
    """
    if _is_abstract(function):
        return False
    if "spec" in edit.kind:
        return _contradicts(function, kinds, edit)
    if function.name == "__init__" or edit.kind.startswith("arguments"):
        return True
    if edit.text.endswith("[:]") or _may_be_alike(edit):
        return False
    result = specs_of(kinds["return"]) if "return" in kinds else ()
    names = {name for spec in result for name in spec.names}
    return (edit.changes_rank or len(names) > 1) and _reaches_result(function, edit.node)


def _contradicts(function: AnyFunction, kinds: Annotated, edit: Edit) -> bool:
    """Whether other annotations of the function have the names of a spec that was changed."""
    line = edit.node.lineno
    args = [*function.args.args, *function.args.kwonlyargs]
    changed = next((arg.arg for arg in args if _covers(arg, line)), "return")
    others = (kind for name, kind in kinds.items() if name != changed)
    known = {name for kind in others for spec in specs_of(kind) for name in spec.names}
    body = (node for node in _inside(function) if isinstance(node, ast.Name))
    used = changed == "return" or any(node.id == changed for node in body)
    words = re.findall(r"[A-Za-z_]\w*", edit.text)
    return changed != "self" and used and not known.isdisjoint(words)


def _covers(arg: ast.arg, line: int) -> bool:
    written = arg.annotation
    return written is not None and written.lineno <= line <= (written.end_lineno or 0)


def _may_be_alike(edit: Edit) -> bool:
    """Whether an axis is dropped that broadcasting may add, or that may not have been there."""
    node = edit.node
    given = node.args if isinstance(node, ast.Call) else []
    if edit.kind == "squeeze dropped":
        return not given
    in_front = any(isinstance(each, ast.Constant) and each.value == 0 for each in given)
    return edit.kind == "unsqueeze dropped" and in_front


def _is_abstract(function: AnyFunction) -> bool:
    last = function.body[-1]
    return isinstance(last, (ast.Pass, ast.Raise)) or (
        isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)
    )


def _reaches_result(function: AnyFunction, node: ast.expr) -> bool:
    """Whether what a function returns is made of a node, by way of its variables."""
    made: set[str] = set()
    parts = [
        part
        for part in _inside(function)
        if isinstance(
            part, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.Return, ast.Yield)
        )
    ]
    before = -1
    while before < len(made):
        before = len(made)
        for part in parts:
            source = part.iter if isinstance(part, ast.For) else part.value
            if source is None or not _mentions(source, node, made):
                continue
            if isinstance(part, (ast.Return, ast.Yield)):
                return True
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            made |= {
                each.id
                for target in targets
                for each in ast.walk(target)
                if isinstance(each, ast.Name)
            }
    return False


def _mentions(source: ast.expr, node: ast.expr, made: set[str]) -> bool:
    return any(
        part is node or (isinstance(part, ast.Name) and part.id in made)
        for part in ast.walk(source)
    )
