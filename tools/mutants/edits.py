# SPDX-License-Identifier: Apache-2.0
"""The mistakes that people make in one line of array code, as edits of a syntax tree's text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

_SIZED = re.compile(r"Linear|Conv[123]d|ConvTranspose[123]d|LazyLinear")
_LIBRARIES = frozenset({"torch", "F", "np", "nn", "einops", "tf", "jnp", "functional", "math"})
_BUILTINS = frozenset({"all", "any", "max", "min", "sum"})
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Edit:
    """Something else in place of a node, which stands on one line.

    Args:
        kind: What is done, in words.
        node: What is replaced.
        text: What stands there instead.
        changes_rank: Whether another number of axes comes out, whatever the sizes are.
        keeps_rank: Whether an axis of 1 is left for the one that is reduced.
    """

    kind: str
    node: ast.expr
    text: str
    changes_rank: bool = False
    keeps_rank: bool = False


def edits(node: ast.AST, imported: frozenset[str] = frozenset()) -> Iterator[Edit]:
    """Each mistake that could have been made in writing a node, the nodes in it left aside.

    `imported` are names of modules, and of what they hold: these are no arrays.
    """
    if isinstance(node, ast.Call):
        yield from _of_call(node, _LIBRARIES | imported)
    elif isinstance(node, ast.Attribute) and node.attr in {"T", "mT"}:
        yield Edit("transpose dropped", node, _text(node.value))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        swapped = f"({_text(node.right)} @ {_text(node.left)})"
        yield Edit("operands of a matmul swapped", node, swapped)
    elif isinstance(node, ast.Subscript):
        yield from _of_subscript(node)


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _of_call(node: ast.Call, modules: frozenset[str]) -> Iterator[Edit]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    called = _Called(node, name, _receiver(node, modules))
    if isinstance(node.func, ast.Name) and name not in modules and name in _BUILTINS:
        return
    for names, make in _CALLS:
        if name in names:
            yield from make(called)
    if _SIZED.fullmatch(name):
        yield from _swapped(node, node.args[:2], "sizes of a layer swapped")


@dataclass(frozen=True)
class _Called:
    """A call, and the array whose method it is, if it is one's."""

    node: ast.Call
    name: str
    receiver: ast.expr | None

    @property
    def array(self) -> ast.expr | None:
        """The array that it is about."""
        return self.receiver or next(iter(self.node.args), None)

    @property
    def rest(self) -> list[ast.expr]:
        """The arguments that follow the array."""
        return self.node.args if self.receiver is not None else self.node.args[1:]


def _receiver(node: ast.Call, modules: frozenset[str]) -> ast.expr | None:
    """The array of a method call; None for a function's."""
    if not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    names = {part.id for part in ast.walk(owner) if isinstance(part, ast.Name)}
    plain = isinstance(owner, (ast.Name, ast.Attribute)) and not names.isdisjoint(modules)
    return None if plain else owner


def _dropped_axis(called: _Called) -> Iterator[Edit]:
    if called.array is not None:
        kind = f"{called.name} dropped"
        yield Edit(kind, called.node, _text(called.array), changes_rank=True)


def _transposed(called: _Called) -> Iterator[Edit]:
    if called.array is not None:
        yield Edit("transpose dropped", called.node, _text(called.array))
    if called.name == "permute":
        yield from _swapped(called.node, called.rest, "axes of a permute swapped")


def _reshaped(called: _Called) -> Iterator[Edit]:
    yield from _swapped(called.node, called.rest, "sizes of a view swapped")


def _joined(called: _Called) -> Iterator[Edit]:
    yield from _other_axis(called.node, called.node.args[1:2], "joined along another axis")


def _multiplied(called: _Called) -> Iterator[Edit]:
    if called.receiver is None:
        yield from _swapped(called.node, called.node.args[:2], "operands of a matmul swapped")


def _reduced(called: _Called) -> Iterator[Edit]:
    keeping = [each for each in called.node.keywords if each.arg in {"keepdim", "keepdims"}]
    for edit in _other_axis(called.node, called.rest[:1], "reduced along another axis"):
        yield replace(edit, keeps_rank=bool(keeping))
    for keyword in keeping:
        if _is(keyword.value, value=True):
            yield Edit("keepdim dropped", keyword.value, "False", changes_rank=True)


