# SPDX-License-Identifier: Apache-2.0
"""Where the user's code is: the first frame outside this package and the framework."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from typedtensors.diagnostics.cell import shown_file

if TYPE_CHECKING:
    from types import FrameType

# `torch` because a module's `forward` is called from `nn.Module.__call__`; the standard library
# for what runs coroutines, generators and context managers.
_PASSED_OVER = frozenset(
    {"typedtensors", "jaxtyping", "beartype", "torch", "tensorflow", "keras", "jax"}
    | {"asyncio", "contextlib", "functools"}
)


def caller() -> str | None:
    """Return the line that called the checked function: `train.py:41`, `In[3]:5` in a notebook."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  there is no other way
    while frame is not None:
        root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if root not in _PASSED_OVER:
            return f"{_file(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def definition(function: Callable[..., object]) -> str | None:
    """Return the line at which a function begins."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return None if code is None else f"{_file(code.co_filename)}:{code.co_firstlineno}"


def _file(filename: str) -> str:
    """Name a file as its user does: from the current folder."""
    return shown_file(filename).removeprefix(f"{Path.cwd()}{os.sep}")
