# SPDX-License-Identifier: Apache-2.0
"""What the tensors of an event show of their author's intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.guard.tensorflow.marks import Origin, is_made_by_a_helper, origin_of
from typedtensors.shapes.arrays.intended import is_intended
from typedtensors.shapes.broadcast import Context

if TYPE_CHECKING:
    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.tensorflow.operands import Operands
    from typedtensors.shapes.broadcast import BroadcastEvent


def context_of(event: BroadcastEvent, operands: Operands, site: Site) -> Context:
    """The context in which the event is judged."""
    tensors = operands.tensors
    expanded = [tensors[k] for k in event.expanded]
    stretched = [tensor for tensor, axes in zip(tensors, event.stretched, strict=True) if axes]
    return Context(
        comparison=operands.comparison,
        inserted=site.inserts,
        prepared=site.prepared,
        paired=site.paired,
        tabulated=site.tabulates,
        viewed=any(origin_of(each) is Origin.INSERTED for each in stretched),
        floating=all(each.dtype.is_floating for each in tensors),
        parameter=any(origin_of(each) is Origin.VARIABLE for each in expanded)
        or any(site.belongs(k, method=False) for k in event.expanded),
        deliberate=all(is_intended(each) or is_made_by_a_helper(each) for each in expanded),
    )
