# SPDX-License-Identifier: Apache-2.0
"""The cross entropy of what a linear map makes of the input: a map and a loss in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.families.losses.classification import cross_entropy
from typedtensors.ops.fields import Fields
from typedtensors.ops.layers import consume, layer, replace_arguments
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.promotion import INT64, kinds
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.sizes import parts, sized
from typedtensors.ops.steps.loss import require_axis
from typedtensors.shapes import Axis, Part, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_SETTINGS = "weight=None, reduction='mean', ignore_index=None, label_smoothing=0.0, options=None"


@rule(
    "torch.nn.functional.linear_cross_entropy",
    params=f"input, linear_weight, target, *, linear_bias=None, {_SETTINGS}",
    examples=(
        example(Array("b d"), Array("c d"), indices("b")),
        example(Array("d"), Array("c d"), indices("")),
        example(Array("b d"), Array("c k d"), indices("b k"), reduction="none"),
        example(Array("b d"), Array("c d"), Array("b c"), linear_bias=Array("c")),
        example(Array("b d"), Array("c e"), indices("b")),
        example(Array("b t d"), Array("c d"), indices("b t")),
        example(Array("b d"), Array("c d"), indices("b"), linear_bias=Array("d")),
    ),
)
def linear_cross_entropy(call: Call) -> Tensor:
    """As cross_entropy of the logits, which have the classes after the batch."""
    weight = call.tensor("linear_weight")
    if weight.shape.rank is None:
        raise Undetermined("the rank of the weight is not known")
    if weight.shape.rank < 2:
        where = wording.argument("linear_weight", call.name)
        raise Conflicting(wording.rank_differs(where, "classes ... features", weight.shape.text))
    features = weight.shape.suffix[-1]
    if not features.flexible:
        consume(call, call.tensor("input"), -1, features.dim, "linear_weight")
    _require_bias(call, weight)
    if weight.dtype != call.tensor("input").dtype:
        raise Undetermined("torch takes a weight of the input's dtype")
    return _of_logits(call, weight.shape.axes[:-1])


def _require_bias(call: Call, weight: Tensor) -> None:
    """A bias for each of the logits."""
    bias = call["linear_bias"]
    if bias is None:
        return
    if not isinstance(bias, Tensor) or bias.dtype != weight.dtype:
        raise Undetermined("the bias is not known")
    wanted, given = Shape(weight.shape.axes[:-1]).dims, bias.shape.dims
    if wanted is None or given is None:
        raise Undetermined("the bias is not known to fit")
    pairs = zip(wanted, given, strict=False)
    differ = len(wanted) != len(given)
    if differ or any(call.same(*pair) is Verdict.DIFFERENT for pair in pairs):
        where = wording.argument("linear_bias", call.name)
        text = Shape(weight.shape.axes[:-1]).text
        raise Conflicting(wording.shape_differs(where, text, bias.shape.text))


def _of_logits(call: Call, classes: tuple[Part, ...]) -> Tensor:
    array = call.tensor("input")
    if array.shape.rank not in (1, 2):
        if array.shape.rank is None:
            raise Undetermined("the rank of the input is not known")
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch features", array.shape.text))
    if array.shape.rank == 1 and len(classes) > 1:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch features", array.shape.text))
    logits = array.with_shape(Shape((*array.shape.axes[:-1], *classes)))
    target = call.tensor("target")
    if target.shape.rank != logits.shape.rank and target.shape.rank != logits.shape.least_rank - 1:
        raise Undetermined("the target is not known to fit")
    legacy = {"size_average": None, "reduce": None, "input": logits}
    return cross_entropy(replace_arguments(call, {**call.arguments, **legacy}))


@layer(
    "torch.nn.LinearCrossEntropyLoss",
    params="in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, "
    f"{_SETTINGS}",
    inputs="input, target",
    examples=(
        example(Array("b 8"), indices("b")).on(8, 3),
        example(Array("b 8"), indices("b 2")).on(8, 3, out_features=(2,), reduction="none"),
        example(Array("8"), indices("")).on(8, 3, bias=True),
        example(Array("b 8"), indices("b")).on(7, 3),
    ),
)
def linear_loss(call: Call) -> Tensor:
    """As the function, with a weight of its own."""
    array, more = call.tensor("input"), parts(call["out_features"])
    if array.shape.rank == 0:
        raise Undetermined("an input without features")
    consume(call, array, -1, call["in_features"], "in_features")
    classes: tuple[Part, ...] = (sized(call["num_classes"]), *more)
    if any(not isinstance(part, Axis) for part in classes):
        raise Undetermined("the axes of the loss are not known")
    return _of_logits(call, classes)


@layer(
    "torch.nn.AdaptiveLogSoftmaxWithLoss",
    params="in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, "
    "dtype=None",
    inputs="input, target",
    examples=(
        example(Array("b 8"), indices("b")).on(8, 20, [5, 10]),
        example(Array("8"), indices("")).on(8, 20, [5, 10]),
        example(Array("b 7"), indices("b")).on(8, 20, [5, 10]),
        example(Array("b 8"), indices("a")).on(8, 20, [5, 10]),
        example(Array("8"), indices("b")).on(8, 20, [5, 10]),
    ),
)
def adaptive_loss(call: Call) -> Value:
    """The log probability of each target, and the loss of all."""
    array, target = call.tensor("input"), call.tensor("target")
    if target.shape.rank is None or array.shape.rank is None or target.dtype != INT64:
        raise Undetermined("the target is not known")
    if target.shape.rank > 1 or array.shape.rank != target.shape.rank + 1:
        where = wording.argument("target", call.name)
        text = "" if array.shape.rank == 1 else "batch"
        raise Conflicting(wording.rank_differs(where, text, target.shape.text))
    consume(call, array, -1, call["in_features"], "in_features")
    if target.shape.rank:
        require_axis(call, ("input", 0), ("target", 0))
    if kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("the dtype of the weights is not known")
    return Fields.of(output=array.with_shape(target.shape), loss=array.with_shape(Shape(())))
