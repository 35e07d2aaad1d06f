# SPDX-License-Identifier: Apache-2.0
"""Questions about syntax alone. Ask them with `Module.once`: the answers never change."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from typedtensors_mypy.modules import AnyFunction, FunctionNode

_NEVER_NODES = frozenset({"attr", "ctx", "id", "kind", "level", "op", "ops", "type_comment"})
# The fields of each class of nodes that may hold nodes.
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _NEVER_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
} | {ast.Constant: ()}

# Most of a syntax tree is expressions, and most questions are not: these lead past them.
_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes inside it, in no particular order; `ast.walk` takes twice as long.

    Operators and contexts, which hold nothing, are left out.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += children(node)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right inside a node, operators and contexts left out."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a body, in no order, those of functions and classes in it included."""
    pending: list[ast.AST] = [*body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        for part in _PARTS:
            pending += getattr(node, part, ())


def assigned_attributes(body: Iterable[ast.stmt]) -> Iterator[ast.Attribute]:
    """Every attribute that a statement of a body assigns, `self.a` of `self.a, b = 1, 2`."""
    for statement in statements(body):
        for target in _targets(statement):
            for part in ast.walk(target):
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                    yield part


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign):
        yield from node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        yield node.target
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from (item.optional_vars for item in node.items if item.optional_vars is not None)


def own_nodes(function: AnyFunction) -> Iterator[ast.AST]:
    """The nodes of a function's body, but not those inside functions, classes and lambdas in it."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FunctionNode, ast.ClassDef, ast.Lambda)):
            pending += children(node)


def parameters(function: AnyFunction) -> list[ast.arg]:
    """All parameters of a function."""
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [arg for arg in every if arg is not None]


def bound_names(function: AnyFunction) -> frozenset[str]:
    """The names that are a function's own: its parameters, and what its statements bind."""
    found = {parameter.arg for parameter in parameters(function)}
    outer: set[str] = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, (*FunctionNode, ast.ClassDef)):
            found.add(node.name)
    return frozenset(found - outer)


def is_generator(function: AnyFunction) -> bool:
    """Whether a function has a `yield` of its own."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function))


def binding_counts(function: AnyFunction) -> Mapping[str, int]:
    """How often a function binds each name, parameters and the functions inside it included."""
    counts = {arg.arg: 1 for arg in walk(function.args) if isinstance(arg, ast.arg)}
    for name in stored_names([function]):
        counts[name] = counts.get(name, 0) + 1
    return counts


def stored_names(nodes: Iterable[ast.AST]) -> list[str]:
    """Each name that is assigned in the nodes, as often as it is."""
    return [
        part.id
        for node in nodes
        for part in walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    ]


def names_in(expression: ast.expr) -> tuple[ast.Name | ast.Attribute, ...]:
    """The names in an expression, and the attributes of names, as they stand in it."""
    return tuple(
        node
        for node in ast.walk(expression)
        if isinstance(node, ast.Name)
        or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    )


def leaves_early(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether some round of a loop may be the last, or end before its end."""
    return any(isinstance(node, (ast.Break, ast.Continue)) for node in walk(loop))


def dotted(node: ast.expr) -> str | None:
    """`torch.nn.Linear` for the expression that writes it; None for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


@dataclass(frozen=True)
class Mentions:
    """What some code reads: names with their attributes, quoted annotations, imports inside it."""

    names: frozenset[str]
    texts: tuple[str, ...]
    imports: tuple[ast.Import | ast.ImportFrom, ...]


def mentions(root: ast.AST) -> Mentions:
    """The mentions in a definition or an expression."""
    names: set[str] = set()
    texts: list[str] = []
    imports: list[ast.Import | ast.ImportFrom] = []
    for node in walk(root):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            name = dotted(node)
            if name is not None:
                names.add(name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(node)
        else:
            texts += _quoted(getattr(node, "annotation", None))
            texts += _quoted(getattr(node, "returns", None))
    return Mentions(frozenset(names), tuple(texts), tuple(imports))


def _quoted(annotation: ast.expr | None) -> list[str]:
    """The texts in an annotation; most are specs, some are annotations themselves."""
    if annotation is None:
        return []
    constants = [part for part in walk(annotation) if isinstance(part, ast.Constant)]
    return [part.value for part in constants if isinstance(part.value, str)]
