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

# What AutoGraph calls the files it writes, and what the lines of generated checks are called.
_CONVERTED, _GENERATED = "__autograph_generated_file", "<typedtensors "


def caller() -> str | None:
    """Return the line that called the checked function: `train.py:41`, `In[3]:5` in a notebook."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  there is no other way
    while frame is not None:
        root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if root not in _PASSED_OVER:
            converted = _CONVERTED in frame.f_code.co_filename
            found = _before_conversion() if converted else None
            return found or f"{_file(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def _before_conversion() -> str | None:
    """Return the line that called, in the file that AutoGraph has converted.

    TensorFlow knows it of an operation: it is asked about one in a graph that is thrown away.
    """
    tf = sys.modules["tensorflow"]
    with tf.Graph().as_default():
        stack = tf.no_op().traceback
    ours = (_GENERATED, *filter(None, map(_folder, _PASSED_OVER)))
    for place in reversed(stack):
        if not place.filename.startswith(ours) and _CONVERTED not in place.filename:
            return f"{_file(place.filename)}:{place.lineno}"
    return None


def _folder(package: str) -> str | None:
    """Return where a package is, if it is loaded; a module of one file is that file."""
    file: str | None = getattr(sys.modules.get(package), "__file__", None)
    if file is None:
        return None
    return f"{Path(file).parent}{os.sep}" if Path(file).stem == "__init__" else file


def definition(function: Callable[..., object]) -> str | None:
    """Return the line at which a function begins."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return None if code is None else f"{_file(code.co_filename)}:{code.co_firstlineno}"


def _file(filename: str) -> str:
    """Name a file as its user does: from the current folder."""
    return shown_file(filename).removeprefix(f"{Path.cwd()}{os.sep}")
