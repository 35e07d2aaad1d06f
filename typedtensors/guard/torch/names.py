# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of torch's tensors within a checked call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import torch
from torch import Tensor
from torch.overrides import resolve_name

from typedtensors.guard.names.axes import Arrays
from typedtensors.guard.names.meeting import meeting_of
from typedtensors.guard.names.rules import names_after, token_of

if TYPE_CHECKING:
    from typedtensors.guard.names.axes import Names, Seen
    from typedtensors.guard.names.meeting import Meeting
    from typedtensors.guard.names.naming import OpenCall
    from typedtensors.guard.torch.operands import Operands

Look: TypeAlias = Callable[[Any], "Seen | None"]


def _is_plain(tensor: Tensor) -> bool:
    return not tensor.is_nested and all(type(size) is int for size in tensor.shape)


TENSORS: Final = Arrays((Tensor,), attrgetter("shape"), _is_plain)


def meeting(operands: Operands, look: Look) -> Meeting | None:
    """What is known by name of how the operands meet; None if that is nothing."""
    if operands.partial:
        return None
    if any(t.shape != shape for t, shape in zip(operands.tensors, operands.shapes, strict=True)):
        return None
    seen = [look(tensor) for tensor in operands.tensors]
    names = tuple([each.names for each in seen if each is not None])
    return meeting_of(names) if len(names) == len(seen) else None


def follow(
    call: OpenCall,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    result: object,
) -> None:
    """Name the axes of what the function made of tensors of a checked call."""
    if not isinstance(result, (Tensor, tuple, list)) or isinstance(result, torch.Size):
        return
    found: tuple[Names | None, ...] = ()
    if call.knows_any(args) or (kwargs and call.knows_any(kwargs.values())):
        given = tuple([token_of(each, call.look) for each in args])
        named = tuple([(key, token_of(each, call.look)) for key, each in kwargs.items()])
        found = _names_after(function, given, named)
    parts = (result,) if isinstance(result, Tensor) else result
    for each, names in zip(parts, found or (None,) * len(parts), strict=False):
        if isinstance(each, Tensor):
            # An operation in place that no rule knows may have turned the tensor.
            call.name(each, names or ())


@lru_cache(maxsize=1 << 14)
def _names_after(
    function: Callable[..., Any],
    args: tuple[object, ...],
    kwargs: tuple[tuple[str, object], ...],
) -> tuple[Names | None, ...]:
    name = (resolve_name(function) or "").removesuffix(".__get__")
    return names_after(name, args, kwargs)
