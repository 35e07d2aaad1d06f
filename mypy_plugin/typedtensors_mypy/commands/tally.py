# SPDX-License-Identifier: Apache-2.0
"""How much of the checked files a run could read, so that silence is never mistaken for success.

Read from the files, not from the run: a module that mypy takes from its cache has no syntax tree.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mypy.modulefinder import BuildSource
from mypy.util import decode_python_encoding

from typedtensors.config import Config
from typedtensors_mypy.build import is_users
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.abbreviations import abbreviation
from typedtensors_mypy.source.annotations.specs import SpecReader
from typedtensors_mypy.source.annotations.types import OpaqueType
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import External, Target
from typedtensors_mypy.source.scope import Scope

# What a file with shape annotations starts with.
_IMPORT = re.compile(r"^\s*(?:from|import)\s+(?:jaxtyping|typedtensors)\b", re.MULTILINE)
_PYTHON = ".".join(map(str, sys.version_info[:2]))


@dataclass(frozen=True)
class Tally:
    """What was read.

    Args:
        files: How many of the files that were asked for were checked.
        excluded: How many of them the configuration excludes.
        specs: How many shape annotations were read in them.
        written: How many there are.
        unread: Files with shape annotations of which none could be read, and why.
        by_file: Of each file that was checked, how many were read and how many there are.
    """

    files: int
    excluded: int
    specs: int
    written: int
    unread: dict[str, str]
    by_file: dict[str, tuple[int, int]]


def tally(sources: Sequence[BuildSource], paths: Mapping[str, str], config: Config) -> Tally:
    """Count the shape annotations in a run.

    Args:
        sources: The files that were asked for.
        paths: The path of every module of the run, those that the files import included.
        config: What says which files are not checked.
    """
    program = Files(users(paths))
    excluded = {name for name, path in program.names.items() if config.excludes(path)}
    problems = {name: _problems(program, name) for name in program.names.keys() - excluded}
    asked = [source.module for source in sources if source.module in program.names]
    unread = {
        program.names[name]: str(found[0])
        for name in asked
        if (found := problems.get(name)) and None not in found
    }
    by_file = {
        program.names[name]: (problems[name].count(None), len(problems[name]))
        for name in asked
        if name in problems
    }
    read = sum(found.count(None) for found in problems.values())
    written = sum(map(len, problems.values()))
    return Tally(len(by_file), len(asked) - len(by_file), read, written, unread, by_file)


def users(paths: Mapping[str, str]) -> dict[str, str]:
    """The modules, by name, that are the user's own."""
    return {name: path for name, path in paths.items() if is_users(path)}


def _problems(program: Files, name: str) -> list[str | None]:
    """Say of each shape annotation in a module why it cannot be read; None if it can."""
    module = program.module(name)
    if module is None:
        return [*program.obstacles(name)]
    scope = Scope(program, module)
    return [_problem(spec, scope) for spec in _specs(scope, module)]


class Files:
    """The user's files, as a program to look names up in; `names` are their modules' paths."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.module = cache(self._parse)
        self.resolved: dict[str, Target | None] = {}

    def _parse(self, name: str) -> Module | None:
        source = self._source(name)
        return None if source is None else Module.parse(name, self.names[name], source)

    def _source(self, name: str) -> str | None:
        try:
            return decode_python_encoding(Path(self.names[name]).read_bytes())
        except (KeyError, OSError, UnicodeDecodeError):
            return None

    def obstacles(self, name: str) -> Iterator[str]:
        """What keeps a module from being parsed that may have shape annotations.

        mypy reads the syntax of Pythons that are newer than the one it runs on.
        """
        source = self._source(name) or ""
        if _IMPORT.search(source):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    ast.parse(source)
            except (SyntaxError, ValueError) as error:
                line, what = getattr(error, "lineno", 1), getattr(error, "msg", str(error))
                yield f"line {line}: the Python {_PYTHON} that runs mypy cannot parse it: {what}"

    def canonical(self, _name: str) -> str | None:
        """Libraries are not looked into: their specs are not counted."""
        return None


def _specs(scope: Scope, module: Module) -> Iterator[ast.Subscript]:
    """Yield what is written as a shape annotation, the outer one of nested ones."""
    pending: list[ast.AST] = [module.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Subscript) and _is_dtype(scope, node.value):
            yield node
        else:
            pending += _parts(node)


def _is_dtype(scope: Scope, node: ast.expr) -> bool:
    target = scope.target(node)
    if not isinstance(target, External):
        return abbreviation(scope, target) is not None
    return library.jaxtyping_dtype(target.name) is not None


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a node holds, annotations in quotes included."""
    yield from ast.iter_child_nodes(node)
    for name in ("annotation", "returns"):
        annotation = getattr(node, name, None)
        for part in ast.walk(annotation) if isinstance(annotation, ast.AST) else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield from _quoted(part.value, part)


def _quoted(text: str, node: ast.Constant) -> Iterator[ast.AST]:
    try:
        inner = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return
    for part in ast.walk(inner):
        ast.copy_location(part, node)
    yield inner


def _problem(node: ast.Subscript, scope: Scope) -> str | None:
    """Say why a shape annotation cannot be read, with its line; None if it can."""
    reader = SpecReader(scope)
    read = reader.read(node)
    if not isinstance(read, OpaqueType):
        return None
    if reader.problems:
        return f"line {node.lineno}: {reader.problems[0].diagnostic.text}"
    if read.is_unreadable:
        return f"line {node.lineno}: `{ast.unparse(node)}`: {read.reason}"
    return None
