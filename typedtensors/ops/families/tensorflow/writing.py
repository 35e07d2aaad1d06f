# SPDX-License-Identifier: Apache-2.0
"""What is written into TensorFlow's variables, and at places of its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.families.tensorflow.unary import array_of
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.sizes import parts, shape_of
from typedtensors.shapes import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_VARIABLE = "tensorflow.Tensor"
_ASSIGNED = (
    *(example(Array("b n"), Array("b n")), example(Array(""), Array(""))),
    *(example(Array("b n"), Array("n b")), example(Array("b n"), Array("b n k"))),
)


@rule(
    f"{_VARIABLE}.assign",
    params="self, value, use_locking=False, name=None, read_value=True",
    examples=(*_ASSIGNED, example(Array("b n"), Array("n")), example(Array("b n"), Array("b 1"))),
)
def assigned(call: Call) -> Value:
    """The variable, of whose shape the value has to be."""
    variable, value = call.tensor("self"), array_of(call, call["value"])
    own, given = variable.shape.fixed, value.shape.fixed
    if own is None or given is None:
        raise Undetermined("the ranks are not known")
    _require_alike(call, "value", own, given)
    return variable


@rule(
    *(f"{_VARIABLE}.assign_{name}" for name in ("add", "sub")),
    params="self, delta, use_locking=False, name=None, read_value=True",
    examples=_ASSIGNED,
)
def changed(call: Call) -> Value:
    """The variable, of whose shape the value has to be; Keras's own variables stretch it too."""
    variable, value = call.tensor("self"), array_of(call, call["delta"])
    own, given = variable.shape.fixed, value.shape.fixed
    if own is None or given is None:
        raise Undetermined("the ranks are not known")
    if len(given) > len(own):
        _require_alike(call, "delta", own, given)
    fitting = own[len(own) - len(given) :]
    if len(given) < len(own) or any(axis.is_one or axis.flexible for axis in given):
        raise Undetermined("the value may be stretched")
    _require_alike(call, "delta", fitting, given)
    return variable


def _require_alike(call: Call, name: str, wanted: Sequence[Part], given: Sequence[Axis]) -> None:
    """Require that an argument has certain axes. Raises Conflicting if it has not."""
    where = wording.argument(name, call.name)
    if len(wanted) != len(given):
        texts = (" ".join(map(str, each)) for each in (wanted, given))
        raise Conflicting(wording.rank_differs(where, *texts))
    for at, (axis, other) in enumerate(zip(wanted, given, strict=True)):
        if not isinstance(axis, Axis) or axis.flexible or other.flexible:
            raise Undetermined("an axis may be of size 1")
        if call.same(axis.dim, other.dim) is Verdict.DIFFERENT:
            raise Conflicting(wording.axis_differs(where, at, str(axis), str(other)))


# Calls that do not fit would end TensorFlow's process, so none is an example.
_SCATTERED = (
    *(example(Array("n d"), indices("k 1"), Array("k d")),),
    *(example(Array("n d"), indices("k 2"), Array("k")),),
    *(example(Array("n d"), indices("k t 1"), Array("k t d")),),
)


@rule(
    *tensorflow_names(
        *(f"tensor_scatter_nd_{kind}" for kind in ("update", "add", "sub", "max", "min"))
    ),
    params="tensor, indices, updates, name=None",
    examples=_SCATTERED,
)
def scattered_into(call: Call) -> Value:
    """The array, with some of its parts replaced or changed."""
    array = call.tensor("tensor")
    if array.shape.fixed is None:
        raise Undetermined("the rank is not known")
    _require_updates(call, array.shape.axes)
    return array


@rule(
    *tensorflow_names("scatter_nd"),
    params="indices, updates, shape, name=None",
    examples=(
        *(example(indices("k 1"), Array("k 4"), [7, 4]), example(indices("k 1"), Array("k"), [5])),
    ),
)
def scattered(call: Call) -> Value:
    """Zeros of a shape, with the updates at their places."""
    if not isinstance(call["shape"], (tuple, list)):
        raise Undetermined("the shape is not known")
    shape = tuple(parts(call["shape"]))
    _require_updates(call, shape)
    return array_of(call, call["updates"]).with_shape(shape_of(shape))


def _require_updates(call: Call, shape: Sequence[Part]) -> None:
    """Require that there is an update for each index, of what that leaves of the axes."""
    where = array_of(call, call["indices"]).shape.fixed
    updates = array_of(call, call["updates"]).shape.fixed
    if where is None or updates is None or not where:
        raise Undetermined("the indices or updates are not known")
    depth = where[-1].dim.value
    if depth is None or depth > len(shape):
        raise Undetermined("how many axes an index takes is not known")
    _require_alike(call, "updates", (*where[:-1], *shape[depth:]), updates)
