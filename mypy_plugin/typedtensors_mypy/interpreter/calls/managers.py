# SPDX-License-Identifier: Apache-2.0
"""What a `with` statement gets of a context manager."""

from __future__ import annotations

import ast

from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.frame import Arguments, Frame
from typedtensors_mypy.interpreter.values import Coming, Instance


def enter(frame: Frame, node: ast.expr, manager: Value) -> Value:
    """What `with manager as ...` binds."""
    if isinstance(manager, Coming):
        return manager.value
    if isinstance(manager, Instance):
        method = bound_method(frame, manager, "__enter__")
        if method is not None:
            return frame.run.call(frame, node, method, Arguments())
    return Unknown("what a context manager gives")
