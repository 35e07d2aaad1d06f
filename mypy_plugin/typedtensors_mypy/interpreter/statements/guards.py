# SPDX-License-Identifier: Apache-2.0
"""Guards that let nothing through: `if x.ndim != 4: raise`, where `x` is annotated with three axes.

Behind one nothing is gone through, so that a mistake in the annotation would hide whatever else is
wrong with the function. One that only some calls come to says nothing: there the array is another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from typedtensors.diagnostics import wording
from typedtensors.shapes import Shape, Tensor
from typedtensors_mypy.interpreter.expressions.broadcasts import shorten
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.statements.refinement import holds_here
from typedtensors_mypy.source.syntax.walks import rank_of


def judge_guard(
    frame: Frame, node: ast.If | ast.Assert, body: Sequence[ast.stmt], *, answer: bool
) -> None:
    """Tell of a test of a rank whose answer leads to nothing but a `raise`."""
    raises = isinstance(node, ast.Assert) or (bool(body) and isinstance(body[-1], ast.Raise))
    if not raises or frame.function is None or frame.called_at is not None or frame.exits:
        return
    found = next(_ranks(frame, node.test, answer=answer), None)
    if found is not None and _always_comes_to(frame, frame.function.body, node):
        test, shape = found
        frame.report(test, wording.never_passes(shorten(test), shape.text, frame.name))


def _ranks(frame: Frame, test: ast.expr, *, answer: bool) -> Iterator[tuple[ast.expr, Shape]]:
    """The comparisons of ranks on which the answer to a test rests, each with the array's shape."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _ranks(frame, test.operand, answer=not answer)
    elif isinstance(test, ast.BoolOp):
        for operand in test.values:
            if _answer(frame, operand) is answer:
                yield from _ranks(frame, operand, answer=answer)
    elif isinstance(test, ast.Compare):
        names = (rank_of(side) for side in (test.left, *test.comparators))
        for array in (frame.state.values.get(name) for name in names if name is not None):
            if isinstance(array, Tensor) and array.shape.rank is not None:
                yield test, array.shape


def _always_comes_to(frame: Frame, body: Sequence[ast.stmt], node: ast.stmt) -> bool:
    """Whether every call that gets through a body comes to a statement, as far as is known."""
    for each in body:
        if each is node:
            return True
        if isinstance(each, ast.With) and _always_comes_to(frame, each.body, node):
            return True
        if isinstance(each, ast.If):
            inside = any(_always_comes_to(frame, part, node) for part in (each.body, each.orelse))
            if inside:
                return _answer(frame, each.test) is not None
    return False


def _answer(frame: Frame, test: ast.expr) -> bool | None:
    with frame.run.silence():
        return holds_here(frame, frame.evaluate(test))
