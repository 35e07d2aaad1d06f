# SPDX-License-Identifier: Apache-2.0
"""From generated text to functions, whose lines show up in tracebacks and debuggers."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

from typedtensors.runtime.codegen import support
from typedtensors.runtime.codegen.writer import Program


def build(program: Program, place: str) -> Any:
    """Run the text and return what it defines: a function, or a tuple of them.

    Args:
        program: the text.
        place: the function that it checks, and where that is; two functions differ in it.
    """
    filename = f"<typedtensors {place}>"
    # An entry without a time is not looked for on disk, and stays.
    lines = program.text.splitlines(keepends=True)
    linecache.cache[filename] = len(program.text), None, lines, filename
    # Dynamo looks the module of a frame up by its name.
    scope: dict[str, Any] = {"__name__": support.__name__, **program.constants}
    exec(_compile(program.text, filename), scope)  # noqa: S102  text from specs, never evaluated
    make: Callable[..., Any] = scope.pop("build")
    return make(**program.cells)


@lru_cache(maxsize=256)
def _compile(text: str, filename: str) -> CodeType:
    """Compile once for a function that is defined and decorated again and again."""
    return compile(text, filename, "exec", dont_inherit=True)
