# SPDX-License-Identifier: Apache-2.0
"""`align`: put an array's named axes where another list of names has them."""

from __future__ import annotations

from typedtensors.broadcast.array import ArrayT, place
from typedtensors.broadcast.errors import AxisError, require_array, require_rank
from typedtensors.broadcast.graphs import of_known_rank
from typedtensors.shapes import SpecError
from typedtensors.shapes.arrays.intended import mark
from typedtensors.shapes.arrays.tracing import unconverted
from typedtensors.shapes.specs.names import parse_names


@unconverted
def align(x: ArrayT, spec: str, *, to: str) -> ArrayT:
    """Permute an array and insert axes of size 1, so that it broadcasts by name.

    Args:
        x: a torch, TensorFlow or JAX tensor or a NumPy array, of any dtype.
        spec: the names of its axes, such as `"d"`; one `*name` or `...` may stand for
            any number of them.
        to: the names to line up with, such as `"batch seq d"`; all of `spec`'s are among
            them. Each name that `spec` lacks becomes an axis of size 1. A variadic that
            `spec` lacks must come first and adds no axis.

    Returns:
        A view of `x` where the framework has views, with one axis for each name in `to`.

    Raises:
        AxisError: a name occurs twice or is missing in `to`, or the number of axes differs.

    >>> import numpy as np
    >>> from typedtensors import align
    >>> align(np.zeros((8, 3)), "d batch", to="batch seq d").shape
    (3, 1, 8)
    """
    require_array("align", "x", x)
    try:
        source, target = parse_names(spec), parse_names(to)
        x = of_known_rank("align", "x", x, source)
        require_rank("align", "x", source, x.shape)
        placed = place(x, source, target)
    except SpecError as error:
        raise AxisError(error.diagnostic) from None
    # An array that was in place already is still the caller's, not one made for a broadcast.
    return placed if placed is x else mark(placed)
