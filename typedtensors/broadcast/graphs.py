# SPDX-License-Identifier: Apache-2.0
"""The axis work on arrays of TensorFlow and Keras, whose sizes may be unknown in a graph.

einops would compute in the graph, at each step, what is known when it is made; and it does not know
what Keras makes models of.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from typedtensors.broadcast.errors import AxisError
from typedtensors.diagnostics import wording
from typedtensors.shapes.arrays.sizes import is_tensorflow, size_text, sizes_of
from typedtensors.shapes.specs.names import Names

Axes = Sequence[Any]
"""A size for each axis: a number, a scalar tensor of a graph's, or None in a symbol of Keras's."""


def of_known_rank(op: str, name: str, array: Any, names: Names) -> Any:
    """Return an array whose rank is known: a graph makes sure that it is that of its names.

    Raises:
        AxisError: the names may stand for any number of axes.
    """
    if not is_tensorflow(type(array)) or sizes_of(array) is not None:
        return array
    if names.variadic is None and not _is_symbol(array):
        return _tensorflow().ensure_shape(array, [None] * len(names.words))
    problem = f'the number of axes of `{name}` is not known here, and "{names.text}" leaves it open'
    raise AxisError(wording.misused(op, problem, hint="name each axis, or use `tf.ensure_shape`"))


def axes_of(array: Any) -> Axes:
    """Return the size of each axis, as a tensor of the graph's where it is not known."""
    if not is_tensorflow(type(array)):
        return tuple(array.shape)
    sizes: Axes = sizes_of(array) or ()
    if None not in sizes or _is_symbol(array):
        return tuple(sizes)
    shape = _tensorflow().shape(array)
    return tuple(shape[axis] if size is None else size for axis, size in enumerate(sizes))


def place_axes(array: Any, order: Sequence[int | None]) -> Any:
    """Permute the axes of an array, and put in new ones where the order says None."""
    ops = _ops_for(array)
    kept = [axis for axis in order if axis is not None]
    if kept != sorted(kept):
        array = ops.transpose(array, kept)
    for position, axis in enumerate(order):
        if axis is None:
            array = ops.expand_dims(array, position)
    return array


def stretch_axes(array: Any, sizes: Axes, like: Any) -> Any:
    """Broadcast axes of size 1.

    Args:
        array: as many axes as there are sizes.
        sizes: those wanted.
        like: an array of these sizes, if there is one.
    """
    ops = _ops_for(array)
    if not _is_symbol(array) and not _is_symbol(like):
        wanted = sizes if all(isinstance(size, int) for size in sizes) else ops.stack(sizes)
        return _tensorflow().broadcast_to(array, wanted)
    ops = sys.modules["keras"].ops
    if like is not None:
        return ops.where(ops.ones_like(like, dtype="bool"), array, array)
    for axis, size in enumerate(sizes):
        if isinstance(size, int) and array.shape[axis] == 1 != size:
            array = ops.repeat(array, size, axis)
    return array


def differ(mine: Axes, theirs: Axes) -> bool:
    """Say whether axes are not the same, as far as their sizes are known."""
    if len(mine) != len(theirs):
        return True
    pairs = zip(mine, theirs, strict=True)
    return any(_is_size(one) and _is_size(two) and one != two for one, two in pairs)


def assert_equal(array: Any, mine: Axes, theirs: Axes, problem: str) -> Any:
    """Return an array that a graph hands on if sizes which it has to compute are the same."""
    if not is_tensorflow(type(array)) or _is_symbol(array):
        return array
    tf = _tensorflow()
    for one, two in zip(mine, theirs, strict=True):
        if one is None or two is None or (_is_size(one) and _is_size(two)):
            continue
        message = [f"typedtensors: {problem}", one, two]
        with tf.control_dependencies([tf.debugging.Assert(tf.equal(one, two), message)]):
            array = tf.identity(array)
    return array


def axes_text(sizes: Axes) -> str:
    """Write sizes, `?` for each that is not known."""
    return " ".join(size_text(size if _is_size(size) else None) for size in sizes)


def _is_size(size: Any) -> bool:
    """Say whether this is a number: it may be one that `torch.compile` leaves open."""
    return isinstance(size, int) or (size is not None and not is_tensorflow(type(size)))


def _is_symbol(array: Any) -> bool:
    return isinstance(array, getattr(sys.modules.get("keras"), "KerasTensor", ()))


def _ops_for(array: Any) -> Any:
    return sys.modules["keras"].ops if _is_symbol(array) else _tensorflow()


def _tensorflow() -> Any:
    return sys.modules["tensorflow"]
