# SPDX-License-Identifier: Apache-2.0
"""Whether the current code is being traced by a compiler, without importing one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def unconverted(function: _F) -> _F:
    """Have AutoGraph call a function as it is: what `tf.autograph` marks, without TensorFlow.

    `tf.autograph.experimental.do_not_convert` would keep what the function calls from being
    converted as well.
    """
    function.autograph_info__ = None  # type: ignore[attr-defined]
    return function


@unconverted
def is_compiling() -> bool:
    """Say whether `torch.compile` or `torch.export` is tracing the calling code.

    torch is looked up among the loaded modules and never imported: code that is being
    traced by torch has loaded it. Dynamo evaluates this function while it traces and
    folds the answer to a constant, so that code which asks compiles into one graph, without
    a break and without a guard of its own.
    """
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return compiler is not None and bool(compiler.is_compiling())


def is_tracing() -> bool:
    """Say whether values may be stand-ins: also for `torch.jit.trace` and `fx.symbolic_trace`."""
    jit = getattr(sys.modules.get("torch"), "jit", None)
    if is_compiling() or (jit is not None and bool(jit.is_tracing())):
        return True
    fx = sys.modules.get("torch.fx._symbolic_trace")
    asked = getattr(fx, "is_fx_symbolic_tracing", None)
    return asked is not None and bool(asked())


def tracing_test() -> Callable[[], Any]:
    """Return the cheapest question that Dynamo answers with yes, for code asked at every call.

    Other ways of tracing run the code itself, with stand-ins for tensors; `is_tracing` tells.
    """
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return is_compiling if compiler is None else compiler.is_dynamo_compiling


def asked_once(question: _F) -> _F:
    """Have Dynamo ask once: `torch.compiler.assume_constant_result`, without loading torch."""
    question._dynamo_marked_constant = True  # type: ignore[attr-defined]  # noqa: SLF001
    return question
