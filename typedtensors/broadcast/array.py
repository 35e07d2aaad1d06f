# SPDX-License-Identifier: Apache-2.0
"""What the helpers need of an array."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from typedtensors.broadcast.errors import AxisError
from typedtensors.diagnostics import wording

if TYPE_CHECKING:
    from collections.abc import Sequence


class Array(Protocol):
    """Anything with a shape: a torch, TensorFlow or JAX tensor, a NumPy array."""

    @property
    def shape(self) -> Any:
        """The size of each axis."""


ArrayT = TypeVar("ArrayT", bound=Array)

# Where the framework of a class, given by its top-level module, keeps `broadcast_to`.
# torch is not here: its own method `expand` also works on symbolic sizes while compiling.
_BROADCAST_TO = {
    "numpy": "numpy",
    "jax": "jax.numpy",
    "jaxlib": "jax.numpy",
    "tensorflow": "tensorflow",
}


def require_array(op: str, name: str, value: object) -> None:
    """Raise unless `value` is an array.

    Raises:
        AxisError: it has no shape.
    """
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        problem = f"argument `{name}` is of type {type(value).__name__}, not an array"
        hint = f"`torch.as_tensor({name})` or `numpy.asarray({name})`"
        raise AxisError(wording.misused(op, problem, hint=hint))


def stretch(array: ArrayT, sizes: Sequence[int]) -> ArrayT:
    """Broadcast axes of size 1 to `sizes`: a view where the framework has views.

    Raises:
        AxisError: the framework of `array` is not known.
    """
    view: Any = array
    if hasattr(view, "expand"):
        return view.expand(*sizes)  # type: ignore[no-any-return]
    for base in type(array).__mro__:
        home = _BROADCAST_TO.get(base.__module__.partition(".")[0])
        if home is not None:
            return sys.modules[home].broadcast_to(view, tuple(sizes))  # type: ignore[no-any-return]
    problem = f"arrays of type {type(array).__name__} are of no known framework"
    raise AxisError(wording.misused("expand_as", problem, hint="use `align` and broadcast"))
