# SPDX-License-Identifier: Apache-2.0
"""The axis work on an array of any framework."""

from __future__ import annotations

import sys
from typing import Any, Protocol, TypeVar

import einops

from typedtensors.broadcast.errors import AxisError
from typedtensors.broadcast.graphs import Axes, place_axes, stretch_axes
from typedtensors.diagnostics import wording
from typedtensors.shapes.arrays.sizes import is_tensorflow
from typedtensors.shapes.specs.names import Names


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
}


def place(array: ArrayT, source: Names, target: Names) -> ArrayT:
    """Permute axes and insert new ones, of an array that has the names of `source`.

    Raises:
        SpecError: a name has no place in `target`.
    """
    places = source.placed_in(target)
    if source.words == target.words:
        return array
    if is_tensorflow(type(array)):
        spans = source.spans(len(array.shape))
        order = ([None] if at is None else range(*spans[at]) for at in places)
        return place_axes(array, [axis for axes in order for axis in axes])  # type: ignore[no-any-return]
    # einops has rules of its own for names (no underscore at either end).
    names = [
        "..." if position == source.variadic else f"a{position}"
        for position in range(len(source.words))
    ]
    after = ["1" if position is None else names[position] for position in places]
    if not source.words and type(array).__module__ == "numpy":
        # What a reduction to no axes returns is NumPy's, but no array.
        array = sys.modules["numpy"].asarray(array)
    return einops.rearrange(array, f"{' '.join(names)} -> {' '.join(after)}")


def stretch(array: ArrayT, sizes: Axes, *, like: Array | None = None) -> ArrayT:
    """Broadcast axes of size 1 to `sizes`: a view where the framework has views.

    Args:
        array: as many axes as there are sizes.
        sizes: those wanted.
        like: an array of these sizes, if there is one.

    Raises:
        AxisError: the framework of `array` is not known.
    """
    view: Any = array
    if is_tensorflow(type(array)):
        return stretch_axes(view, sizes, like)  # type: ignore[no-any-return]
    if hasattr(view, "expand"):
        return view.expand(*sizes)  # type: ignore[no-any-return]
    for base in type(array).__mro__:
        home = _BROADCAST_TO.get(base.__module__.partition(".")[0])
        if home is not None:
            return sys.modules[home].broadcast_to(view, tuple(sizes))  # type: ignore[no-any-return]
    problem = f"arrays of type {type(array).__name__} are of no known framework"
    raise AxisError(wording.misused("expand_as", problem, hint="use `align` and broadcast"))
