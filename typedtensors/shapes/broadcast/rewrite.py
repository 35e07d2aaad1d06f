# SPDX-License-Identifier: Apache-2.0
"""`hint`: edits of operands in the words of the source, as a torch user writes them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtensors.shapes.broadcast.fix import Change, Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST, _CHOICES = 80, 3
_KEPT = "keepdim=True"
_REDUCTIONS = frozenset(
    {"mean", "sum", "std", "var", "norm", "amax", "amin", "prod", "logsumexp", "vector_norm"}
)
# Called on a reduction, these leave its axes alone.
_ELEMENTWISE = frozenset(
    {"clamp", "clip", "sqrt", "rsqrt", "exp", "log", "abs", "square", "pow", "float", "detach"}
)


def hint(edits: Sequence[Edit], texts: Sequence[str | None]) -> str | None:
    """The edits in words, given the operands' source texts; None if there are no edits."""
    written = dict.fromkeys(_written(edit, texts) for edit in edits)
    # A reduction knows which axis it removed: what keeps that one is what was meant.
    best_first = sorted(written, key=lambda edited: _KEPT not in edited)
    return " or ".join(best_first[:_CHOICES]) or None


def safe_edit(edits: Sequence[Edit], texts: Sequence[str | None]) -> tuple[int, str] | None:
    """The operand to edit and its new text, by the first hint; None if a choice is left to make.

    Which axis an operand belongs to is such a choice, unless a reduction says so; so is whether an
    outer product is meant.
    """
    found: list[tuple[int, str]] = []
    for edit in edits:
        text = texts[edit.operand]
        if text is None or edit.outer:
            continue
        edited = _edited(edit, text, _suffix(edit, texts))
        if not edit.home or _KEPT in edited:
            found.append((edit.operand, edited))
    return min(found, key=lambda each: _KEPT not in each[1], default=None)


def _written(edit: Edit, texts: Sequence[str | None]) -> str:
    """The edited operand, as `pred.squeeze(-1)`; in words where its text is unknown or long."""
    text = texts[edit.operand]
    suffix = _suffix(edit, texts)
    if text is None or len(text) > _LONGEST:
        edited = f"`{suffix}` on the operand of shape {edit.before}"
    else:
        edited = f"`{_edited(edit, text, suffix)}`"
    if edit.home:
        noun = "axis" if len(edit.home) == 1 else "axes"
        edited += f" for {noun} {', '.join(map(str, edit.home))}"
    return f"{edited} if the outer product is meant" if edit.outer else edited


def _suffix(edit: Edit, texts: Sequence[str | None]) -> str:
    """What to write behind the operand: `.unsqueeze(-1)`, or `[:, None, None]` for more axes."""
    if edit.change is Change.SWAP:
        return ".mT"
    if edit.like is not None:
        other = texts[edit.like]
        plain = other is not None and len(other) <= _LONGEST
        return f".expand_as({other})" if plain else f".expand{edit.shape}"
    if len(edit.axes) == 1:
        verb = "squeeze" if edit.change is Change.SQUEEZE else "unsqueeze"
        return f".{verb}({_axis(edit.axes[0], edit.rank)})"
    return f"[{', '.join('None' if at in edit.axes else ':' for at in range(edit.rank))}]"


def _axis(at: int, rank: int) -> int:
    """The axis as people write it: the last one is -1."""
    return -1 if at == rank - 1 and rank > 1 else at


def _edited(edit: Edit, text: str, suffix: str) -> str:
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return f"({text}){suffix}"
    undone = _undone(edit, text, body)
    if undone is not None:
        return undone
    kept = _keepdim(edit, text, body) if edit.change is Change.INSERT else None
    if kept is not None:
        return kept
    plain = isinstance(body, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return f"{text}{suffix}" if plain else f"({text}){suffix}"


def _undone(edit: Edit, text: str, body: ast.expr) -> str | None:
    """The text without its own last `.unsqueeze(1)`, where a squeeze of that axis is the edit."""
    opposite = {Change.SQUEEZE: "unsqueeze", Change.INSERT: "squeeze"}.get(edit.change)
    if not (isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute)):
        return None
    if body.func.attr != opposite or len(body.args) != 1 or _axes(body.args[0], edit) != edit.axes:
        return None
    return ast.get_source_segment(text, body.func.value)


def _keepdim(edit: Edit, text: str, body: ast.expr) -> str | None:
    """The text with `keepdim=True` in its reduction, where that yields the axes to insert."""
    call = _reduction(body)
    if call is None or call.end_lineno != 1 or not text.isascii():
        return None
    if any(keyword.arg in {"keepdim", None} for keyword in call.keywords):
        return None
    dims = [keyword.value for keyword in call.keywords if keyword.arg in {"dim", "axis"}]
    positional = call.args if getattr(call.func, "attr", "") != "norm" else []
    dims = dims or positional[-1:]
    if not dims or _axes(dims[0], edit) != edit.axes:
        return None
    end = (call.end_col_offset or 0) - 1
    return f"{text[:end]}, {_KEPT}{text[end:]}"


def _reduction(body: ast.expr) -> ast.Call | None:
    """The reduction whose result the expression passes on, if it is one."""
    while isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute):
        if body.func.attr in _REDUCTIONS:
            return body
        if body.func.attr not in _ELEMENTWISE:
            return None
        body = body.func.value
    return None


def _axes(node: ast.expr, edit: Edit) -> tuple[int, ...] | None:
    """The axes that a literal `-1` or `(-2, -1)` names, counted in the longer shape."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    each = value if isinstance(value, tuple) else (value,)
    if not all(type(at) is int and -edit.rank <= at < edit.rank for at in each):
        return None
    return tuple(sorted(at % edit.rank for at in each))
