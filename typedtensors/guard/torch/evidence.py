# SPDX-License-Identifier: Apache-2.0
"""What the tensors of an event show of their author's intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from typedtensors.shapes.arrays.intended import is_intended
from typedtensors.shapes.broadcast import Context

if TYPE_CHECKING:
    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.torch.operands import Operands
    from typedtensors.shapes.broadcast import BroadcastEvent

# The backward nodes of what inserts axes without a view that remembers its base.
_INSERTING = frozenset(
    {"UnsqueezeBackward0", "ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0"}
)
# `x * (1.0 + self.weight.float())`, `torch.exp(-self.scale) * x`.
_FEW_STEPS = 4


def context_of(
    event: BroadcastEvent, operands: Operands, site: Site | None, *, method: bool
) -> Context:
    """The context in which the event is judged; `method`: the operation is one of tensors."""
    tensors = operands.tensors
    expanded = [tensors[k] for k in event.expanded]
    places = [operands.places[k] for k in event.expanded]
    stretched = [tensor for tensor, axes in zip(tensors, event.stretched, strict=True) if axes]
    return Context(
        comparison=operands.comparison,
        inserted=site is not None and site.inserts,
        prepared=site is not None and site.prepared,
        paired=site is not None and site.paired,
        tabulated=site is not None and site.tabulates,
        viewed=any(map(_is_axis_inserted, stretched)),
        floating=all(tensor.dtype.is_floating_point for tensor in tensors),
        parameter=any(map(_is_weight, expanded))
        or (site is not None and any(site.belongs(each, method=method) for each in places)),
        deliberate=all(map(is_intended, expanded)),
    )


def _is_weight(tensor: torch.Tensor) -> bool:
    """Whether it is a parameter or, by what autograd recorded, made of one of the same shape."""
    if isinstance(tensor, torch.nn.Parameter):
        return True
    node = tensor.grad_fn
    for _ in range(_FEW_STEPS):
        leaf = getattr(node, "variable", None)
        if node is None or leaf is not None:
            return isinstance(leaf, torch.nn.Parameter) and leaf.shape == tensor.shape
        sources = [source for source, _ in node.next_functions if source is not None]
        node = sources[0] if len(sources) == 1 else None
    return False


def _is_axis_inserted(tensor: torch.Tensor) -> bool:
    """Whether the tensor is a view that gave its base another shape of the same elements."""
    base = tensor._base  # noqa: SLF001 - documented with autograd's views, and has no public name
    if base is not None:
        reshaped = base.numel() == tensor.numel() and base.shape != tensor.shape
        return tensor.dim() > base.dim() or (tensor.dim() == base.dim() and reshaped)
    node = tensor.grad_fn
    return node is not None and node.name() in _INSERTING