def _is(node: ast.expr, *, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _other_axis(node: ast.Call, given: Sequence[ast.expr], kind: str) -> Iterator[Edit]:
    """`-1` for `-2`, 1 for 0: the neighbor of an axis that is a literal."""
    named = [keyword.value for keyword in node.keywords if keyword.arg in {"dim", "axis"}]
    for each in [*given, *named]:
        axis = _integer(each)
        if axis is not None:
            other = {-1: -2, 0: 1}.get(axis, axis - 1 if axis > 0 else axis + 1)
            yield Edit(kind, each, str(other))


def _integer(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def _swapped(node: ast.Call, given: Sequence[ast.expr], kind: str) -> Iterator[Edit]:
    """The first two neighbors that differ, the other way round."""
    texts = [_text(each) for each in given]
    for one, other in zip(range(len(texts)), range(1, len(texts)), strict=False):
        if texts[one] != texts[other] and not any(isinstance(each, ast.Starred) for each in given):
            pairs = {id(given[one]): given[other], id(given[other]): given[one]}
            arguments = [_text(pairs.get(id(each), each)) for each in node.args]
            arguments += [_text(keyword) for keyword in node.keywords]
            yield Edit(kind, node, f"{_text(node.func)}({', '.join(arguments)})")
            return


def _other_size(called: _Called) -> Iterator[Edit]:
    for each in [part for given in called.node.args for part in getattr(given, "elts", [given])]:
        size = _integer(each)
        if size is not None and size > 1:
            yield Edit("another literal size", each, str(size + 1))
            return


def _other_pattern(called: _Called) -> Iterator[Edit]:
    """The first two names to the right of the arrow, the other way round."""
    for given in called.node.args:
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            left, arrow, right = given.value.partition("->")
            names = _WORD.findall(right) if " " in given.value.strip() else [*right.strip()]
            if arrow and len(names) > 1 and names[0] != names[1]:
                text = left + arrow + swap(right, *names[:2])
                yield Edit("names of a pattern swapped", given, repr(text))


def swap(text: str, one: str, other: str) -> str:
    """The text with the first occurrence of each of two words in the other's place."""
    first = text.index(one)
    second = text.index(other, first + len(one))
    between = text[first + len(one) : second]
    return text[:first] + other + between + one + text[second + len(other) :]


def _of_subscript(node: ast.Subscript) -> Iterator[Edit]:
    """`x[:, None]` without the new axis, `x[..., 0]` with the old one."""
    if not isinstance(node.ctx, ast.Load):
        return
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for at, index in enumerate(indices):
        rest = [*indices[:at], *indices[at + 1 :]]
        if _is(index, value=None):
            others = ", ".join(map(_text, rest)) or ":"
            yield Edit(
                "new axis dropped", node, f"{_text(node.value)}[{others}]", changes_rank=True
            )
            return
        if len(indices) > 1 and _integer(index) is not None:
            parts = [_text(each) if each is not index else ":" for each in indices]
            kept = f"{_text(node.value)}[{', '.join(parts)}]"
            yield Edit("index dropped", node, kept, changes_rank=True)
            return


_CALLS: tuple[tuple[frozenset[str], Callable[[_Called], Iterator[Edit]]], ...] = (
    (
        frozenset({"all", "amax", "amin", "any", "argmax", "argmin", "logsumexp", "max", "mean"})
        | {"median", "min", "norm", "prod", "std", "sum", "var"},
        _reduced,
    ),
    (frozenset({"squeeze", "unsqueeze"}), _dropped_axis),
    (frozenset({"movedim", "permute", "swapaxes", "t", "transpose"}), _transposed),
    (frozenset({"reshape", "view"}), _reshaped),
    (frozenset({"cat", "concat", "concatenate", "stack"}), _joined),
    (frozenset({"bmm", "matmul", "mm"}), _multiplied),
    (frozenset({"empty", "full", "ones", "rand", "randn", "zeros"}), _other_size),
    (frozenset({"einsum", "rearrange", "reduce", "repeat"}), _other_pattern),
)
