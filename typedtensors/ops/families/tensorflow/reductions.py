# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's sums, means and extremes, and what runs along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.tensorflow.unary import dtype_of
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import math_names, tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.reduction import TENSORFLOW, Words, folded, reduction, same
from typedtensors.ops.steps.axes.sizes import require_sizes
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_X = Array("b n d")
_RUN = Array("*a d")
_CALLS = (
    *(example(_X), example(_X, -1), example(_X, 1, True), example(_X, axis=[0, -1])),
    *(example(_X, axis=(0, 2), keepdims=True), example(_RUN, -1), example(_X, 3)),
    *(example(_X, [0, 0]), example(_X, ())),
)
_MASKS = (example(Array("b n", "Bool")), example(Array("b n", "Bool"), 1, keepdims=True))
_PARAMS = "input_tensor, axis=None, keepdims=False, name=None"

for _names, _examples in (
    (math_names("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"), _CALLS),
    (math_names("reduce_logsumexp"), _CALLS[:7]),
    (math_names("reduce_all", "reduce_any"), _MASKS),
    (tensorflow_names("math.reduce_euclidean_norm"), _CALLS),
):
    rule(*_names, params=_PARAMS, examples=_examples)(reduction(same, TENSORFLOW))


@rule(
    *tensorflow_names("math.reduce_std", "math.reduce_variance"),
    params=_PARAMS,
    examples=_CALLS[:7],
)
def spread(call: Call) -> Tensor:
    """How far from their mean the elements are; that of complex numbers is real."""
    return folded(call, promotion.real(call.tensor("input_tensor").dtype), TENSORFLOW)


_INPUT = Words("input", "axis", "keepdims")
_TENSOR = Words("tensor", "axis", "keepdims")


@rule(
    *math_names("argmax", "argmin"),
    params="input, axis=None, output_type=None, name=None",
    examples=(example(_X), example(_X, -1), example(_X, axis=1), example(_X, 3), example(_RUN, -1)),
)
def position_of_extreme(call: Call) -> Tensor:
    """Positions along one axis, the first one unless another is given."""
    axis = Dim.of(0) if call["axis"] is None else call["axis"]
    call.arguments = {**call.arguments, "axis": axis}
    given = call["output_type"]
    return folded(call, promotion.INT64 if given is None else dtype_of(given), _INPUT)


def _kept(call: Call) -> None:
    """`keepdims=None` is False."""
    if call["keepdims"] is None:
        call.arguments = {**call.arguments, "keepdims": False}


@rule(
    *tensorflow_names("math.count_nonzero"),
    params="input, axis=None, keepdims=None, dtype=None, name=None",
    examples=(example(_X), example(_X, -1), example(_X, [0, 1], True), example(_RUN, axis=-1)),
)
def count_nonzero(call: Call) -> Tensor:
    """The number of elements that are not 0, over axes."""
    _kept(call)
    given = call["dtype"]
    return folded(call, promotion.INT64 if given is None else dtype_of(given), _INPUT)


@rule(
    *tensorflow_names("norm", "linalg.norm"),
    params="tensor, ord='euclidean', axis=None, keepdims=None, name=None",
    examples=(
        *(example(_X), example(_X, axis=-1), example(_X, axis=[0, 1], keepdims=True)),
        *(example(_X, 1, 1), example(_RUN, axis=-1)),
    ),
)
def norm(call: Call) -> Tensor:
    """The norm of vectors along an axis, or of matrices along two."""
    _kept(call)
    dtype = call.tensor("tensor").dtype
    # Of complex numbers it is complex or real, as the order has it.
    return folded(call, dtype if promotion.real(dtype) == dtype else ANY, _TENSOR)


@rule(
    *tensorflow_names("nn.moments"),
    params="x, axes, shift=None, keepdims=False, name=None",
    examples=(example(_X, [0, 1]), example(_X, [-1], keepdims=True), example(_X, axes=0)),
)
def moments(call: Call) -> Value:
    """Mean and variance."""
    found = folded(call, call.tensor("x").dtype, Words("x", "axes", "keepdims"))
    return found, found


def along(array: str, axis: str = "axis", default: int = -1) -> Callable[[Call], Tensor]:
    """A rule: an op along one axis, which has to exist; the shape stays."""

    def apply(call: Call) -> Tensor:
        given = call.tensor(array)
        wanted = Dim.of(default) if call[axis] is None else call[axis]
        position(call, given.shape, wanted)
        return given

    return apply


_ALONG = (
    *(example(Array("b n"), axis=-1), example(Array("b n d"), 1), example(Array("*a n"), -1)),
    example(Array("b n"), 2),
)
rule(
    *tensorflow_names("nn.softmax", "nn.log_softmax", "math.softmax", "math.log_softmax"),
    params="logits, axis=None, name=None",
    examples=(*_ALONG, example(Array("b n"))),
)(along("logits"))

for _names in (
    math_names("cumsum"),
    tensorflow_names("math.cumprod", "math.cumulative_logsumexp"),
):
    rule(
        *_names,
        params="x, axis=0, exclusive=False, reverse=False, name=None",
        examples=(*_ALONG, example(Array("b n"), exclusive=True)),
    )(along("x"))

rule(
    *tensorflow_names("math.l2_normalize", "nn.l2_normalize", "linalg.l2_normalize"),
    params="x, axis=None, epsilon=1e-12, name=None",
    examples=(example(Array("b n"), axis=-1), example(Array("*a n"), -1), example(Array("b n"))),
)(lambda call: along("x")(call) if isinstance(call["axis"], Dim) else call.tensor("x"))

rule(
    *tensorflow_names("sort"),
    params="values, axis=-1, direction='ASCENDING', name=None",
    examples=(example(Array("b n")), example(Array("*a n"), -1), example(Array("b n"), 2)),
)(along("values"))

rule(
    *tensorflow_names("argsort"),
    params="values, axis=-1, direction='ASCENDING', stable=False, name=None",
    examples=(example(Array("b n")), example(Array("*a n"), -1)),
)(lambda call: along("values")(call).with_dtype(DType.exactly("int32")))


@rule(
    *tensorflow_names("math.top_k", "nn.top_k"),
    params="input, k=1, sorted=True, index_type=None, name=None",
    examples=(
        *(example(Array("b n"), 1), example(Array("b 5"), 3), example(Array("b 5"), 6)),
        *(example(Array("*a 5"), k=2), example(Array(""), 1)),
    ),
)
def top_k(call: Call) -> Value:
    """The largest elements of the last axis, and where they are."""
    array, count = call.tensor("input"), call["k"]
    if array.shape.rank == 0:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "... n", ""))
    last = array.shape.axis(-1)
    if last is None:
        raise Undetermined("the last axis is not known")
    if isinstance(count, Dim) and not last.flexible:
        require_sizes(call, (Axis(count),))
        if at_most(last.dim + 1, count):
            raise Conflicting(wording.misused(call.name, f"{count} of {last} elements"))
    new = Axis(count if isinstance(count, Dim) else Dim.fresh("k"))
    found = array.with_shape(array.shape.replace(len(array.shape.axes) - 1, new))
    given = call["index_type"]
    indices = found.with_dtype(DType.exactly("int32") if given is None else ANY)
    return Fields.of(values=found, indices=indices)


@rule(
    *tensorflow_names("math.zero_fraction", "nn.zero_fraction"),
    params="value, name=None",
    examples=(example(_X), example(Array("*a", "Int32"))),
)
def zero_fraction(call: Call) -> Tensor:
    """One number."""
    call.tensor("value")
    return Tensor(Shape(()), DType.exactly("float32"))
