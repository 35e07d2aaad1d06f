# SPDX-License-Identifier: Apache-2.0
"""Keras's layers over several arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.families.layout.joining import cat, tensors
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.keras.layers import keras_layer
from typedtensors.ops.steps.keras.ops import require_no_bias
from typedtensors.ops.steps.renaming import renamed
from typedtensors.shapes import ANY, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@keras_layer(
    *("Add", "Multiply", "Average", "Maximum", "Minimum", "Subtract"),
    examples=(
        *(example([Array("b n"), Array("b n")]).on(), example([Array("b n"), Array("b m")]).on()),
        *(example([Array("b t n"), Array("b 1 n")]).on(),),
        *(example((Array("*a n"), Array("*a n"))).on(),),
    ),
)
def merged(call: Call) -> Value:
    """Arrays of one rank, element by element."""
    arrays = tensors(call, "inputs")
    shapes = {array.shape for array in arrays}
    ranks = {shape.rank for shape in shapes}
    if len(ranks) > 1 or (len(shapes) > 1 and None in ranks):
        raise Undetermined("the ranks are not known to agree")
    _require_one_batch(call, arrays)
    if call.name in {"Add", "Average"}:
        for array in arrays[1:]:
            require_no_bias(arrays[0].shape, array.shape)
    operands = {f"inputs[{at}]": array for at, array in enumerate(arrays)}
    return Tensor(meet(call, operands), ANY)


def _require_one_batch(call: Call, arrays: list[Tensor]) -> None:
    """The first axis is not stretched. Raises Conflicting if it would be."""
    batches = [array.shape.prefix[0] for array in arrays if array.shape.prefix]
    for other in batches[1:]:
        if other.flexible or batches[0].flexible:
            raise Undetermined("a batch may be of size 1")
        if call.same(batches[0].dim, other.dim) is Verdict.DIFFERENT:
            where, wanted = f"`{call.name}`", str(batches[0])
            raise Conflicting(wording.axis_differs(where, 0, wanted, str(other)))


@keras_layer(
    "Concatenate",
    params="axis=-1",
    examples=(
        *(example([Array("b n"), Array("b m")]).on(), example([Array("b n"), Array("c m")]).on()),
        *(example([Array("b t n"), Array("b s n")]).on(axis=1),),
    ),
)
def concatenated(call: Call) -> Value:
    """The arrays behind each other on one axis; the others must agree."""
    arrays = tensors(call, "inputs")
    if any(array.shape.rank is None or array.shape.rank < 2 for array in arrays):
        raise Undetermined("the ranks are not known")
    found = renamed(cat, tensors="inputs", dim="axis")(call)
    assert isinstance(found, Tensor)  # noqa: S101 - that is what joins arrays
    return found.with_dtype(ANY)
