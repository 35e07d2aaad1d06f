# SPDX-License-Identifier: Apache-2.0
"""Names of a module that always stand for the same thing, said to be final.

mypyc keeps what is final in C, and looks up any other name in the module's dict, and then the class
that `ast.Name` stands for, or a member of an enum, in another one, whenever it is met.
"""

from __future__ import annotations

import ast
import enum
import typing
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from types import ModuleType, UnionType

from tools.compiled.edits import Edit, Places, edited

_Wanted: typing.TypeAlias = Callable[[object], bool]


def with_constants(source: str, module: ModuleType, compiled: Container[str]) -> str:
    """The source of a module, given the modules that are compiled with it."""
    tree, places = ast.parse(source), Places(source)
    bound = Counter(_bound(tree))
    edits = [*_finals(tree, places, vars(module), bound)]
    at_top = {name for statement in tree.body for name in _names(statement) if bound[name] == 1}
    lookups = _Lookups(places, {name: vars(module).get(name) for name in at_top}, compiled)
    lookups.visit(tree)
    edits += lookups.edits
    for statement in tree.body:
        lines = [line for name in _names(statement) for line in lookups.lines.get(name, ())]
        if lines:
            after = places.after(statement)
            edits.append(Edit(after, after, "".join(f"{line}\n" for line in lines)))
    if edits:
        future = next(node for node in tree.body if isinstance(node, ast.ImportFrom))
        after = places.after(future)
        edits.insert(0, Edit(after, after, "from typing import Final as _Final\n"))
    return edited(source, edits)


def _finals(
    tree: ast.Module, places: Places, names: Mapping[str, object], bound: Mapping[str, int]
) -> Iterator[Edit]:
    """Say of what is assigned once, and is no type, that it is final."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target]):
                first = last = places.end(target)
                before, after = ": _Final", ""
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=ast.expr()):
                first, last = places.start(kind), places.end(kind)
                before, after = "_Final[", "]"
                if ast.unparse(kind).startswith(("Final", "TypeAlias")):
                    continue
            case _:
                continue
        if bound[name] == 1 and not name.startswith("__") and not _is_type(names[name]):
            yield Edit(first, first, before)
            if after:
                yield Edit(last, last, after)


def _is_type(value: object) -> bool:
    return (
        isinstance(value, (type, UnionType))
        or typing.get_origin(value) is not None
        or type(value).__module__ == "typing"
    )


class _Lookups(ast.NodeVisitor):
    """Finds what the code of functions looks up, and gives it a name of its own."""

    def __init__(
        self,
        places: Places,
        names: Mapping[str, object],
        compiled: Container[str],
    ) -> None:
        self.edits: list[Edit] = []
        self.lines: dict[str, dict[str, None]] = {}
        self._places, self._names, self._compiled = places, names, compiled
        self._inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Only what a function does is done more than once."""
        before, self._inside = self._inside, True
        for statement in node.body:
            self.visit(statement)
        self._inside = before

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """An annotation has to name its type."""
        if node.value is not None:
            self.visit(node.value)

    def visit_MatchValue(self, node: ast.MatchValue) -> None:
        """A name in a pattern would be bound by it."""

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A member of an enum is looked up wherever it stands."""
        if not self._named(node, lambda value: isinstance(value, enum.Enum)):
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """`x.__class__ is ast.Name`."""
        for operand in (node.left, *node.comparators):
            if not self._named(operand, self._is_other_class):
                self.visit(operand)

    def visit_Call(self, node: ast.Call) -> None:
        """`isinstance(x, (ast.Name, ast.Attribute))`."""
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[tested, kinds]):
                self.visit(tested)
                for kind in kinds.elts if isinstance(kinds, ast.Tuple) else (kinds,):
                    self._named(kind, self._is_other_class)
            case _:
                self.generic_visit(node)

    def _is_other_class(self, value: object) -> bool:
        """Whether it is a class that mypyc compiles no test for."""
        return (
            isinstance(value, type)
            and value.__module__ != "builtins"
            and value.__module__ not in self._compiled
        )

    def _named(self, node: ast.expr, wanted: _Wanted) -> bool:
        """Give what a node looks up a name, if it is what is wanted."""
        match node:
            case ast.Name(id=base):
                value = self._names.get(base)
            case ast.Attribute(value=ast.Name(id=base), attr=attribute):
                value = getattr(self._names.get(base), attribute, None)
            case _:
                return False
        if not self._inside or not wanted(value):
            return False
        written = ast.unparse(node)
        name = f"_{written.replace('.', '__')}_"
        self.lines.setdefault(base, {})[f"{name}: _Final = {written}"] = None
        self.edits.append(Edit(self._places.start(node), self._places.end(node), name))
        return True


def _bound(tree: ast.Module) -> Iterator[str]:
    """Each name that is bound anywhere in a module, as often as it is."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.stmt():
                yield from _names(node)


def _names(node: ast.stmt) -> Iterator[str]:
    """The names that an import or a definition binds."""
    match node:
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name for alias in aliases)
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
