# SPDX-License-Identifier: Apache-2.0
"""Where in the user's program an operation was called."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import CodeType, FrameType


_INSTALLED: Final = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_GENERATED: Final = "<eval_with_key>"
"""The file that torch.fx gives to the code of a graph, such as that of a compiled function."""
_INDUCTOR: Final = f"{os.sep}torchinductor_"
"""In the name of the folder in which torch.compile keeps what it has written."""
_PYTHON: Final = f"{sysconfig.get_paths()['stdlib']}{os.sep}"


class Scope(Enum):
    """Whose code a frame runs."""

    TRANSPARENT = "ours, the framework's or Python's: look further out"
    GENERATED = "written by the framework from a program: expressions are not its author's"
    LIBRARY = "an installed package"
    PROJECT = "the user's project"


@dataclass(frozen=True)
class Location:
    """The first frame outside the framework, and the framework's function that it called.

    `entry` is None if that function has no frame, being written in C.
    """

    frame: FrameType
    scope: Scope
    entry: CodeType | None


class Frames:
    """Finds locations, for one framework.

    Invariant: the scope of a code object never changes, so it is decided once.
    """

    def __init__(self, framework: str) -> None:
        """`framework` is the file of the framework's top package."""
        self._roots = (_folder(framework), _folder(__file__, up=3))
        self._scopes: dict[int, tuple[CodeType, Scope]] = {}

    def locate(self, frame: FrameType | None) -> Location | None:
        """The innermost frame outside the framework, from `frame` on outwards, unless generated."""
        entry = None
        while frame is not None:
            scope = self.scope(frame.f_code)
            if scope is Scope.GENERATED:
                return None
            if scope is not Scope.TRANSPARENT:
                return Location(frame, scope, entry)
            if frame.f_code.co_filename.startswith(self._roots[0]):
                entry = frame.f_code
            frame = frame.f_back
        return None

    def scope(self, code: CodeType) -> Scope:
        """Whose code it is."""
        known = self._scopes.get(id(code))
        if known is None:
            known = self._scopes[id(code)] = (code, self.scope_of(code.co_filename))
        return known[1]

    def scope_of(self, file: str) -> Scope:
        """Whose code a file holds."""
        if file.startswith((*self._roots, "<frozen ")):
            return Scope.TRANSPARENT
        if file.startswith(_GENERATED) or _is_written_by_inductor(file):
            return Scope.GENERATED
        if any(folder in file for folder in _INSTALLED):
            return Scope.LIBRARY
        return Scope.TRANSPARENT if file.startswith(_PYTHON) else Scope.PROJECT


def _is_written_by_inductor(file: str) -> bool:
    chosen = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    return _INDUCTOR in file or bool(chosen and file.startswith(chosen))


def _folder(file: str, *, up: int = 1) -> str:
    return f"{Path(file).absolute().parents[up - 1]}{os.sep}"


def calling_frame(depth: int) -> FrameType:
    """The frame `depth` calls above the caller."""
    return sys._getframe(depth + 1)  # noqa: SLF001 - the only way to a frame without a traceback
