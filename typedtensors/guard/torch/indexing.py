# SPDX-License-Identifier: Apache-2.0
"""What broadcasts where a tensor is indexed: indices with each other, a value with its place."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from typedtensors.guard.torch.operands import NOWHERE, Operands, sizes_of, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    Args = tuple[Any, ...]
    Kwargs = Mapping[str, Any]


def indexed(args: Args, kwargs: Kwargs) -> Operands | None:  # noqa: ARG001 - operators have none
    """The tensors of integers among the indices of `x[rows, columns]`."""
    index = args[1]
    if not isinstance(index, tuple):
        return None
    return whole([(NOWHERE, each) for each in index if _is_of_integers(each)])


def assigned(args: Args, kwargs: Kwargs) -> Operands | None:  # noqa: ARG001 - operators have none
    """The part of a tensor that `x[index] = value` writes, and the value; or the indices."""
    target, index, value = args
    among = indexed((target, index), {})
    if among is not None and len(set(among.shapes)) > 1:
        return among
    if not isinstance(value, Tensor) or value.dim() == 0:
        return None
    part = _part(target, index if isinstance(index, tuple) else (index,))
    if part is None:
        return None
    shapes = sizes_of(part), sizes_of(value)
    return Operands((part, value), shapes, (NOWHERE, NOWHERE))


def put(args: Args, kwargs: Kwargs) -> Operands | None:
    """The part that `x.index_put(indices, values)` writes, and the values."""
    indices, values = (
        args[at] if at < len(args) else kwargs.get(name)
        for at, name in ((1, "indices"), (2, "values"))
    )
    return assigned((args[0], tuple(indices or ()), values), {})


def _part(target: Tensor, index: tuple[Any, ...]) -> Tensor | None:
    """A tensor with the shape of `target[index]`; None if only the values of the index tell it."""
    if all(_is_basic(part) for part in index):
        return target[index]
    places: list[Any] = []
    for part in index:
        if _is_basic(part):
            places.append(part)
            continue
        positions = _positions(part)
        if positions is None:
            return None
        places += positions
    return torch.empty_like(target, device="meta")[tuple(places)]


def _positions(part: object) -> list[Tensor] | None:
    """An array of positions, or one for each axis of a mask; None if only a run knows their shape.

    They have no data: only the shape is computed, and positions need not be in range.
    """
    if not isinstance(part, Tensor) or part.dtype == torch.uint8:
        return None
    if part.dtype != torch.bool:
        return [torch.empty(part.shape, dtype=torch.long, device="meta")]
    if type(part) is not Tensor:
        # It may stand for a tensor that is traced, where to count is to ask for a value.
        return None
    try:
        # To assign at a mask counts it anyway.
        count = int(part.count_nonzero())
    except RuntimeError:
        return None
    return [torch.empty(count, dtype=torch.long, device="meta")] * part.dim()


def _is_basic(part: object) -> bool:
    return part is None or (
        isinstance(part, (int, slice, EllipsisType)) and part is not True and part is not False
    )


def _is_of_integers(part: object) -> bool:
    return isinstance(part, Tensor) and part.dtype not in {torch.bool, torch.uint8}
