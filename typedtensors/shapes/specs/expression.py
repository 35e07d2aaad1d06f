# SPDX-License-Identifier: Apache-2.0
"""Arithmetic inside a spec: `2*h+1`, `min(a,b)`, `{self.d}//2`.

jaxtyping formats the text as an f-string and evaluates the result when an array is checked, so
anything at all may stand there. Read here is what can come out as a size; nothing is evaluated.
"""

from __future__ import annotations

import ast

from typedtensors.dims import Atom, Dim, DimSyntaxError, parse_dim

_PLACEHOLDER = "lookup__"
_FUNCTIONS = frozenset({"abs", "int", "max", "min", "pow", "round"})


class ExpressionError(ValueError):
    """The text cannot come out as a size; the message completes "`n+` is no axis: ..."."""


def parse_expression(text: str) -> Dim:
    """The dim that `text` writes: names are declared atoms, each `{expr}` is an opaque one.

    What is arithmetic but no polynomial of dims (`n**2`, `n/2`, `dim{i}`) is one opaque atom of
    that text: it has a size, which only the running program knows.
    Raises ExpressionError if no size can come out.
    """
    template, lookups = _take_lookups(text)
    _check_arithmetic(_parse(template))
    try:
        dim = parse_dim(template)
    except DimSyntaxError:
        return Dim.opaque(text)
    known = {Atom(placeholder): Dim.opaque(read) for placeholder, read in lookups.items()}
    if any(_PLACEHOLDER in atom.name for atom in dim.atoms.difference(known)):
        return Dim.opaque(text)  # part of a longer name: `dim{i}`
    if dim.value is not None and dim.value < 0:
        msg = "a size is not negative"
        raise ExpressionError(msg)
    return dim.substitute(known)


def _take_lookups(text: str) -> tuple[str, dict[str, str]]:
    """The text with a placeholder for each `{expr}`, and what each placeholder reads."""
    if "{" not in text and "}" not in text:
        return text, {}
    template = ""
    lookups: dict[str, str] = {}
    for part in _formatted(text):
        if isinstance(part, ast.Constant):
            template += str(part.value)
        elif isinstance(part, ast.FormattedValue):
            placeholder = f"{_PLACEHOLDER}{len(lookups)}"
            lookups[placeholder] = ast.unparse(part.value)
            template += placeholder
    return template, lookups


def _formatted(text: str) -> list[ast.expr]:
    """The pieces of the text read as an f-string."""
    try:
        parsed = ast.parse(f"f{text!r}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        parsed = None
    if not isinstance(parsed, ast.JoinedStr):
        msg = "its braces do not hold an expression"
        raise ExpressionError(msg)
    return parsed.values


def _parse(template: str) -> ast.expr:
    try:
        return ast.parse(template, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        msg = "an axis is a name, a size or arithmetic, in one word"
        raise ExpressionError(msg) from None


def _check_arithmetic(node: ast.expr) -> None:
    """Refuse what evaluates to no integer, since names are integers here."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            pending += [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            pending.append(node.operand)
        elif isinstance(node, ast.Call) and _is_known(node):
            pending += node.args
        elif not _is_integer(node):
            raise ExpressionError(_problem(node))


def _is_known(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id in _FUNCTIONS
    return named and bool(call.args) and not call.keywords


def _is_integer(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return not _is_anonymous(node)
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_anonymous(name: ast.Name) -> bool:
    """Whether no axis can bind a name: `_` and `_n` are of any size, wherever they stand."""
    return name.id.startswith("_")


def _problem(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return "a size is an integer"
    if isinstance(node, ast.Name):
        return f"`{node.id}` is anonymous, so there is no size to compute with"
    if isinstance(node, ast.Attribute):
        return f"`{{{ast.unparse(node)}}}` reads a variable"
    if isinstance(node, ast.Tuple):
        return "axes are separated by spaces, not commas"
    if isinstance(node, ast.Compare):
        return "a comparison is no size"
    return f"`{ast.unparse(node)}` is no integer"
