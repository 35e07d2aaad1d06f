# SPDX-License-Identifier: Apache-2.0
"""Whether the current code is being traced by a compiler, without importing one."""

from __future__ import annotations

import sys


def is_compiling() -> bool:
    """Say whether `torch.compile` or `torch.export` is tracing the calling code.

    torch is looked up among the loaded modules and never imported: code that is being
    traced by torch has loaded it. Dynamo evaluates this function while it traces and
    folds the answer to a constant, so that code which asks compiles into one graph, without
    a break and without a guard of its own.
    """
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return compiler is not None and bool(compiler.is_compiling())
