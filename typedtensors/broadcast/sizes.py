# SPDX-License-Identifier: Apache-2.0
"""`sizes`: read an array's sizes by name."""

from __future__ import annotations

from typedtensors.broadcast.array import Array
from typedtensors.broadcast.errors import AxisError, require_array, require_rank
from typedtensors.broadcast.graphs import axes_of, axes_text, differ, of_known_rank
from typedtensors.diagnostics import wording
from typedtensors.shapes import SpecError
from typedtensors.shapes.arrays.tracing import unconverted
from typedtensors.shapes.specs.names import parse_names


@unconverted
def sizes(x: Array, spec: str) -> dict[str, int]:
    """Read the size of each named axis.

    Args:
        x: a torch, TensorFlow or JAX tensor or a NumPy array.
        spec: the names of its axes, such as `"batch 3 h w"`; a number is verified, and
            axes under `_`, `*name` or `...` are left out.

    Returns:
        One entry for each name, in the order of the axes. Where a graph of TensorFlow's is made,
        a size that is not known is a scalar tensor, as of `tf.shape`; in a symbol of Keras's, None.

    Raises:
        AxisError: the number of axes or a size that the spec fixes differs, or a name
            occurs twice.

    >>> import numpy as np
    >>> from typedtensors import sizes
    >>> sizes(np.zeros((4, 10, 8)), "batch seq d")
    {'batch': 4, 'seq': 10, 'd': 8}
    """
    require_array("sizes", "x", x)
    try:
        names = parse_names(spec, unnamed=True)
    except SpecError as error:
        raise AxisError(error.diagnostic) from None
    x = of_known_rank("sizes", "x", x, names)
    require_rank("sizes", "x", names, x.shape)
    found: dict[str, int] = {}
    own = axes_of(x)
    for position, (word, (start, _)) in enumerate(
        zip(names.words, names.spans(len(own)), strict=True)
    ):
        if word.isdecimal() and differ((own[start],), (int(word),)):
            where = wording.argument("x", "sizes")
            raise AxisError(wording.axis_differs(where, start, word, axes_text((own[start],))))
        if word.isidentifier() and word != "_" and position != names.variadic:
            found[word] = own[start]
    return found
