# SPDX-License-Identifier: Apache-2.0
"""`Contents`: what some code binds, mentions and changes, found in one walk."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.syntax.walks import FIELDS, blocks, dotted, last_names

# What a quoted annotation looks like; most other texts are prose.
_ANNOTATION = re.compile(r"[\w.]+(?:\s*[\[|].*)?", re.DOTALL)
# Methods that change the list, dict or set that they belong to.
CHANGING = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem"}
    | {"remove", "reverse", "setdefault", "sort", "update"}
)
_OF_LISTS = frozenset({"append", "extend", "insert", "pop"})
# Calls that assign an attribute that one of their texts names.
_SETTERS = frozenset(
    {"__setattr__", "add_module", "register_buffer", "register_parameter", "setattr"}
)
# What stands for all attributes where the name of the one that is assigned is not written out.
ANY_NAME = "*"
# Code that has names of its own.
_DEFINITIONS = frozenset({*FunctionNode, ast.ClassDef})
_SCOPES = _DEFINITIONS | {ast.Lambda}
AnyImport: TypeAlias = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Contents:
    """What is in the code of a function, a class or an expression.

    Args:
        bound: The names that are a function's own.
        names: What is read, with attributes as far as they are written (`torch.nn.Linear`), but
            for what starts with a name of the function's own.
        texts: What may be annotations in quotes.
        imports: The import statements.
        assigned: The attributes that a function's own statements assign.
        assigned_inside: Those that the functions inside it assign.
        set_by_name: Those that `setattr(a, "b", c)`, `a.register_buffer("b", c)` and the like set;
            `ANY_NAME` where that depends on the run.
        changed: What is changed where it is: `xs` for `xs.append(1)`, `a` for `self.a[0] = 1`.
        compared: For each comparison that has several, the names and attributes in it, but
            for `d % heads == 0`, which says nothing of their being equal.
        globalized: The names that are declared `global`.
        shared: The names that a function inside this one declares `nonlocal`.
        yields: Whether a function is a generator.
    """

    bound: frozenset[str]
    names: frozenset[str]
    texts: frozenset[str]
    imports: tuple[AnyImport, ...]
    assigned: tuple[ast.Attribute, ...]
    assigned_inside: tuple[ast.Attribute, ...]
    set_by_name: frozenset[str]
    changed: Mapping[str, ast.Name | ast.Attribute]
    compared: tuple[frozenset[str], ...]
    globalized: frozenset[str]
    shared: frozenset[str]
    yields: bool


def contents(node: ast.AST) -> Contents:
    """The contents of a function, of an expression, or of what a class or module has besides."""
    walk = _Walk()
    if isinstance(node, FunctionNode):
        return walk.function(node)
    if isinstance(node, ast.ClassDef):
        head = [*node.bases, *node.keywords, *node.decorator_list]
        return walk.code([*head, *node.body], without=_DEFINITIONS)
    return walk.code([node], without=_DEFINITIONS)


def parts(root: ast.Module | ast.ClassDef) -> Iterator[AnyFunction | ast.ClassDef | ast.Module]:
    """A module or class and the functions and classes in it, not those inside functions."""
    yield root
    pending: list[ast.AST] = [*root.body]
    while pending:
        node = pending.pop()
        if isinstance(node, (*FunctionNode, ast.ClassDef)):
            yield node
        if not isinstance(node, FunctionNode):
            pending += blocks(node)


def every_part(module: Module) -> tuple[Contents, ...]:
    """The contents of a module, part by part."""
    return tuple(module.once(contents, part) for part in parts(module.tree))


class _Walk:
    """One walk over some code: the bulk of what a module costs in which there are no arrays."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.outer: set[str] = set()
        self.names: set[str] = set()
        self.texts: set[str] = set()
        self.imports: list[AnyImport] = []
        self.assigned: list[ast.Attribute] = []
        self.set_by_name: set[str] = set()
        self.changed: dict[str, ast.Name | ast.Attribute] = {}
        self.compared: list[frozenset[str]] = []
        self.globalized: set[str] = set()
        self.shared: set[str] = set()
        self.yields = False

    def function(self, node: AnyFunction) -> Contents:
        """A function: what its own statements bind, what everything in it mentions."""
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        self.bound.update(arg.arg for arg in every if arg is not None)
        inside = self._own(node.body)
        own, self.assigned = self.assigned, []
        self._any([args, node.returns, *node.decorator_list, *inside])
        return self._found(own, self.assigned)

    def code(self, nodes: Iterable[ast.AST], without: frozenset[type]) -> Contents:
        """Code that is no function's; some kinds of nodes are not walked into."""
        self._any(nodes, without)
        return self._found([], self.assigned)

    def _found(self, own: list[ast.Attribute], inside: list[ast.Attribute]) -> Contents:
        bound = frozenset(self.bound - self.outer)
        return Contents(
            bound,
            frozenset(name for name in self.names if name.partition(".")[0] not in bound),
            frozenset(self.texts),
            tuple(self.imports),
            tuple(own),
            tuple(inside),
            frozenset(self.set_by_name),
            self.changed,
            tuple(self.compared),
            frozenset(self.globalized),
            frozenset(self.shared),
            self.yields,
        )

    def _own(self, body: Iterable[ast.stmt]) -> list[ast.AST]:
        """Walk over a function's own code; the scopes inside it are left over."""
        inside: list[ast.AST] = []
        pending: list[Any] = [*body]
        while pending:
            node = pending.pop()
            kind = node.__class__
            if kind in _SCOPES:
                inside.append(node)
                if kind is not ast.Lambda:
                    self.bound.add(node.name)
                continue
            note = _OWN_NOTES.get(kind)
            if note is not None and note(self, node):
                continue
            for name in FIELDS.get(kind, ()):
                value = getattr(node, name)
                if value.__class__ is list:
                    pending += value
                else:
                    pending.append(value)
        return inside

    def _any(self, nodes: Iterable[ast.AST | None], without: frozenset[type] = frozenset()) -> None:
        """Walk over code of which it does not matter what it binds."""
        pending: list[Any] = [*nodes]
        while pending:
            node = pending.pop()
            kind = node.__class__
            note = _NOTES.get(kind)
            if kind in without or (note is not None and note(self, node)):
                continue
            for name in FIELDS.get(kind, ()):
                value = getattr(node, name)
                if value.__class__ is list:
                    pending += value
                else:
                    pending.append(value)

    # Each of these gives True where the walk need not go into the node.

    def name(self, node: ast.Name) -> bool:
        self.names.add(node.id)
        return True

    def own_name(self, node: ast.Name) -> bool:
        (self.names if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)
        return True

    def constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and _ANNOTATION.fullmatch(node.value):
            self.texts.add(node.value)

    def attribute(self, node: ast.Attribute) -> bool:
        if isinstance(node.ctx, ast.Store):
            self.assigned.append(node)
            if node.attr == "__dict__":
                self.set_by_name.add(ANY_NAME)
        name = dotted(node)
        if name is None:
            return False
        self.names.add(name)
        return True

    def comparison(self, node: ast.Compare) -> None:
        names = last_names(node)
        if len(names) > 1 and not _is_divisibility(node):
            self.compared.append(names)

    def imported(self, node: AnyImport) -> None:
        self.imports.append(node)

    def call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr in CHANGING:
                owner = function.value
                # What is updated in a dict may be anything, what is appended to is a list.
                while isinstance(owner, ast.Subscript) and function.attr in _OF_LISTS:
                    owner = owner.value
                self._change(owner)
            elif function.attr in _SETTERS:
                self._set_by_name(node)
        elif isinstance(function, ast.Name) and function.id in _SETTERS:
            self._set_by_name(node)

    def subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._change(node.value)

    def augmented(self, node: ast.AugAssign) -> None:
        self._change(node.target)

    def _set_by_name(self, node: ast.Call) -> None:
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        texts = (getattr(each, "value", None) for each in given if isinstance(each, ast.Constant))
        names = {text for text in texts if isinstance(text, str)}
        self.set_by_name |= names or {ANY_NAME}

    def _change(self, owner: ast.expr) -> None:
        if isinstance(owner, ast.Name):
            self.changed[owner.id] = owner
        elif isinstance(owner, ast.Attribute):
            self.changed[owner.attr] = owner
        elif isinstance(owner, ast.Call) and dotted(owner.func) == "vars":
            self.set_by_name.add(ANY_NAME)

    def alias(self, node: ast.alias) -> None:
        self.bound.add(node.asname or node.name.partition(".")[0])

    def globally(self, node: ast.Global) -> None:
        self.globalized.update(node.names)

    def own_globally(self, node: ast.Global) -> None:
        self.globalized.update(node.names)
        self.outer.update(node.names)

    def nonlocally(self, node: ast.Nonlocal) -> None:
        self.shared.update(node.names)

    def own_nonlocally(self, node: ast.Nonlocal) -> None:
        self.outer.update(node.names)

    def yielded(self, _node: ast.Yield | ast.YieldFrom) -> None:
        self.yields = True


