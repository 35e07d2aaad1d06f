# SPDX-License-Identifier: Apache-2.0
"""Keras's layers over products that are summed over an axis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.families.layout.joining import tensors
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_U = Dim.name("u")
_X = Array("b t d")
_EQUATION = re.compile(r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?")


@keras_layer(
    "Dot",
    params="axes, normalize=False",
    examples=(
        *(example([Array("b n"), Array("b n")]).on(1), example([_X, Array("b s d")]).on(2)),
        *(example([Array("b n"), Array("b m")]).on(1), example([_X, Array("b d s")]).on((2, 1))),
        *(example([_X, Array("n s d")]).on(-1), example([_X, Array("b d")]).on((2, 1))),
    ),
)
def dotted(call: Call) -> Value:
    """The products of both arrays, sample by sample, summed over one axis of each."""
    arrays = tensors(call, "inputs")
    if len(arrays) != 2 or any((array.shape.rank or 0) < 2 for array in arrays):
        raise Undetermined("the arrays are not known")
    axes = call["axes"]
    given = axes if isinstance(axes, (tuple, list)) else (axes, axes)
    if len(given) != 2:
        raise Undetermined("the axes are not known")
    one, other = (array.shape for array in arrays)
    at, beside = (position(call, s, each) for s, each in zip((one, other), given, strict=True))
    if 0 in (at, beside):
        raise Undetermined("the batch is summed over")
    for left, right in ((one.axes[0], other.axes[0]), (one.axes[at], other.axes[beside])):
        _require_equal(call, left, right)
    kept = [each for index, each in enumerate(one.axes) if index != at]
    rest = [each for index, each in enumerate(other.axes) if index not in (0, beside)]
    ones = [Axis(Dim.of(1))] if len(kept) + len(rest) == 1 else []
    return Tensor(Shape((*kept, *rest, *ones)), ANY)


def _require_equal(call: Call, wanted: object, given: object) -> None:
    if not isinstance(wanted, Axis) or not isinstance(given, Axis):
        raise Undetermined("an axis is not known")
    if wanted.flexible or given.flexible:
        raise Undetermined("an axis may be of size 1")
    if call.same(wanted.dim, given.dim) is Verdict.DIFFERENT:
        raise Conflicting(wording.sizes_misused(call.name, f"{wanted} meets {given}"))


@keras_layer(
    "EinsumDense",
    params="equation, output_shape, activation=None, bias_axes=None",
    examples=(
        *(
            example(_X).on("abc,cd->abd", output_shape=(None, 5)),
            example(Array("b d")).on("ab,bc->ac", 7),
        ),
        *(example(Array("b t d")).on("...x,xy->...y", 5, bias_axes="y"),),
        *(example(_X).on("abc,cde->abde", output_shape=(None, 2, 5), bias_axes="de"),),
        *(example(Array("b t h e")).on("abcd,cde->abe", output_shape=(None, 6)),),
        example(Array("b d")).on("abc,cd->abd", (None, 5)),
    ),
)
def einsum(call: Call) -> Value:
    """The axes that the equation names, of the sizes of the input or of `output_shape`."""
    equation, array = call["equation"], call.tensor("inputs")
    found = _EQUATION.fullmatch(equation) if isinstance(equation, str) else None
    axes = array.shape.fixed
    if found is None or axes is None:
        raise Undetermined("the equation or the rank is not known")
    left, names, right, _, _, made, _ = found.groups()
    elided = len(axes) - len(names)
    if elided < 0 or (elided and not (left or right)):
        where, wanted = wording.argument("inputs", call.name), " ".join(names)
        raise Conflicting(wording.rank_differs(where, wanted, array.shape.text))
    if left and right:
        raise Undetermined("axes are left out on both sides")
    first = elided if left else 0
    sizes = dict(zip(names, axes[first : first + len(names)], strict=True))
    others: list[Part] = [*axes[:elided]] if left else []
    rest: list[Part] = [] if left else [*axes[len(names) :]]
    given = _given(call, len(made), elided=bool(left and elided))
    middle = [_made(call, sizes.get(name), size) for name, size in zip(made, given, strict=True)]
    return computed(array, Shape((*others, *middle, *rest)))


def _given(call: Call, count: int, *, elided: bool) -> list[Value]:
    """The sizes that `output_shape` says, None where it leaves that to the input."""
    wanted = call["output_shape"]
    given = [*wanted] if isinstance(wanted, (tuple, list)) else [wanted]
    given = given if elided else [None, *given]
    if len(given) != count:
        raise Undetermined("the sizes of the output are not known")
    return given


def _made(call: Call, own: Axis | None, size: Value) -> Axis:
    if own is None or own.flexible:
        return sized(size)
    if isinstance(size, Dim):
        if call.requires(own.dim, size) is Verdict.DIFFERENT:
            raise Conflicting(wording.sizes_misused(call.name, f"{own} meets {size}"))
    elif size is not None:
        raise Undetermined("a size of the output is not known")
    return own
