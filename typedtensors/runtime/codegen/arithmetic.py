# SPDX-License-Identifier: Apache-2.0
"""The Python that computes an axis such as `2*n+1` or `{self.d}//2`.

jaxtyping formats the text as an f-string over the arguments, and evaluates the outcome over the
sizes. Here both are read once, and written into the generated function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from typedtensors.runtime.codegen.code import NotCompilableError
from typedtensors.shapes import SpecAxis

_FUNCTIONS = frozenset({"abs", "int", "max", "min", "pow", "round"})
_PLACEHOLDER = "lookup__"
_SCOPES = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Arithmetic:
    """A parsed axis.

    Invariant: `tree` holds the names in `dims`, a few builtin functions, and for each key of
    `lookups` a name of that text, which stands for what the value's expression gives.
    """

    tree: ast.expr
    dims: frozenset[str]
    lookups: Mapping[str, ast.expr]

    def text(self, variable_of: Callable[[str], str]) -> str:
        """Write the expression, with the variable of each dim and lookup in its place."""
        names = self.dims | self.lookups.keys()
        return f"({ast.unparse(_rename(self.tree, {name: variable_of(name) for name in names}))})"


def parse_arithmetic(axis: SpecAxis) -> Arithmetic:
    """Read an axis that is neither a name nor a fixed size.

    Raises:
        NotCompilableError: its meaning depends on how a value is formatted.
    """
    body = axis.text.lstrip("#").rpartition("=")[2]
    template, lookups = _take_lookups(body)
    tree = _parse(template)
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and id(node) in functions:
            if node.id not in _FUNCTIONS:
                raise NotCompilableError(body)
        elif isinstance(node, ast.Name):
            names.add(node.id)
    if any(_PLACEHOLDER in name for name in names - lookups.keys()):
        raise NotCompilableError(body)  # part of a longer name: `dim{i}`
    return Arithmetic(tree, frozenset(names - lookups.keys()), lookups)


def write_lookup(expression: ast.expr, arguments: Mapping[str, str]) -> str:
    """Write what stands in braces, over the variables of the arguments.

    Raises:
        NotCompilableError: it is more than an expression over arguments.
    """
    for node in ast.walk(expression):
        if isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            raise NotCompilableError(ast.unparse(expression))
        if isinstance(node, ast.Name) and node.id not in arguments:
            raise NotCompilableError(node.id)
    return ast.unparse(_rename(expression, arguments))


def _take_lookups(body: str) -> tuple[str, dict[str, ast.expr]]:
    template = ""
    lookups: dict[str, ast.expr] = {}
    for part in _formatted(body):
        if isinstance(part, ast.Constant):
            template += str(part.value)
        elif (
            isinstance(part, ast.FormattedValue) and part.conversion == -1 and not part.format_spec
        ):
            placeholder = f"{_PLACEHOLDER}{len(lookups)}"
            lookups[placeholder] = part.value
            template += placeholder
        else:
            raise NotCompilableError(body)
    return template, lookups


def _formatted(body: str) -> list[ast.expr]:
    parsed = _parse(f"f{body!r}")
    if isinstance(parsed, ast.JoinedStr):
        return parsed.values
    raise NotCompilableError(body)


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotCompilableError(text) from error


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _rename(tree: ast.expr, names: Mapping[str, str]) -> ast.expr:
    # A copy, because the transformer changes what it is given.
    copy = ast.parse(ast.unparse(tree), mode="eval").body
    renamed: ast.expr = _Renamer(names).visit(copy)
    return renamed
