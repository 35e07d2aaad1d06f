# SPDX-License-Identifier: Apache-2.0
"""`hint`: edits of operands in the words of the source, as a user of the framework writes them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtensors.shapes.broadcast.dialect import TORCH, Dialect
from typedtensors.shapes.broadcast.fix import Change, Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST, _CHOICES = 80, 3
_KEPT = "keepdim"
_REDUCTIONS = frozenset(
    {"mean", "sum", "std", "var", "norm", "amax", "amin", "prod", "logsumexp", "vector_norm"}
    | {f"reduce_{name}" for name in ("mean", "sum", "std", "variance", "max", "min", "prod")}
)
# Called on a reduction, these leave its axes alone.
_ELEMENTWISE = frozenset(
    {"clamp", "clip", "sqrt", "rsqrt", "exp", "log", "abs", "square", "pow", "float", "detach"}
)


def hint(
    edits: Sequence[Edit], texts: Sequence[str | None], dialect: Dialect = TORCH
) -> str | None:
    """The edits in words, given the operands' source texts; None if there are no edits."""
    written = dict.fromkeys(_written(edit, texts, dialect) for edit in edits)
    # A reduction knows which axis it removed: what keeps that one is what was meant.
    best_first = sorted(written, key=lambda edited: _KEPT not in edited)
    return " or ".join(best_first[:_CHOICES]) or None


def safe_edits(
    edits: Sequence[Edit], texts: Sequence[str | None], dialect: Dialect = TORCH
) -> list[tuple[int, str]]:
    """The operand to edit and its new text, by each hint that leaves no choice, the best first.

    Which axis an operand belongs to is such a choice, unless a reduction says so; so is whether an
    outer product is meant.
    """
    found: list[tuple[int, str]] = []
    for edit in edits:
        text = texts[edit.operand]
        named = dialect is not TORCH and _is_function(edit)
        if text is None or edit.outer or named:
            # Under which name a module has the function's package is not known here.
            continue
        edited = _edited(edit, text, _template(edit, texts, dialect), dialect)
        if not edit.home or _KEPT in edited:
            found.append((edit.operand, edited))
    return sorted(found, key=lambda each: _KEPT not in each[1])


def _is_function(edit: Edit) -> bool:
    return edit.change is Change.SWAP or edit.like is not None


def _written(edit: Edit, texts: Sequence[str | None], dialect: Dialect) -> str:
    """The edited operand, as `pred.squeeze(-1)`; in words where its text is unknown or long."""
    text = texts[edit.operand]
    template = _template(edit, texts, dialect)
    if text is None or len(text) > _LONGEST:
        bare = "" if template.startswith("{}") else "..."
        edited = f"`{template.format(bare)}` on the operand of shape {edit.before}"
    else:
        edited = f"`{_edited(edit, text, template, dialect)}`"
    if edit.home:
        noun = "axis" if len(edit.home) == 1 else "axes"
        edited += f" for {noun} {', '.join(map(str, edit.home))}"
    return f"{edited} if the outer product is meant" if edit.outer else edited


def _template(edit: Edit, texts: Sequence[str | None], dialect: Dialect) -> str:
    """The operand `{}` once it is edited: `{}.unsqueeze(-1)`, `{}[:, None, None]` for more axes."""
    if edit.change is Change.SWAP:
        return dialect.swap
    if edit.like is not None:
        other = texts[edit.like]
        plain = other is not None and len(other) <= _LONGEST
        if plain or dialect is not TORCH:
            return dialect.expand.replace("{other}", other if other and plain else "...")
        return "{}.expand" + str(edit.shape)
    squeezes = edit.change is Change.SQUEEZE
    word = dialect.squeeze if squeezes else dialect.unsqueeze
    if len(edit.axes) == 1 and word is not None:
        return "{}" + word.format(axis=_axis(edit.axes[0], edit.rank))
    return "{}" + _index(edit, "0" if squeezes else "None")


def _index(edit: Edit, item: str) -> str:
    """`[:, None, None]`, or `[..., 0]` for the last axis alone."""
    if edit.axes == (edit.rank - 1,) and edit.rank > 1:
        return f"[..., {item}]"
    parts = [item if at in edit.axes else ":" for at in range(edit.rank)]
    while len(parts) > 1 and parts[-1] == ":" and item == "0":
        parts.pop()
    return f"[{', '.join(parts)}]"


def _axis(at: int, rank: int) -> int:
    """The axis as people write it: the last one is -1."""
    return -1 if at == rank - 1 and rank > 1 else at


def _edited(edit: Edit, text: str, template: str, dialect: Dialect) -> str:
    grouped = f"({text})" if template.startswith("{}") else text
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return template.format(grouped)
    undone = _undone(edit, text, body)
    if undone is not None:
        return undone
    kept = _keepdim(edit, text, body, dialect) if edit.change is Change.INSERT else None
    if kept is not None:
        return kept
    plain = isinstance(body, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return template.format(text if plain else grouped)


def _undone(edit: Edit, text: str, body: ast.expr) -> str | None:
    """The text without its own last `.unsqueeze(1)`, where a squeeze of that axis is the edit."""
    opposite = {Change.SQUEEZE: "unsqueeze", Change.INSERT: "squeeze"}.get(edit.change)
    if not (isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute)):
        return None
    if body.func.attr != opposite or len(body.args) != 1 or _axes(body.args[0], edit) != edit.axes:
        return None
    return ast.get_source_segment(text, body.func.value)


def _keepdim(edit: Edit, text: str, body: ast.expr, dialect: Dialect) -> str | None:
    """The text with `keepdim=True` in its reduction, where that yields the axes to insert."""
    call = _reduction(body)
    if call is None or call.end_lineno != 1 or not text.isascii():
        return None
    if any(keyword.arg in {"keepdim", "keepdims", None} for keyword in call.keywords):
        return None
    dims = [keyword.value for keyword in call.keywords if keyword.arg in {"dim", "axis"}]
    positional = call.args if getattr(call.func, "attr", "") != "norm" else []
    dims = dims or positional[-1:]
    if not dims or _axes(dims[0], edit) != edit.axes:
        return None
    end = (call.end_col_offset or 0) - 1
    return f"{text[:end]}, {dialect.keep}{text[end:]}"


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
