# SPDX-License-Identifier: Apache-2.0
"""What is remembered of tensors: which are read from variables, and which got an axis.

In a graph a tensor knows the operation that made it. An eager one does not, so a guard notes it
when it sees the operation.
"""

from __future__ import annotations

import os
import weakref
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tensorflow as tf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Origin(Enum):
    """What made a tensor, as far as that matters."""

    VARIABLE = "a variable was read"
    INSERTED = "axes were put in, or all put in another order"


MAKERS: Final[Mapping[str | bytes, Origin]] = {
    "ReadVariableOp": Origin.VARIABLE,
    "ExpandDims": Origin.INSERTED,
    "Reshape": Origin.INSERTED,
    "StridedSlice": Origin.INSERTED,
    # It is called where arguments have been converted, and TensorFlow names it in bytes there.
    b"Reshape": Origin.INSERTED,
}
"""By the type of the operation."""

_ELEMENTWISE: Final = (
    *("Abs", "Cast", "Exp", "Identity", "Log", "Neg", "Reciprocal", "Relu"),
    *("Rsqrt", "Sigmoid", "Softplus", "Sqrt", "Square", "Tanh"),
)
ELEMENTWISE: Final = frozenset({*_ELEMENTWISE, *(name.encode() for name in _ELEMENTWISE)})
"""Types of operations that make another weight of a weight, as in `exp(self.log_scale) * x`."""
_NEW_AXES: Final = "new_axis_mask"
_HELPERS: Final = f"{Path(__file__).parents[2] / 'broadcast'}{os.sep}"

_origins: Final[dict[int, tuple[weakref.ref[Any], Origin]]] = {}


def is_made(kind: str | bytes, attributes: Sequence[Any]) -> bool:
    """Whether an operation of that type does so: a slice may have no new axis."""
    if kind != "StridedSlice":
        return True
    return _NEW_AXES in attributes and attributes[attributes.index(_NEW_AXES) + 1] != 0


def note(tensor: Any, origin: Origin) -> None:  # noqa: ANN401 - of TensorFlow
    """Remember what made an eager tensor, as long as it lives."""
    key = id(tensor)
    _origins[key] = (weakref.ref(tensor, lambda _: _origins.pop(key, None)), origin)


def origin_of(tensor: Any) -> Origin | None:  # noqa: ANN401 - as above
    """What made a tensor; None if that is something else, or nobody saw it."""
    if isinstance(tensor, tf.Variable):
        return Origin.VARIABLE
    noted = _origins.get(id(tensor))
    if noted is not None and noted[0]() is tensor:
        return noted[1]
    made = _operation(tensor)
    if made is not None and made.type in ELEMENTWISE:
        return _kept(origin_of(made.inputs[0]))
    if made is None or made.type not in MAKERS:
        return None
    sliced = made.type == "StridedSlice"
    return None if sliced and made.get_attr(_NEW_AXES) == 0 else MAKERS[made.type]


def note_kept(tensor: Any, given: Any) -> None:  # noqa: ANN401 - as above
    """Remember that an eager tensor was made of a weight, element by element."""
    origin = _kept(origin_of(given))
    if origin is not None:
        note(tensor, origin)


def _kept(origin: Origin | None) -> Origin | None:
    return origin if origin is Origin.VARIABLE else None


def is_made_by_a_helper(tensor: Any) -> bool:  # noqa: ANN401 - as above
    """Whether the operation of a graph that made a tensor is one of `align` and its kind."""
    made = _operation(tensor)
    return made is not None and any(
        each.filename.startswith(_HELPERS) for each in made.traceback or ()
    )


def _operation(tensor: Any) -> Any:  # noqa: ANN401 - as above
    """The operation of a graph that made a tensor; None for an eager one, and a variable."""
    return None if hasattr(tensor, "numpy") else getattr(tensor, "op", None)
