# SPDX-License-Identifier: Apache-2.0
"""What metrics of torchmetrics compare: the call of the metric is where the shapes come from."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from torch import Tensor

from typedtensors.guard.allow import is_allowed
from typedtensors.guard.reading.frames import Scope
from typedtensors.guard.reading.source import site_of
from typedtensors.guard.torch.operands import sizes_of
from typedtensors.guard.torch.place import FRAMES, Place

if TYPE_CHECKING:
    from types import FrameType

    from typedtensors.guard.torch.operands import Operands

_PACKAGE: Final = "torchmetrics"
_FOLDER: Final = f"{os.sep}{_PACKAGE}{os.sep}"
_PREDICTED: Final = ("preds", "p", "x")
_WANTED: Final = ("target", "targets", "q", "y")


def metric_frame(depth: int) -> FrameType | None:
    """The frame `depth` calls above the caller, if it is a metric's; most programs have none."""
    if _PACKAGE not in sys.modules:
        return None
    frame = sys._getframe(depth + 1)  # noqa: SLF001 - the only way to a frame without a traceback
    return frame if _FOLDER in frame.f_code.co_filename else None


def compares(frame: FrameType, operands: Operands) -> bool:
    """Whether the operands are predictions and targets, or have the shapes that these have."""
    held = frame.f_locals
    pairs = ((held.get(one), held.get(other)) for one in _PREDICTED for other in _WANTED)
    return any(
        isinstance(one, Tensor)
        and isinstance(other, Tensor)
        and one.shape != other.shape
        and {sizes_of(one), sizes_of(other)} == set(operands.shapes)
        for one, other in pairs
    )


def place_of_metric(frame: FrameType) -> Place | None:
    """Where the program calls the metric; None if a broadcast is allowed there."""
    outer: FrameType | None = frame
    while outer is not None and _FOLDER in outer.f_code.co_filename:
        location = FRAMES.locate(outer.f_back)
        outer = None if location is None else location.frame
    if outer is None or is_allowed():
        return None
    library = FRAMES.scope(outer.f_code) is Scope.LIBRARY
    return Place(site_of(outer), library, plain=True, written=False)
