# SPDX-License-Identifier: Apache-2.0
"""Which operands belong to the last axes of what they meet, as the source shows.

So do the eigenvalues that scale the columns of their own eigenvectors, a triangular matrix, and
what is left where the first axes are folded, whatever else has the same size by chance; and so does
what is made of positions.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from typedtensors.guard.reading.positions import counts_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typedtensors.guard.reading.preparation import Variables

_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "eigh": ("eigenvalues", "eigenvectors"),
    "eig": ("eigenvalues", "eigenvectors"),
    "svd": ("U", "S", "Vh"),
    "torch.svd": ("U", "S", "V"),
    "tf.linalg.svd": ("S", "U", "V"),
}
"""The parts that a decomposition returns, by the names of their fields."""
_VALUES: Final = frozenset({"eigenvalues", "S"})
_ROWS: Final = frozenset({"Vh"})
"""The parts whose vectors are rows, not columns."""
_TRIANGULAR: Final = frozenset({"tril", "triu", "band_part"})
_FOLDS: Final = (
    frozenset({"mean", "sum", "prod", "std", "var", "norm", "amax", "amin", "max", "min", "median"})
    | {"nanmean", "nansum", "logsumexp", "quantile"}
    | {f"reduce_{name}" for name in ("mean", "sum", "prod", "std", "variance", "max", "min")}
)
_PACKAGES: Final = frozenset({"torch", "tf", "np", "ops"})
_TURNING: Final = frozenset({"T", "mT", "H", "mH", "t", "adjoint", "transpose"})
_ELEMENTWISE: Final = (
    frozenset({"sqrt", "rsqrt", "square", "pow", "abs", "exp", "log", "reciprocal", "relu"})
    | {"clamp", "clamp_min", "clip", "sign", "logical_not", "real", "conj"}
    | {"to", "type", "float", "double", "half", "bool", "clone", "detach"}
)


@dataclass(frozen=True)
class _Origin:
    """The call that an expression's value comes of; which part of its result; if it was turned."""

    call: ast.Call
    part: str | None = None
    turned: bool = False

    @property
    def is_triangular(self) -> bool:
        return self.part is None and _name(self.call.func) in _TRIANGULAR

    @property
    def folds_first(self) -> bool:
        """Whether it is what a reduction of the first axes leaves: `x.mean(0)`, `x.sum((0, 1))`."""
        if self.part is not None or self.turned or _name(self.call.func) not in _FOLDS:
            return False
        try:
            axes = ast.literal_eval(_folded(self.call))
        except (TypeError, ValueError):
            return False
        axes = axes if isinstance(axes, tuple) else (axes,)
        return bool(axes) and axes == tuple(range(len(axes)))

    def numbers(self, other: _Origin) -> bool:
        """Whether these are the values to the vectors along the other's last axis."""
        if self.call is not other.call or self.part not in _VALUES or other.part in _VALUES:
            return False
        return other.part is not None and (other.part in _ROWS) is other.turned


def belonging(
    operands: Sequence[ast.expr], line: int, variables: Variables
) -> tuple[ast.expr, ...]:
    """The operands, used at a line, that belong to the last axes of another one."""
    origins = [_origin(each, line, variables) for each in operands]
    return tuple(
        operand
        for operand, own in zip(operands, origins, strict=True)
        if (own is not None and _is_of_last_axes(own, origins))
        or counts_positions(operand, line, variables)
    )


def _is_of_last_axes(own: _Origin, origins: Iterable[_Origin | None]) -> bool:
    if own.is_triangular or own.folds_first:
        return True
    return any(each is not None and own.numbers(each) for each in origins)


def _folded(call: ast.Call) -> ast.expr:
    """The axes that a reduction is asked to fold; a constant None where it names none."""
    named = [each.value for each in call.keywords if each.arg in {"dim", "axis"}]
    function = isinstance(call.func, ast.Attribute) and _is_package(call.func.value)
    places = call.args[1:] if function else call.args
    if _name(call.func) in {"norm", "quantile"}:
        places = places[1:]
    return (*named, *places, ast.Constant(None))[0]


def _is_package(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _PACKAGES


def _origin(node: ast.expr, line: int, variables: Variables) -> _Origin | None:
    def inner(part: ast.expr) -> _Origin | None:
        return _origin(part, line, variables)

    if isinstance(node, ast.Name):
        given = variables.before(node.id, line)
        if given is None:
            return None
        found = _origin(given.value, given.line, variables)
        return found if given.item is None else _part(found, given.item)
    if isinstance(node, ast.Call):
        return _of_call(node, inner)
    if isinstance(node, ast.Attribute):
        found = inner(node.value)
        return _turned(found) if node.attr in _TURNING else _part(found, node.attr)
    if isinstance(node, ast.Subscript):
        found = inner(node.value)
        item = node.slice.value if isinstance(node.slice, ast.Constant) else None
        # What is cut out of a triangle, as by `mask[:n, :n]`, is one too.
        return found if found is not None and found.is_triangular else _part(found, item)
    parts = _parts_of_arithmetic(node)
    found = _only(map(inner, parts))
    folds = found is not None and found.folds_first
    return None if folds and not all(inner(each) or _is_number(each) for each in parts) else found


def _is_number(node: ast.expr) -> bool:
    """Whether an operand is a number, such as the `1e-5` or `eps` beside a variance."""
    return isinstance(node, ast.Constant) or ast.unparse(node).endswith(("eps", "epsilon"))


def _of_call(node: ast.Call, inner: Callable[[ast.expr], _Origin | None]) -> _Origin | None:
    name = _name(node.func)
    if name in _PARTS or name in _TRIANGULAR or name in _FOLDS:
        return _Origin(node)
    if name not in _ELEMENTWISE | _TURNING:
        return None
    # The tensor of `torch.sqrt(x)` or of `x.sqrt()`.
    found = _only(map(inner, (*node.args[:1], *_owner(node.func))))
    return _turned(found) if name in _TURNING else found


def _owner(function: ast.expr) -> list[ast.expr]:
    return [function.value] if isinstance(function, ast.Attribute) else []


def _parts_of_arithmetic(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _only(found: Iterable[_Origin | None]) -> _Origin | None:
    known = [each for each in found if each is not None]
    return known[0] if len(known) == 1 else None


def _part(found: _Origin | None, which: object) -> _Origin | None:
    """A part of what a decomposition returned, by its place or its name."""
    if found is None or found.part is not None:
        return None
    if found.folds_first:
        # The values, where a reduction returns their places too.
        return found if which in {0, "values"} else None
    function = found.call.func
    fields = _PARTS.get(ast.unparse(function), _PARTS.get(_name(function), ()))
    names = dict(enumerate(fields)) | {field: field for field in fields}
    return replace(found, part=names[which]) if which in names else None


def _turned(found: _Origin | None) -> _Origin | None:
    return None if found is None else replace(found, turned=not found.turned)


def _name(function: ast.expr) -> str:
    name: str = getattr(function, "attr", getattr(function, "id", ""))
    return name
