# SPDX-License-Identifier: Apache-2.0
"""Where the user's code is: the first frame outside this package and the framework."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

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
    """Name a notebook's cell as its user sees it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    # Public since IPython 8: returns ("Cell", "In[3]") for a cell's file, else None.
    named = name_of(filename) if name_of is not None else None
    if named:
        return str(named[1])
    return filename.removeprefix(f"{Path.cwd()}{os.sep}")
