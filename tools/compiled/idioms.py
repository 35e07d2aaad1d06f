# SPDX-License-Identifier: Apache-2.0
"""Expressions for which mypyc knows a faster one that means the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.compiled.edits import Edit, Places, edited
from tools.compiled.methods import REPLACING


def with_idioms(source: str) -> str:
    """The source of a module with those expressions in it."""
    tree, places = ast.parse(source), Places(source)
    return edited(source, [edit for node in ast.walk(tree) for edit in _edits(node, places)])


def _edits(node: ast.AST, places: Places) -> Iterator[Edit]:
    match node:
        case ast.Attribute(value=value, attr="__class__"):
            # An attribute is looked up; the type of an object is right there.
            yield Edit(places.start(node), places.start(node), "type(")
            yield Edit(places.end(value), places.end(node), ")")
        case ast.Call(
            func=ast.Name(id="zip"),
            args=[*_, last],
            keywords=[ast.keyword(arg="strict", value=ast.Constant() as given)],
        ):
            # Loops over this one are loops over its arguments. Of unequal lengths, which `strict`
            # guards against, the plain package tells.
            yield Edit(places.end(last), places.end(given), "")
        case ast.Call(func=ast.Name(id="replace"), args=[value], keywords=[first, *_]):
            yield Edit(places.start(node), places.start(value), "(")
            yield Edit(places.end(value), places.start(first), f").{REPLACING}(")