# What there is to note of each kind of node; of a function's own nodes there is more.
_NOTES: Mapping[type, Callable[[_Walk, Any], bool | None]] = {
    ast.Attribute: _Walk.attribute,
    ast.AugAssign: _Walk.augmented,
    ast.Call: _Walk.call,
    ast.Compare: _Walk.comparison,
    ast.Constant: _Walk.constant,
    ast.Global: _Walk.globally,
    ast.Import: _Walk.imported,
    ast.ImportFrom: _Walk.imported,
    ast.Name: _Walk.name,
    ast.Nonlocal: _Walk.nonlocally,
    ast.Subscript: _Walk.subscript,
}
_OWN_NOTES: Mapping[type, Callable[[_Walk, Any], bool | None]] = {
    **_NOTES,
    ast.Name: _Walk.own_name,
    ast.alias: _Walk.alias,
    ast.Global: _Walk.own_globally,
    ast.Nonlocal: _Walk.own_nonlocally,
    ast.Yield: _Walk.yielded,
    ast.YieldFrom: _Walk.yielded,
}


def _is_divisibility(node: ast.Compare) -> bool:
    """Whether a comparison is `a % b == 0`, or the like of it."""
    left, right = node.left, node.comparators[0]
    return (
        isinstance(left, ast.BinOp)
        and isinstance(left.op, ast.Mod)
        and len(node.comparators) == 1
        and isinstance(right, ast.Constant)
    )
