# SPDX-License-Identifier: Apache-2.0
"""The site of an operation in a graph, by the stack that the operation recorded.

Such a stack is the program's own, also where AutoGraph has converted it; it has no columns.
"""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typedtensors.guard.reading import syntax
from typedtensors.guard.reading.source import read_site
from typedtensors.guard.reading.surroundings import allows_broadcasts, names_around
from typedtensors.guard.tensorflow.places.owners import Owner, owner_of_file
from typedtensors.guard.tensorflow.table import calls
from typedtensors.shapes.broadcast import lines_of

if TYPE_CHECKING:
    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.tensorflow.table import Role

_PROGRAMS: Final = frozenset({Owner.LIBRARY, Owner.PROJECT})


def recorded_sites(operation: Any, role: Role, text: str | None = None) -> tuple[Site, ...]:  # noqa: ANN401 - of TensorFlow
    """Where the program made an operation: each expression that it can be there.

    Arguments: the operation, its role, and the text of the expression, if that is known.
    Returns: no site if no frame of its stack is a program's.
    """
    for frame in reversed(operation.traceback):
        if owner_of_file(frame.filename) in _PROGRAMS:
            return _sites(frame.filename, frame.lineno or 1, role, text)
    return ()


@lru_cache(maxsize=4096)
def _sites(file: str, line: int, role: Role, text: str | None) -> tuple[Site, ...]:
    source = "".join(linecache.getlines(file))
    if allows_broadcasts(source, line):
        return ()
    found = syntax.operations(source, line, lambda node: calls(node, role))
    chosen = [each for each in found if text is not None and ast.unparse(each) == text] or found
    spans = [(lines_of(each), ast.get_source_segment(source, each)) for each in chosen]
    module = _module(file)
    names = module, ".".join((module, *names_around(source, line)))
    return tuple(
        read_site(file, source, lines, written, names)
        for lines, written in spans or [syntax.statement(source, line)]
    )


def _module(file: str) -> str:
    for name, module in list(sys.modules.items()):
        if name != "__main__" and getattr(module, "__file__", None) == file:
            return name
    return Path(file).stem
