# SPDX-License-Identifier: Apache-2.0
"""The methods that Python gives the classes of a module, written into its source.

mypyc compiles the methods that it finds in a class. Those of a dataclass come into being at run
time, and stay Python, which makes a compiled class slower to construct and compare than an ordinary
one; and it takes a `cached_property` for a property. So both are written out here.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import TypeAlias

from tools.compiled import methods
from tools.compiled.fields import body_of, fields_of

_Options: TypeAlias = dict[str | None, str]

_NEEDED = (
    "from typing import Any as _Any, TYPE_CHECKING as _TYPE_CHECKING",
    "if _TYPE_CHECKING:",
    "    from mypy_extensions import mypyc_attr as _mypyc_attr",
)


@dataclass(frozen=True)
class _Edit:
    """The lines from `first` up to `last`, numbered from 1, give way to others."""

    first: int
    last: int
    lines: tuple[str, ...]


def written_out(source: str, module: ModuleType, acyclic: Container[type]) -> str:
    """The source of a module with the methods of its dataclasses in it.

    It says of the classes in `acyclic` that the garbage collector has no need to follow them.
    """
    tree = ast.parse(source)
    known, wanted = _bound(tree) | vars(builtins).keys(), dict[str, set[str]]()
    edits: list[_Edit] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and (decorator := _decorator(node)) is not None:
            cls = getattr(module, node.name)
            edits += _class_edits(node, decorator, cls)
            if cls in acyclic:
                first = node.decorator_list[0].lineno
                edits.append(_Edit(first, first, ("@_mypyc_attr(acyclic=True)",)))
            for field in fields_of(cls):
                if field.home != module.__name__:
                    names = set(field.names()) - known
                    wanted.setdefault(field.home, set()).update(names)
    edits += _imports(tree, wanted)
    lines = source.splitlines()
    for edit in sorted(edits, key=lambda edit: edit.first, reverse=True):
        lines[edit.first - 1 : edit.last - 1] = edit.lines
    return "\n".join(lines) + "\n"


def _decorator(node: ast.ClassDef) -> ast.expr | None:
    """What makes a class a dataclass, unless it is one with slots: that is another class."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name) and called.id == "dataclass":
            return None if "slots" in _options(decorator) else decorator
    return None


def _options(decorator: ast.expr) -> _Options:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else ()
    return {keyword.arg: ast.unparse(keyword.value) for keyword in keywords}


def _class_edits(node: ast.ClassDef, decorator: ast.expr, cls: type) -> Iterator[_Edit]:
    functions = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
    options = _options(decorator)
    end = (decorator.end_lineno or decorator.lineno) + 1
    yield _Edit(decorator.lineno, end, (_rest(options, functions.keys()),))
    heads = [item for item in node.body if isinstance(item, ast.AnnAssign | ast.Expr)]
    after = 1 + max(item.end_lineno or item.lineno for item in heads)
    added = list(_methods(cls, options, functions.keys()))
    yield _Edit(after, after, ("", *(f"    {line}" for line in added), "") if added else ())
    for function in filter(_is_cached, functions.values()):
        yield from _cached_edits(function)


def _rest(options: _Options, given: Collection[str]) -> str:
    """What `dataclass` still does: it lists the fields, shows them and matches by them.

    A guard against assignment would be Python again, and mypy has seen that nobody assigns.
    """
    left = {name: value for name, value in options.items() if name != "frozen"} | {"eq": "False"}
    if "__init__" not in given:
        left["init"] = "False"
    return f"@dataclass({', '.join(f'{name}={value}' for name, value in left.items())})"


def _methods(cls: type, options: _Options, given: Collection[str]) -> Iterator[str]:
    """The lines of the methods that `dataclass` would make, unless the class has its own."""
    fields = fields_of(cls)
    compared = [field for field in fields if field.compare]
    if "__init__" not in given:
        checks = hasattr(cls, "__post_init__")
        yield from methods.constructor(fields, list(_caches(cls)), checks=checks)
    if options.get("eq") != "False" and "__eq__" not in given:
        yield from methods.equality(cls.__name__, compared)
        if options.get("frozen") == "True" and "__hash__" not in given:
            yield from methods.hashing(compared)
    yield from methods.replacing(cls.__name__, [field for field in fields if field.init])
    if "__reduce__" not in given and all(field.init and not field.keyword for field in fields):
        yield from methods.copying(cls.__name__, fields)


def _cached_edits(function: ast.FunctionDef) -> Iterator[_Edit]:
    first, kind = function.decorator_list[0].lineno, _kind(function)
    lines = (*methods.cached(function.name, kind), "")
    yield _Edit(first, function.lineno, tuple(f"    {line}" for line in lines))
    head = f"    def {methods.maker_of(function.name)}(self) -> {kind}:"
    yield _Edit(function.lineno, function.body[0].lineno, (head,))


def _is_cached(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) == "cached_property" for decorator in function.decorator_list)


def _kind(function: ast.FunctionDef) -> str:
    return ast.unparse(function.returns) if function.returns is not None else "object"


def _caches(cls: type) -> Iterator[str]:
    """The attributes for cached properties, an inherited one without its annotation."""
    for base in cls.__mro__:
        for function in body_of(base) if dataclasses.is_dataclass(base) else ():
            if isinstance(function, ast.FunctionDef) and _is_cached(function):
                name = methods.cache_of(function.name)
                yield f"{name}: {_kind(function)} | None" if base is cls else name


def _bound(tree: ast.Module) -> set[str]:
    """The names that a module imports or defines."""
    found = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def _imports(tree: ast.Module, wanted: dict[str, set[str]]) -> Iterator[_Edit]:
    """Import what inherited fields are annotated with, after the module's first import."""
    first = next((node for node in tree.body if isinstance(node, ast.ImportFrom)), None)
    if first is None:
        return
    after = (first.end_lineno or first.lineno) + 1
    yield _Edit(after, after, _NEEDED)
    for home, names in wanted.items():
        if names:
            yield _Edit(after, after, (f"from {home} import {', '.join(sorted(names))}",))
