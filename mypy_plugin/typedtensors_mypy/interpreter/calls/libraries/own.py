# SPDX-License-Identifier: Apache-2.0
"""Our own functions that are more than an op: `check` reads an annotation, `sizes` gives a dict."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from typedtensors.diagnostics import wording
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.annotations import declared
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import REPORTED, Items
from typedtensors_mypy.source.annotations.readings import reading_of
from typedtensors_mypy.source.annotations.types import OpaqueType


def _check(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """The value, which from here on is what the annotation says, as in an annotated assignment."""
    if len(arguments.nodes) != 2 or len(arguments.positional) != 2:
        return Unknown("`check` with arguments by keyword")
    (value, _), (node, annotation) = arguments.positional, arguments.nodes
    reading = reading_of(frame.scope, annotation)
    for problem in reading.problems:
        frame.report(problem.node, problem.diagnostic)
    kind = reading.type
    if isinstance(kind, OpaqueType):
        return value
    if not declared.check(frame, node, wording.argument("x", "check"), kind, value):
        return REPORTED
    return declared.declare(frame, kind, value)


def _sizes(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.complete:
        return Unknown("`sizes` with arguments that are not known")
    found = apply_op(frame, node, "typedtensors.sizes", arguments.positional, arguments.keywords)
    return Items(tuple(found.values()), tuple(found)) if isinstance(found, dict) else found


OWN: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "typedtensors.check": _check,
    "typedtensors.sizes": _sizes,
}
