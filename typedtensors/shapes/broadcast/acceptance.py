# SPDX-License-Identifier: Apache-2.0
"""The lines of a source whose broadcasts a comment accepts: `# broadcast: ok`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCEPTING: Final = frozenset(
    {"typedtensors.allow_broadcast", "typedtensors.guard.allow_broadcast"}
    | {"typedtensors.guard.allow.allow_broadcast"}
)
"""The names of the context manager that accepts the broadcasts of a block."""

_COMMENT: Final = re.compile(r"#.*\bbroadcast:\s*ok\b")


@lru_cache(maxsize=32)
def accepted_lines(source: str) -> frozenset[int]:
    r"""The lines, from 1, of which an expression's broadcasts are accepted.

    Those with the comment; and those of a statement whose first or last line has it. Of a compound
    statement only the header counts: the test of an `if`, the items of a `with`.

    >>> sorted(accepted_lines("a = f(\n    x - y,\n)  # broadcast: ok\nb = a - y\n"))
    [1, 2, 3]
    """
    if "broadcast:" not in source:
        return frozenset()
    saying = {at for at, line in enumerate(source.split("\n"), start=1) if _COMMENT.search(line)}
    if not saying:
        return frozenset()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return frozenset(saying)
    spans = map(lines_of, statement_parts(tree))
    ended = (span for span in spans if not saying.isdisjoint((span.start, span.stop - 1)))
    return frozenset(saying).union(*ended)


def statement_parts(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    """The simple statements, and the expressions in the headers of compound ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield from own_parts(node)


def own_parts(statement: ast.stmt) -> Iterator[ast.stmt | ast.expr]:
    """The statement, if it is a simple one, else the expressions in its header."""
    if not hasattr(statement, "body"):
        yield statement
        return
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.withitem):
            yield child.context_expr


def lines_of(node: ast.stmt | ast.expr) -> range:
    """The lines that a node covers."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
