# SPDX-License-Identifier: Apache-2.0
"""How much of the arrays in a module is known, and why the rest is not."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mypy.modulefinder import BuildSource

from typedtensors.config import Config
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Shape, Tensor, Variadic
from typedtensors_mypy.commands.tally import Files, users
from typedtensors_mypy.interpreter.frame import Sighting
from typedtensors_mypy.interpreter.values import REPORTED, options
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import External

# What may give an array: of an unknown attribute or comparison nobody can say so.
_GIVING = (ast.Call, ast.BinOp, ast.Subscript)
# What tells of an array, or gives its numbers.
_TELLING = frozenset({"dim", "ndimension", "size", "shape", "numel", "item", "tolist"})
_PARAMETER = "a parameter whose annotation says no shape"
_NOT_SAID = "an array of which nothing says the shape"


@dataclass(frozen=True)
class Coverage:
    """How much is known in one module.

    Args:
        known: How many expressions and parameters are arrays of a known shape.
        unknown: How many are arrays of unknown shape, or come of an array and may be one.
        reasons: How often something was lost, by the reason; not what is computed from that.
        given_up: Why functions were not checked, by name.
    """

    known: int
    unknown: int
    reasons: Mapping[str, int]
    given_up: Mapping[str, str]


def coverage(
    sources: Sequence[BuildSource],
    paths: Mapping[str, str],
    config: Config,
    look_through: Callable[[Module], tuple[list[Sighting], dict[str, str]]],
) -> dict[str, Coverage]:
    """How much is known in each file that was asked for and is not excluded.

    Args:
        sources: The files that were asked for.
        paths: The path of every module of the run.
        config: What says which files are not checked.
        look_through: Goes through a module of the run.
    """
    files = Files(users(paths))
    asked = [each.module for each in sources if each.module in files.names]
    modules = [files.module(name) for name in asked if not config.excludes(files.names[name])]
    return {
        module.path: measure(module, *look_through(module))
        for module in modules
        if module is not None
    }


def measure(module: Module, sightings: Iterable[Sighting], given_up: Mapping[str, str]) -> Coverage:
    """Count what the interpreter has seen in a module.

    An expression that is met more often, as in a loop or by a call, is known if it is known once.
    """
    seen = _seen(module, sightings)
    arrays = {node for node, values in seen.items() if any(map(_holds_array, values))}
    statements = {node.value for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    known = {node for node in arrays if any(map(_is_known, seen[node]))}
    lost = {
        node
        for node, values in seen.items()
        if _is_lost(node, values) and node not in statements and _come_of(node, arrays)
    }
    unknown = (arrays - known) | lost
    reasons = Counter(_reason(node, seen[node]) for node in unknown if _is_root(node, unknown))
    return Coverage(len(known), len(unknown), dict(reasons), dict(given_up))


def _seen(module: Module, sightings: Iterable[Sighting]) -> dict[ast.expr | ast.arg, list[Value]]:
    seen = defaultdict(list)
    for sighting in sightings:
        if sighting.frame.scope.module is module and not _tells_only(sighting):
            seen[sighting.node].append(sighting.value)
    return seen


def _tells_only(sighting: Sighting) -> bool:
    """Whether an expression gives no array even of one: `x.shape[0]`, `x.item()`, `len(x)`."""
    node = sighting.node
    base = getattr(node, "func" if isinstance(node, ast.Call) else "value", None)
    if isinstance(base, ast.Attribute):
        return base.attr in _TELLING or isinstance(base.value, ast.Constant)
    target = sighting.frame.scope.target(base) if isinstance(base, ast.Name) else None
    return isinstance(target, External) and target.name.startswith("builtins.")


def _arrays(value: Value) -> Iterator[Tensor]:
    return (option for option in options(value) if isinstance(option, Tensor))


def _holds_array(value: Value) -> bool:
    return any(True for _ in _arrays(value))


def _is_known(value: Value) -> bool:
    return any(_says_something(array.shape) for array in _arrays(value))


def _says_something(shape: Shape) -> bool:
    """Whether it is more than any number of axes."""
    return len(shape.axes) != 1 or not (
        isinstance(shape.axes[0], Variadic) and shape.axes[0].name is None
    )


def _is_lost(node: ast.AST, values: Sequence[Value]) -> bool:
    """Whether nothing is known of what an operation gives; after an error that is no loss."""
    return isinstance(node, _GIVING) and all(
        isinstance(value, Unknown) and value is not REPORTED for value in values
    )


def _come_of(node: ast.AST, arrays: set[ast.expr | ast.arg]) -> bool:
    return any(part in arrays for part in _operands(node))


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    """What an expression is computed from; a method call from the method's object, too."""
    for part in ast.iter_child_nodes(node):
        yield part.value if isinstance(part, (ast.Attribute, ast.Starred, ast.keyword)) else part


def _is_root(node: ast.AST, unknown: set[ast.expr | ast.arg]) -> bool:
    """Whether a shape was lost here, and not before."""
    if isinstance(node, ast.Name):
        return False
    return not any(part in unknown for part in _operands(node))


def _reason(node: ast.AST, values: Sequence[Value]) -> str:
    if isinstance(node, ast.arg):
        return _PARAMETER
    reasons = (value.reason for value in values if isinstance(value, Unknown))
    return next(reasons, _NOT_SAID)
