# SPDX-License-Identifier: Apache-2.0
"""Whether a run and the static check tell of mistakes in the same places.

A comment `# run: why` in a statement, or on the line above it, explains a difference: the run is
held to say something else there than the check does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.oracle.programs import Outcome
from tests.oracle.recorder import Failure, Seen

_EXPLAINED = "# run:"


def disagreements(*outcomes: Outcome) -> list[str]:
    """What only one of the two tells of a program, and no comment explains.

    What fails in one module may be reported where another one leads there.
    """
    reported = {outcome: list(_only_reported(outcome)) for outcome in outcomes}
    shown = {outcome: list(_only_shown(outcome)) for outcome in outcomes}
    for one in outcomes:
        for other in outcomes:
            if one is not other and reported[one] and shown[other]:
                reported[one], shown[other] = [], []
    return [text for found in (*reported.values(), *shown.values()) for text in found]


def _only_reported(outcome: Outcome) -> Iterator[str]:
    tree = ast.parse(outcome.source)
    told = set(_lines_told(outcome, tree)) | set(_explained(outcome))
    for finding in outcome.checked.findings:
        span = _span(tree, finding.place.line)
        if finding.code and _was_run(outcome, span) and not told & span:
            yield f"line {finding.place.line}: the run goes on after: {finding.text}"


def _only_shown(outcome: Outcome) -> Iterator[str]:
    tree = ast.parse(outcome.source)
    reported = {finding.place.line for finding in outcome.checked.findings if finding.code}
    expected = {*reported, *_explained(outcome), *_consequences(tree, reported)}
    for span, text in _told(outcome, tree):
        if not expected & span:
            yield f"line {min(span, default=0)}: nothing is reported, but: {text}"


def _consequences(tree: ast.Module, reported: set[int]) -> Iterator[int]:
    """The lines of a function behind one where a mistake is reported, which is told once."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            first = min(reported & set(inside), default=inside.stop)
            yield from range(first, inside.stop)


def _explained(outcome: Outcome) -> Iterator[int]:
    for number, line in enumerate(outcome.source.splitlines(), start=1):
        if _EXPLAINED in line:
            yield number + line.lstrip().startswith(_EXPLAINED)


def _lines_told(outcome: Outcome, tree: ast.Module) -> Iterator[int]:
    for span, _ in _told(outcome, tree):
        yield from span


def _told(outcome: Outcome, tree: ast.Module) -> Iterator[tuple[set[int], str]]:
    """The lines of each failure and broadcast of the run, with what was wrong."""
    for event in outcome.events:
        yield _span(tree, event.line), str(event.diagnostic)
    for failure in outcome.recorder.failures:
        yield set(_lines(failure, tree)), f"{type(failure.error).__name__}: {failure.error}"


def _lines(failure: Failure, tree: ast.Module) -> Iterator[int]:
    """Where a failure may have been told before: for a result, at a `return` of its function."""
    first, last = failure.lines
    if not failure.is_result:
        yield from range(first, last + 1)
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Return, ast.Yield)) and first <= node.lineno <= last:
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _span(tree: ast.Module, line: int) -> set[int]:
    """The lines of the innermost statement that a line belongs to."""
    around = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    first, last = min(around, key=lambda each: each[1] - each[0], default=(line, line))
    return set(range(first, last + 1))


def _was_run(outcome: Outcome, span: set[int]) -> bool:
    return any(
        isinstance(event, Seen) and event.key[1] in span
        for activation in outcome.recorder.activations
        for event in activation.events
    )
