# SPDX-License-Identifier: Apache-2.0
"""Whether an expression shows that a broadcast is meant: it inserts an axis itself."""

from __future__ import annotations

import ast
from typing import Final

_INSERTING: Final = frozenset(
    {"unsqueeze", "unsqueeze_", "view", "reshape", "expand", "expand_as", "view_as", "reshape_as"}
    | {"broadcast_to", "expand_dims", "meshgrid", "rearrange", "repeat", "tile", "align"}
)
_TRANSPOSING: Final = frozenset({"t", "T", "mT", "transpose", "permute", "swapaxes"})
_TURNING: Final = _TRANSPOSING | {"unsqueeze", "expand_dims", "view", "reshape"}
_PACKAGES: Final = frozenset({"torch", "tf", "tensorflow", "keras", "ops", "np", "numpy", "jnp"})
"""What programs call the packages whose functions take their array as an argument."""


def inserts_axis(node: ast.AST) -> bool:
    """Whether the expression inserts an axis: `x[:, None]`, unsqueeze, view, `keepdim=True`."""
    return any(_inserts(part) for part in ast.walk(node))


def meets_itself(node: ast.AST) -> bool:
    """Whether one tensor meets itself, turned two ways: `x[:, None] - x` is a table of pairs.

    So is what one function or one method makes of two: `area(a)[:, None] + area(b)`,
    `a.norm(dim=1)[:, None] * b.norm(dim=1)`. One that keeps a dim where the other drops it is not.
    """
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        left, right = node.left, node.comparators[0]
    else:
        return False
    one, two = _turned(left), _turned(right)
    if isinstance(one, ast.Call) and isinstance(two, ast.Call) and len(one.args) == len(two.args):
        same = ast.dump(one.func) == ast.dump(two.func) and _options(one) == _options(two)
        return same or _is_one_method(one, two)
    return ast.dump(one) == ast.dump(two)


def _is_one_method(one: ast.Call, two: ast.Call) -> bool:
    """Whether two calls are of one method, with the same arguments, of whatever arrays."""
    if not (isinstance(one.func, ast.Attribute) and isinstance(two.func, ast.Attribute)):
        return False
    given = ([*map(ast.dump, each.args), *_options(each)] for each in (one, two))
    return one.func.attr == two.func.attr and next(given) == next(given)


def _options(call: ast.Call) -> list[str]:
    return [*map(ast.dump, call.keywords)]


def tabulates(node: ast.AST) -> bool:
    """Whether a column is put together with a row made of another: `source + target.T`.

    A difference is left out: of a prediction and its target it is a mistake.
    """
    if not isinstance(node, ast.BinOp) or isinstance(node.op, ast.Sub):
        return False
    return any(_turned_by(side, _TRANSPOSING) is not None for side in (node.left, node.right))


def _turned(node: ast.expr) -> ast.expr:
    """What the expression turns and selects nothing from: `x` of `x[:, None]`, of `x.T`."""
    if isinstance(node, ast.Subscript) and _selects_all(node.slice):
        return _turned(node.value)
    turned = _turned_by(node, _TURNING)
    return node if turned is None else _turned(turned)


def _turned_by(node: ast.expr, names: frozenset[str]) -> ast.expr | None:
    """What an attribute, a method or a function of one of these names turns."""
    called = node.func if isinstance(node, ast.Call) else node
    if not isinstance(called, ast.Attribute) or called.attr not in names:
        return None
    return _array_of(node, called.value) if isinstance(node, ast.Call) else called.value


def _array_of(node: ast.Call, owner: ast.expr) -> ast.expr | None:
    """The `x` of `x.reshape(...)` and of `tf.reshape(x, ...)`."""
    root = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id not in _PACKAGES:
        return owner
    return node.args[0] if node.args else None


def _selects_all(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(ast.unparse(part) in {":", "..."} or _is_new_axis(part) for part in parts)


def _inserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return any(_is_new_axis(part) for part in ast.walk(node.slice))
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        return name in _INSERTING or any(map(_keeps_dim, node.keywords))
    return False


def _is_new_axis(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Attribute) and node.attr == "newaxis"


def _keeps_dim(keyword: ast.keyword) -> bool:
    named = keyword.arg in {"keepdim", "keepdims"}
    return named and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
