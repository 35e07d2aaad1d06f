# SPDX-License-Identifier: Apache-2.0
"""A program in one file, as two: a definition and what it needs move to a module of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_Import = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Split:
    """A program in two modules; every line has the number that it had in one.

    Args:
        moved: What the other module defines that the program uses.
        files: The modules by name; `main` is the program's.
    """

    moved: str
    files: Mapping[str, str]


# How the program comes by what was moved: its own import, and that of a module between.
IMPORTS = {
    "by-name": ("from library import {names}", ""),
    "all-names": ("from library import *", ""),
    "re-exported": ("from between import *", "from library import {names}"),
}


def splits(source: str, imports: tuple[str, str]) -> Iterator[Split]:
    """Each way to move one definition of a program out of it, with what it needs."""
    body = ast.parse(source).body
    head = [node for node in body if isinstance(node, _Import)]
    rest = [node for node in body if node not in head]
    for node in rest:
        moved = _needed(node, rest)
        kept = [other for other in rest if other not in moved]
        names = {name for other in moved for name in _bound(other)}
        used = sorted(names & set().union(*map(_names, kept)))
        if not used or names & {name for other in kept for name in _bound(other)}:
            continue
        moved_names = ", ".join(used)
        own, between = (line.format(names=moved_names) for line in imports)
        main = _lines(source, [*head, *kept])
        main[min(map(_first_line, moved)) - 1] = own
        library = _lines(source, [*head, *moved])
        yield Split(
            moved_names,
            {"main": "\n".join(main), "library": "\n".join(library), "between": between},
        )


def _needed(node: ast.stmt, rest: Sequence[ast.stmt]) -> list[ast.stmt]:
    """A statement, and those that bind what it needs."""
    found = [node]
    for current in found:
        names = _names(current)
        found += [other for other in rest if other not in found and names & set(_bound(other))]
    return found


def _bound(node: ast.stmt) -> list[str]:
    """The names that a definition binds; other statements are not moved."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [name.id for name in ast.walk(node) if _is_stored(name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and _is_stored(node.target) else []


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _names(node: ast.stmt) -> set[str]:
    """Every word that may be a name, those in quotes included."""
    return set(re.findall(r"\w+", ast.unparse(node)))


def _lines(source: str, nodes: Sequence[ast.stmt]) -> list[str]:
    """The lines of some statements, the others blank."""
    kept = {
        number
        for node in nodes
        for number in range(_first_line(node), (node.end_lineno or node.lineno) + 1)
    }
    every = enumerate(source.splitlines(), start=1)
    return [line if number in kept else "" for number, line in every]


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
