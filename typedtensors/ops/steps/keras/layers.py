# SPDX-License-Identifier: Apache-2.0
"""What layers of Keras share: arguments of the base class, the dtype they compute in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.registry import F
    from typedtensors.ops.rule import Example

# Weights are floats of the policy's dtype, which a program may set.
FLOATS = promotion.DEFAULT_FLOAT


def keras_layer(
    *names: str,
    params: str = "",
    inputs: str = "inputs, training=None",
    examples: tuple[Example, ...],
) -> Callable[[F], F]:
    """Register a function over `Call` as what the layers `keras.layers.<name>` do."""
    full = tuple(f"keras.layers.{name}" for name in names)
    settings = f"{params}, **settings" if params else "**settings"
    return layer(*full, params=settings, inputs=inputs, methods=("__call__",), examples=examples)


def computed(array: Tensor, shape: Shape) -> Tensor:
    """What a layer with weights makes of an array: floats of the policy's dtype."""
    held = promotion.kinds(array.dtype)
    return Tensor(shape, FLOATS if held and held <= {"float", "int", "bool"} else ANY)


def passed_on(array: Tensor, shape: Shape | None = None) -> Tensor:
    """What a layer without weights gives: floats become those of the policy."""
    return Tensor(array.shape if shape is None else shape, _dtype(array.dtype))


def _dtype(dtype: DType) -> DType:
    return FLOATS if promotion.kinds(dtype) == frozenset({"float"}) else ANY


def require_rank(call: Call, name: str, least: int, wanted: str, *, exact: bool = False) -> None:
    """Require a number of axes. Raises Conflicting if there are fewer, or with `exact` more."""
    shape = call.tensor(name).shape
    few = shape.rank is not None and shape.rank < least
    if few or (exact and shape.least_rank > least):
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, wanted, shape.text))
