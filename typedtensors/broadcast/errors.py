# SPDX-License-Identifier: Apache-2.0
"""What the helpers raise."""

from __future__ import annotations

from collections.abc import Sequence

from typedtensors.diagnostics import TensorError, wording
from typedtensors.shapes.arrays.sizes import size_text
from typedtensors.shapes.specs.names import Names


class AxisError(TensorError, ValueError):
    """Named axes that do not fit the array, or each other."""


# Users meet the public name in tracebacks.
AxisError.__module__ = "typedtensors"


def require_array(op: str, name: str, value: object) -> None:
    """Raise unless `value` is an array.

    Raises:
        AxisError: it has no shape.
    """
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        problem = f"argument `{name}` is of type {type(value).__name__}, not an array"
        hint = f"`torch.as_tensor({name})` or `numpy.asarray({name})`"
        raise AxisError(wording.misused(op, problem, hint=hint))


def require_rank(op: str, name: str, names: Names, shape: Sequence[int | None]) -> None:
    """Raise unless an array of this shape has as many axes as there are names.

    Raises:
        AxisError: the rank differs.
    """
    if not names.fits(len(shape)):
        actual = " ".join(map(size_text, shape))
        where = wording.argument(name, op)
        raise AxisError(wording.rank_differs(where, names.text, actual))
