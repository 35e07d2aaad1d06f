# SPDX-License-Identifier: Apache-2.0
"""From one torch call to an event, or to nothing as early as can be."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from typedtensors.guard.allow import is_allowed
from typedtensors.guard.frames import Frames, Scope, calling_frame
from typedtensors.guard.report import GuardEvent
from typedtensors.guard.source import site_of
from typedtensors.guard.torch.evidence import context_of
from typedtensors.shapes.broadcast import (
    Context,
    Level,
    Reason,
    broadcast,
    classify,
    fixes,
    hint,
    judge,
)
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typedtensors.guard.frames import Location
    from typedtensors.guard.source import Site
    from typedtensors.guard.torch.operands import Operands, Role, Sizes
    from typedtensors.shapes.broadcast import BroadcastEvent

_FRAMES = Frames(torch.__file__)
# Torch's files whose functions pass their own arguments on.
_WRAPPERS = tuple(map(os.path.normpath, ("torch/functional.py", "torch/_tensor.py")))
_WRAPPERS += (os.path.normpath("torch/nn/functional.py"),)
_MODULE = os.path.normpath("torch/nn/modules/module.py")
_NUMBERS = frozenset({int, float, bool, complex})
# What a library makes of its own arguments is its business, except these.
_IN_LIBRARIES = frozenset({Reason.LOSS, Reason.RANK})


class Examiner:
    """Examines calls at one level."""

    def __init__(self, level: Level) -> None:
        self._level = level
        # What a call of these shapes, comparison or not, can be reported as: mostly nothing.
        self._known: dict[tuple[tuple[Sizes, ...], bool], BroadcastEvent | None] = {}

    def examine(
        self, role: Role, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> GuardEvent | None:
        """The event that the call is, if it is one to report."""
        if len(args) == 2 and not kwargs:
            left, right = args
            if type(right) in _NUMBERS or (
                isinstance(right, Tensor) and isinstance(left, Tensor) and left.shape == right.shape
            ):
                return None
        operands = role.read(args, kwargs)
        if operands is None:
            return None
        event = self._candidate(operands)
        if event is None or is_allowed():
            return None
        location = _FRAMES.locate(calling_frame(2))
        if location is None or (role.stated and _is_direct(role, location)):
            return None
        return self._judged(role, operands, event, location)

    def _candidate(self, operands: Operands) -> BroadcastEvent | None:
        """The broadcast, if anything at all could make it reportable at this level."""
        key = (operands.shapes, operands.comparison)
        try:
            return self._known[key]
        except KeyError:
            found = _event(operands.shapes)
            worst = Context(operands.comparison, floating=True, parameter=False)
            if found is not None and judge(found, worst, self._level) is None:
                found = None
            self._known[key] = found
            return found

    def _judged(
        self, role: Role, operands: Operands, event: BroadcastEvent, location: Location
    ) -> GuardEvent | None:
        site = site_of(location.frame)
        context = context_of(event, operands, site)
        reason = None if site.accepted else judge(event, context, self._level)
        library = location.scope is Scope.LIBRARY
        if reason is None or (library and reason not in _IN_LIBRARIES):
            return None
        return GuardEvent(
            op=role.name,
            shapes=operands.shown,
            result=(*_sizes(event.result), *operands.result_core),
            reason=reason.value,
            file=site.file,
            line=site.line,
            expression=site.expression,
            fix=self._fix(
                operands, event, context, site if _is_plain(operands, location) else None
            ),
            library=library,
        )

    def _fix(
        self, operands: Operands, event: BroadcastEvent, context: Context, site: Site | None
    ) -> str | None:
        if operands.cores:
            # An edit of the batch axes alone would be written for shapes that nobody sees.
            return None
        texts = [None] * len(operands.places) if site is None else site.operands(operands.places)
        return hint(fixes(event, context, self._level), texts)


@lru_cache(maxsize=4096)
def _event(shapes: tuple[Sizes, ...]) -> BroadcastEvent | None:
    return classify(broadcast([Shape.of(*shape) for shape in shapes]))


def _sizes(shape: Shape) -> Sizes:
    return tuple(dim.value or 0 for dim in shape.dims or ())


def _is_direct(role: Role, location: Location) -> bool:
    """Whether the frame itself called the function, not something else of torch."""
    return location.entry is None or location.entry.co_name == role.name


def _is_plain(operands: Operands, location: Location) -> bool:
    """Whether the expression at the location writes the operands as its arguments."""
    if location.entry is None:
        return True
    file = location.entry.co_filename
    return file.endswith(_WRAPPERS) or (operands.comparison and file.endswith(_MODULE))
