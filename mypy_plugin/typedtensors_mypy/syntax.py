# SPDX-License-Identifier: Apache-2.0
"""Questions about syntax alone. Ask them with `Module.once`: the answers never change."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from typedtensors_mypy.modules import AnyFunction

_NEVER_NODES = frozenset(
    {"asname", "attr", "ctx", "id", "kind", "level", "module", "op", "ops", "type_comment"}
)
# The fields of each class of nodes that may hold nodes.
FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _NEVER_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
} | {ast.Constant: ()}

# Most of a syntax tree is expressions, and most questions are not: these lead past them.
# Methods of lists, dicts, sets and deques that change them.
_CHANGING = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem"}
    | {"remove", "reverse", "setdefault", "sort", "update"}
)
_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes inside it, in no particular order; `ast.walk` takes twice as long.

    Operators and contexts, which hold nothing, are left out.
    """
    pending: list[ast.AST] = [root]
    while pending:
        node = pending.pop()
        fields = FIELDS.get(node.__class__)
        if fields is None:
            continue  # a text, a number, nothing
        yield node
        for name in fields:
            value = getattr(node, name)
            if value.__class__ is list:
                pending += value
            else:
                pending.append(value)


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


def changed_in_place(tree: ast.AST) -> Mapping[str, ast.expr]:
    """What code changes where it is: `xs` for `xs.append(1)`, `a` for `self.a[0] = 1`, by name."""
    return {_last(owner): owner for node in walk(tree) for owner in _changed(node)}


def _changed(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    owner: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value if node.func.attr in _CHANGING else None
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        owner = node.value
    elif isinstance(node, ast.AugAssign):
        owner = node.target
    if isinstance(owner, (ast.Name, ast.Attribute)):
        yield owner


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign):
        yield from node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        yield node.target
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from (item.optional_vars for item in node.items if item.optional_vars is not None)


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
