# SPDX-License-Identifier: Apache-2.0
"""What Keras's metrics share: they are called or updated, with weights, and come to one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.layers import layer, with_config
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example, indices
from typedtensors.ops.steps.axes.elements import agree
from typedtensors.ops.steps.keras.layers import FLOATS
from typedtensors.ops.steps.keras.losses import PRED, TRUE, of_one_rank
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

    Measure = Callable[[Call], Shape]

END = "name=None, dtype=None"
_B, _B1, _BN = Array("b"), Array("b 1"), Array("b n")
ROWS = (example(_BN, _BN), example(_BN, Array("b m")), example(_BN, _B1))
COLUMNS = (example(_B, _B1), example(_B1, _B), example(_B, _B))
PAIRS = (*ROWS, *COLUMNS)
CLASSES = (
    *(example(indices("b"), _BN), example(indices("b 1"), _BN), example(indices("m"), _BN)),
    example(indices("b t"), Array("b t n")),
)


def metric(
    name: str,
    measure: Measure,
    examples: tuple[Example, ...],
    params: str = END,
    inputs: str = f"{TRUE}, {PRED}, sample_weight=None",
) -> None:
    """Register a metric that comes to one number, of what `measure` says it is the mean of."""

    def apply(call: Call) -> Value:
        weigh(call, measure(call))
        if not call.op.endswith("update_state"):
            return number(call)
        # A confusion matrix is returned, which nobody looks at; other metrics return nothing.
        return Tensor(Shape.unknown()) if "IoU" in call.op else None

    full, called = f"keras.metrics.{name}", ("__call__", "update_state")
    layer(full, params=params, inputs=inputs, methods=called, examples=examples)(apply)
    made = tuple(Example(()).on(*each.layer.args) for each in examples[:1] if each.layer)
    rule(f"{full}.result", params="", examples=made)(with_config(number))


def number(call: Call) -> Tensor:
    """What a metric comes to."""
    return Tensor(Shape(()), FLOATS if call["dtype"] is None else ANY)


def weigh(call: Call, values: Shape) -> None:
    """The weights are those of the first axes. Raises Conflicting if there are more or fewer."""
    weight = call["sample_weight"]
    if not isinstance(weight, Tensor):
        return
    array, weights = of_one_rank(call, Tensor(values), weight)
    own, given = array.shape.fixed, weights.shape.fixed
    if own is None or given is None or len(given) > len(own):
        raise Undetermined("what is weighed is not known")
    for at, (axis, other) in enumerate(zip(own, given, strict=False)):
        if other.is_one or other.flexible or axis.flexible:
            continue
        if call.same(axis.dim, other.dim) is Verdict.DIFFERENT:
            where = wording.argument("sample_weight", call.name)
            raise Conflicting(wording.axis_differs(where, at, str(axis), str(other)))


def require_as_many(call: Call, true: Shape, pred: Shape) -> None:
    """Require as many labels as predictions, in whatever shape. Raises Conflicting otherwise."""
    if true == pred:
        return
    if true.count is None or pred.count is None:
        raise Undetermined("how many there are is not known")
    where = wording.argument(PRED, call.name)
    complaint = wording.count_differs(where, pred.text, true.text)
    agree(call, true.count, pred.count, complaint)


def weighed(examples: tuple[Example, ...], *settings: object) -> tuple[Example, ...]:
    """Calls of a metric; those of the first one's arrays are weighted too."""
    true, pred = examples[0].args
    weighed = example(true, pred, _B).on(*settings)
    return (*(each.on(*settings) for each in examples), weighed)
