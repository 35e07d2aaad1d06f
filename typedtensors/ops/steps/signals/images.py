# SPDX-License-Identifier: Apache-2.0
"""Arrays of a batch, channels and spatial axes, as layers over images and signals take them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops.outcome import Conflicting
from typedtensors.shapes import Axis, Shape, Variadic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typedtensors.ops.call import Call
    from typedtensors.shapes import Part

_LETTERS = "dhw"


@dataclass(frozen=True)
class Image:
    """The parts of such a shape; `lead` is the batch axis, or nothing."""

    lead: tuple[Part, ...]
    channels: Axis
    spatial: tuple[Axis, ...]

    def shape(self, channels: Axis, spatial: Iterable[Axis]) -> Shape:
        """The shape with other channels and spatial axes."""
        return Shape((*self.lead, channels, *spatial))


def spatial_rank(call: Call) -> int:
    """The number of spatial axes that the op is named after: 2 for `Conv2d`."""
    found = re.search(r"(\d)d", call.op)
    return int(found[1]) if found else 0


def image(call: Call, shape: Shape, spatial: int) -> Image:
    """Split the shape of a layer's input. Raises Conflicting if its rank is wrong."""
    least = spatial + 1
    if shape.least_rank > least + 1 or (shape.rank is not None and shape.rank < least):
        wanted = " ".join(("n c", *_LETTERS[-spatial:]))
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, wanted, shape.text))
    known = shape.suffix[-least:]
    if len(known) == least:
        return Image(shape.axes[:-least], known[0], known[1:])
    # Whether there is a batch axis is not known.
    missing = tuple(Axis(Dim.fresh()) for _ in range(least - len(known)))
    padded = (*missing, *known)
    return Image((Variadic.fresh(),), padded[0], padded[1:])
