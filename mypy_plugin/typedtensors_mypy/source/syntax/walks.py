# SPDX-License-Identifier: Apache-2.0
"""Questions about syntax alone. Ask them with `Module.once`: the answers never change."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from typedtensors_mypy.source.modules import AnyFunction

_NEVER_NODES = frozenset(
    {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module"}
    | {"op", "ops", "rest", "simple", "type_comment"}
)
# The fields of each class of nodes that may hold nodes.
FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _NEVER_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
} | {ast.Constant: ()}

# Most of a syntax tree is expressions, and most questions are not: these lead past them.
_PARTS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_BLOCKS = {kind: tuple(name for name in kind._fields if name in _PARTS) for kind in FIELDS}


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


def empty_function(name: str, parameters: str) -> ast.FunctionDef:
    """A function with these parameters, and with a body that says nothing."""
    lambda_ = ast.parse(f"lambda {parameters}: ...", mode="eval").body
    module = ast.parse("def function(): ...")
    function = next(node for node in module.body if isinstance(node, ast.FunctionDef))
    function.name = name
    function.args = lambda_.args if isinstance(lambda_, ast.Lambda) else function.args
    return function


def as_function(written: ast.Lambda) -> ast.FunctionDef:
    """The function that a lambda writes, in the lambda's own nodes."""
    function = empty_function("lambda", "")
    function.args = written.args
    function.body = [ast.copy_location(ast.Return(written.body), written.body)]
    return ast.copy_location(function, written)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a body, in no order, those of functions and classes in it included."""
    pending: list[ast.AST] = [*body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        pending += blocks(node)


def blocks(node: ast.AST) -> list[ast.AST]:
    """The statements, handlers and cases right inside a statement, handler or case."""
    return [inside for part in _BLOCKS[node.__class__] for inside in getattr(node, part)]


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
        for node in walk(expression)
        if isinstance(node, ast.Name)
        or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    )


def last_names(expression: ast.expr) -> frozenset[str]:
    """The names in an expression, those of attributes included."""
    found = set()
    for node in walk(expression):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    return frozenset(found)


def leaves_early(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether some round of a loop may be the last, or end before its end."""
    return any(isinstance(node, (ast.Break, ast.Continue)) for node in statements(loop.body))


def rank_of(node: ast.expr) -> str | None:
    """`x`, for `x.ndim`, `x.dim()`, `len(x.shape)` and `len(x.size())`; None for any other."""
    property_, method = "ndim", "dim"
    if isinstance(node, ast.Call) and dotted(node.func) == "len" and len(node.args) == 1:
        node, property_, method = node.args[0], "shape", "size"
    wanted = property_
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        node, wanted = node.func, method
    if isinstance(node, ast.Attribute) and node.attr == wanted and isinstance(node.value, ast.Name):
        return node.value.id
    return None


def dotted(node: ast.expr) -> str | None:
    """`torch.nn.Linear` for the expression that writes it; None for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None
