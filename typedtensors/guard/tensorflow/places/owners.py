# SPDX-License-Identifier: Apache-2.0
"""Whose code a frame runs, as a guard for TensorFlow sees it."""

from __future__ import annotations

import os
import sys
import tempfile
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import tensorflow as tf

from typedtensors.guard.reading.frames import Frames, Scope

if TYPE_CHECKING:
    from types import CodeType, FrameType


class Owner(Enum):
    """Who wrote the code of a frame, and what a guard makes of an operation there."""

    PASSING = "ours or Python's: look further out"
    FRAMEWORK = "TensorFlow, or a part of Keras that stands for it: look further out too"
    DERIVING = "of gradients, ragged parts or vectorized loops: it follows from the program"
    KERAS = "of Keras, which knows what it does"
    COMPARING = "a loss or a metric of Keras: look at what it was given"
    CONVERTED = "written by AutoGraph from the program"
    LIBRARY = "an installed package"
    PROJECT = "the user's project"


_FRAMES: Final = Frames(tf.__file__)
_TENSORFLOW: Final = f"{Path(tf.__file__).absolute().parent}{os.sep}"
_DERIVING: Final = (
    *("_grad.py", "_gradient.py", f"{os.sep}backprop.py", f"{os.sep}forwardprop.py"),
    *(f"{os.sep}gradients_util.py", f"{os.sep}gradients_impl.py", f"{os.sep}pfor.py"),
)
_RAGGED: Final = os.path.join("ops", "ragged", "")  # noqa: PTH118 - a part of a path
_CONVERTED: Final = os.path.join(tempfile.gettempdir(), "__autograph_generated_file")  # noqa: PTH118 - a prefix
"""How the names of the files begin that AutoGraph writes."""
_KERAS: Final = ("keras", "tf_keras")
_FRAMEWORK_KERAS: Final = ("backend", "ops", "utils", "tree")
_COMPARING_KERAS: Final = ("losses", "metrics")

_owners: Final[dict[int, tuple[CodeType, Owner]]] = {}
"""By identity, as comparing code objects compares their bytecode; the code is kept alive beside."""


def owner_of(code: CodeType) -> Owner:
    """Whose code it is; decided once."""
    known = _owners.get(id(code))
    if known is None:
        known = _owners[id(code)] = (code, owner_of_file(code.co_filename))
    return known[1]


def is_in_a_loss(frame: FrameType | None) -> bool:
    """Whether the way from a frame to the program leads through a loss or a metric of Keras."""
    while frame is not None:
        code = frame.f_code
        known = _owners.get(id(code))
        owner = owner_of(code) if known is None else known[1]
        if owner is Owner.COMPARING:
            return True
        if owner is not Owner.FRAMEWORK and owner is not Owner.PASSING:
            return False
        frame = frame.f_back
    return False


@lru_cache(maxsize=4096)
def owner_of_file(file: str) -> Owner:
    """Whose code a file holds."""
    if file.startswith(_TENSORFLOW):
        derives = file.endswith(_DERIVING) or _RAGGED in file
        return Owner.DERIVING if derives else Owner.FRAMEWORK
    for root in _roots():
        if file.startswith(root):
            return _part_of_keras(file[len(root) :])
    if file.startswith(_CONVERTED):
        return Owner.CONVERTED
    scope = _FRAMES.scope_of(file)
    if scope is Scope.PROJECT:
        return Owner.PROJECT
    return Owner.LIBRARY if scope is Scope.LIBRARY else Owner.PASSING


def _part_of_keras(file: str) -> Owner:
    part = file.removeprefix(f"src{os.sep}").partition(os.sep)[0]
    if part in _FRAMEWORK_KERAS:
        return Owner.FRAMEWORK
    return Owner.COMPARING if part in _COMPARING_KERAS else Owner.KERAS


def _roots() -> tuple[str, ...]:
    """The folders of the Keras packages that are loaded: code that runs is of those."""
    files = (getattr(sys.modules.get(name), "__file__", None) for name in _KERAS)
    return tuple(f"{Path(file).absolute().parent}{os.sep}" for file in files if file)
