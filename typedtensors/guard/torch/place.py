# SPDX-License-Identifier: Apache-2.0
"""Where in a program an operation is, and whether it is the program's own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

from typedtensors.guard.allow import is_allowed
from typedtensors.guard.reading.frames import Frames, Scope, calling_frame
from typedtensors.guard.reading.source import site_of
from typedtensors.guard.torch.table import aten_name

if TYPE_CHECKING:
    from typedtensors.guard.reading.frames import Location
    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.torch.operands import Operands, Role

FRAMES: Final = Frames(torch.__file__)
_MODULE: Final = os.path.normpath("torch/nn/modules/module.py")
_OPERATOR: Final = "wrapped"
"""The name of torch's frame for operators that are written in Python, such as `__rsub__`."""


@dataclass(frozen=True)
class Place:
    """A site, seen from one operation there.

    `library`: it is in an installed package. `plain`: the expression is the operation itself, not
    something that is built on it. `written`: its arguments are those of the operation, and not of a
    `map(torch.sub, ...)`.
    """

    site: Site
    library: bool
    plain: bool
    written: bool


def current_place(role: Role, operands: Operands) -> Place | None:
    """Where the program calls the operation right now; None if it is allowed there."""
    location = None if is_allowed() else FRAMES.locate(calling_frame(2))
    if location is None or (role.stated and _is_direct(role, location)):
        return None
    site, plain = site_of(location.frame), _is_plain(role, operands, location)
    written = plain and (location.entry is not None or is_written(role, site))
    return Place(site, location.scope is Scope.LIBRARY, plain, written)


def is_written(role: Role, site: Site) -> bool:
    """Whether the expression at the site calls the operation by its name, or is no call."""
    return site.called is None or aten_name(site.called) == role.name


def _is_direct(role: Role, location: Location) -> bool:
    """Whether the frame itself called the function, not something else of torch."""
    return location.entry is None or location.entry.co_name == role.name


def _is_plain(role: Role, operands: Operands, location: Location) -> bool:
    if location.entry is None or location.entry.co_name in {role.name, _OPERATOR}:
        return True
    return operands.comparison and location.entry.co_filename.endswith(_MODULE)
