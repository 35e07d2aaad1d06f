# SPDX-License-Identifier: Apache-2.0
"""Reading the expression of an event: its extent and its operands."""

from __future__ import annotations

import ast
import contextlib
from typing import TYPE_CHECKING, Final, NamedTuple

from typedtensors.shapes.broadcast import lines_of, statement_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The keywords by which torch and TensorFlow name operands, in the order of their signatures.
_OPERANDS: Final = frozenset(
    {"input", "other", "target", "x1", "x2", "input1", "input2", "x", "y", "y_true", "y_pred"}
)

_NAMESPACES: Final = frozenset({"operator", "Tensor", "torch.Tensor"})


class Parsed(NamedTuple):
    """A node, and the text in which it has its positions."""

    source: str
    node: ast.AST

    def text(self, part: ast.AST) -> str:
        """The text of a part of the node, on one line."""
        return " ".join((ast.get_source_segment(self.source, part) or ast.unparse(part)).split())


def parse(text: str) -> Parsed | None:
    """The expression or statement that the text writes; None if it is neither."""
    # In parentheses, an expression may go over several lines.
    for source in (f"({text}\n)", text):
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError):
            continue
        if len(body) == 1:
            only = body[0]
            return Parsed(source, only.value if isinstance(only, ast.Expr) else only)
    return None


def statement(source: str, line: int) -> tuple[range, str | None]:
    """The lines and the text of the innermost statement that covers a line.

    Of a compound statement only the header counts: the test of an `if`, the items of a `with`.
    """
    here = range(line, line + 1)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return here, None
    covering = [part for part in statement_parts(tree) if line in lines_of(part)]
    if not covering:
        return here, None
    best = min(covering, key=lambda part: len(lines_of(part)))
    return lines_of(best), ast.get_source_segment(source, best)


def operation(source: str, line: int, start: int, *, call: bool) -> tuple[range, str | None]:
    """The lines and the text of the operation that begins at a place, in bytes of its line.

    Of several, it is the shortest; `call`: of those that are calls, and not operators.
    """
    kinds = (ast.Call,) if call else (ast.BinOp, ast.Compare)
    found: list[ast.expr] = []
    with contextlib.suppress(SyntaxError, ValueError):
        nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
        found += (node for node in nodes if (node.lineno, node.col_offset) == (line, start))
    texts = [(lines_of(node), ast.get_source_segment(source, node) or "") for node in found]
    return min(texts, key=lambda each: len(each[1]), default=(range(line, line + 1), None))


def operations(source: str, line: int, is_meant: Callable[[ast.AST], bool]) -> list[ast.expr]:
    """The operations that are meant, of the statement at a line: those at the line, or else all."""
    lines, text = statement(source, line)
    if text is None:
        return []
    found = [node for node in ast.walk(ast.parse(source)) if is_meant(node)]
    inside = [node for node in found if isinstance(node, ast.expr) and node.lineno in lines]
    return [node for node in inside if node.lineno == line] or inside


def arguments(parsed: Parsed | None, places: Sequence[int], *, method: bool) -> list[str | None]:
    """The texts of an operation's arguments at `places`; `method`: it is called as `a.mul(b)`.

    None for each one that the expression does not write as a plain argument.
    """
    found = [] if parsed is None else operands(parsed.node, method=method)
    return [
        parsed.text(found[at]) if parsed is not None and at < len(found) else None for at in places
    ]


def called(parsed: Parsed | None) -> str | None:
    """The name of what the expression calls: `sub` of `torch.sub(a, b)`; None if it is no call."""
    node = None if parsed is None else parsed.node
    if not isinstance(node, ast.Call):
        return None
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def operands(node: ast.AST, *, method: bool) -> list[ast.expr]:
    """An operation's arguments, where they are written plainly; `method`: as in `arguments`."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return [node.left, node.comparators[0]]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and node.value is not None:
        # The statement, where columns are unknown: its value may be the operation.
        return operands(node.value, method=method)
    if isinstance(node, ast.Call) and not any(isinstance(arg, ast.Starred) for arg in node.args):
        receiver = _receiver(node.func) if method else []
        named = [keyword.value for keyword in node.keywords if keyword.arg in _OPERANDS]
        return [*receiver, *node.args, *named]
    return []


def _receiver(called: ast.expr) -> list[ast.expr]:
    """What is before the dot of a method, unless that is where the function lives."""
    if not isinstance(called, ast.Attribute) or ast.unparse(called.value) in _NAMESPACES:
        return []
    return [called.value]
