# SPDX-License-Identifier: Apache-2.0
"""Which broadcasts of an op are mistakes, from the shapes and from how the code is written."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from typedtensors.diagnostics import Diagnostic, Rewrite, wording
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Broadcast, Framework, Known, Rule
from typedtensors.ops.rule import framework_of
from typedtensors.shapes import DType, Tensor, Variadic
from typedtensors.shapes.broadcast import (
    NUMPY,
    TENSORFLOW,
    TORCH,
    BroadcastEvent,
    Context,
    Dialect,
    Edit,
    Level,
    Reason,
    broadcast,
    classify,
    fixes,
    hint,
    inserts_axis,
    judge,
    meets_itself,
    readings,
    safe_edits,
    tabulates,
)
from typedtensors_mypy.interpreter.frame import Frame

_LONGEST_EXPRESSION = 60
_FLOAT = DType.named("Float")
_DIALECTS = {Framework.NUMPY: NUMPY, Framework.TENSORFLOW: TENSORFLOW}


@dataclass(frozen=True)
class _Suspicion:
    event: BroadcastEvent
    reason: Reason
    edits: Sequence[Edit]


def judge_all(frame: Frame, node: ast.expr, rule: Rule, outcome: Known) -> Diagnostic | None:
    """What is wrong with a broadcast that an op made, if anything is."""
    for made in outcome.broadcasts:
        found = _judge(frame, node, rule, made, outcome)
        if found is not None:
            return found
    return None


def as_compared(outcome: Known) -> Known:
    """The outcome of a loss that compares an array with what is not known at all.

    The two have one shape, or the loss is a mistake; and what floats are compared with is a float.
    """
    value = outcome.value
    if not isinstance(value, Tensor) or value.shape.rank is not None:
        return outcome
    for made in outcome.broadcasts:
        arrays = [made.operands[name] for name in made.compared]
        known = [array for array in arrays if array.shape.rank is not None]
        unseen = [array.shape for array in arrays if array.shape.rank is None]
        nothing = not any(shape.prefix or shape.suffix for shape in unseen)
        if len(known) == 1 and nothing and value.shape == made.result.shape:
            dtype = _FLOAT if _is_floating(known[0]) else value.dtype
            return replace(outcome, value=Tensor(known[0].shape, dtype))
    return outcome


def _judge(
    frame: Frame, node: ast.expr, rule: Rule, made: Broadcast, outcome: Known
) -> Diagnostic | None:
    names = made.compared or tuple(made.operands)
    operands = [made.operands[name] for name in names]
    if _are_alike(operands):
        return None
    if _are_shifted(operands):
        return _shifted(frame, node, operands, outcome)
    meeting = broadcast([operand.shape for operand in operands], outcome.facts)
    found = None
    # Where it is not known which broadcast it is, each that it can be has to be a mistake.
    for reading in (meeting,) if meeting.decided else reversed(readings(meeting)):
        event = classify(reading)
        found = None if event is None else _suspicious(frame, node, made, event, operands)
        if found is None:
            return None
    if found is None or frame.accepts_broadcasts(node):
        return None
    told = _told(node, found)
    if made.indirect:
        return told
    written = _written(node, rule, made.op)
    nodes = [written.get(name) for name in names]
    # An object is no array: where another operand will do, that one is edited.
    edits = [edit for edit in found.edits if names[edit.operand] != "self"] or found.edits
    dialect = _DIALECTS.get(framework_of(made.op), TORCH)
    advice = hint(edits, [None if each is None else ast.unparse(each) for each in nodes], dialect)
    return replace(told, hint=advice, rewrites=_rewrites(frame, edits, nodes, dialect))


def _are_alike(operands: Sequence[Tensor]) -> bool:
    """Whether all operands have one shape, whose axes are what they are: none is broadcast."""
    first, *others = (operand.shape for operand in operands)
    return first.dims is not None and all(shape == first for shape in others)


def _are_shifted(operands: Sequence[Tensor]) -> bool:
    """Whether the axes `*batch` of one operand meet others of an operand that has them too.

    `*batch d` and `*batch` fit where there are no such axes, which nobody writes that for; nor
    `... d`, where an annotation has the `...`. `*batch d` and `*batch 1 d` pair the axes of batch
    with each other, if there is one; an annotation says `n d` for that.
    """
    if len(operands) != 2:
        return False
    first, other = (operand.shape for operand in operands)
    runs = [part for shape in (first, other) for part in shape.axes if isinstance(part, Variadic)]
    alike = len(runs) == 2 and runs[0] == runs[1]
    longer, shorter = sorted((first.suffix, other.suffix), key=len, reverse=True)
    extra = longer[: len(longer) - len(shorter)]
    stretched = any(not (axis.is_one or axis.flexible) for axis in extra)
    named = alike and runs[0].name is not None
    return alike and bool(extra) and (named or (stretched and runs[0].written))


def _shifted(
    frame: Frame, node: ast.expr, operands: Sequence[Tensor], outcome: Known
) -> Diagnostic | None:
    level = Level(frame.run.config.level(frame.scope.module.name))
    if not level.reports(Reason.RANK) or frame.accepts_broadcasts(node):
        return None
    shapes = tuple(operand.shape.text for operand in operands)
    result = outcome.value.shape.text if isinstance(outcome.value, Tensor) else "..."
    return wording.broadcasts(shorten(node), shapes, result, Reason.RANK.value)


def _rewrites(
    frame: Frame, edits: Sequence[Edit], nodes: Sequence[ast.expr | None], dialect: Dialect
) -> tuple[Rewrite, ...]:
    """The edits of the source that remove the broadcast and can be made without a choice."""
    source = frame.run.module.source
    if frame.scope.module is not frame.run.module or not source:
        # Of another module there is a summary, without a text, and it is not what is under check.
        return ()
    texts = [None if each is None else ast.get_source_segment(source, each) for each in nodes]
    found = ((nodes[at], text) for at, text in safe_edits(edits, texts, dialect))
    return tuple(
        Rewrite(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)
        for node, text in found
        if node is not None and node.end_lineno is not None and node.end_col_offset is not None
    )


def _suspicious(
    frame: Frame, node: ast.expr, made: Broadcast, event: BroadcastEvent, operands: list[Tensor]
) -> _Suspicion | None:
    level = Level(frame.run.config.level(frame.scope.module.name))
    context = _context(frame, node, made, event, operands)
    reason = judge(event, context, level)
    return None if reason is None else _Suspicion(event, reason, fixes(event, context, level))


def _told(node: ast.expr, found: _Suspicion) -> Diagnostic:
    event = found.event
    shapes = tuple(shape.text for shape in event.shapes)
    return wording.broadcasts(shorten(node), shapes, event.result.text, found.reason.value)


def _written(node: ast.expr, rule: Rule, op: str) -> dict[str, ast.expr]:
    """How the source writes each operand, by parameter of the rule."""
    names = rule.parameters.positional
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        operands = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call):
        called = node.func
        bound = ".Tensor." in op or names[:1] == ("self",)
        owner = [called.value] if isinstance(called, ast.Attribute) and bound else []
        operands = [*owner, *node.args]
    else:
        return {}
    if ".__r" in op:
        operands.reverse()
    found = dict(zip(names, operands, strict=False))
    if isinstance(node, ast.Call):
        found |= {key.arg: key.value for key in node.keywords if key.arg}
    found.pop("self", None)
    return found


def _context(
    frame: Frame, node: ast.expr, made: Broadcast, event: BroadcastEvent, operands: list[Tensor]
) -> Context:
    floating = [_is_floating(operand) for operand in operands]
    expanded = [operands[index] for index in event.expanded]
    placed = any(operand.parameter or operand.trailing for operand in expanded)
    return Context(
        comparison=bool(made.compared),
        inserted=inserts_axis(node),
        paired=meets_itself(node),
        tabulated=tabulates(node),
        viewed=event.intended,
        floating=False if False in floating else None if None in floating else True,
        # Of the sizes that one call brings, two may be equal by chance: in a loop that appends to a
        # text, its length meets the batch's size. The function itself is gone through with names.
        parameter=placed if frame.called_at is None else None,
    )


def _is_floating(operand: Tensor) -> bool | None:
    names = operand.dtype.names
    if names is None:
        return None
    floating = {name.startswith(("float", "bfloat")) for name in names}
    return floating.pop() if len(floating) == 1 else None


def shorten(node: ast.expr) -> str:
    """An expression as a message quotes it."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST_EXPRESSION else f"{text[: _LONGEST_EXPRESSION - 3]}..."
