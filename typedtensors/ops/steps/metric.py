# SPDX-License-Identifier: Apache-2.0
"""What metrics share: a function, and a class whose objects are called or updated with arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.layers import layer, with_config
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import on_layers
from typedtensors.ops.steps.loss import require_same_shape
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.rule import Example

INPUTS = "preds, target"


def metric(
    function: str,
    made: str,
    *,
    settings: str,
    examples: tuple[Example, ...],
    apply: Callable[[Call], Tensor],
) -> None:
    """Register a metric under the name of its function and under that of its class.

    `settings` are the parameters that both have besides what is compared.
    """

    def updated(call: Call) -> None:
        apply(call)

    own = f"{settings}, **kwargs".lstrip(", ")
    named = f"{INPUTS}, {settings}".rstrip(", ")
    rule(f"torchmetrics.functional.{function}", params=named, examples=examples)(apply)
    layer(
        f"torchmetrics.{made}",
        params=own,
        inputs=INPUTS,
        examples=on_layers(examples),
    )(apply)
    _updating(made, updated, on_layers(examples))


def _updating(made: str, updated: Callable[[Call], None], examples: tuple[Example, ...]) -> None:
    """The method that gives nothing back; its constructor has a rule already."""
    rule(f"torchmetrics.{made}.update", params=INPUTS, examples=examples)(with_config(updated))


def same_shape(call: Call) -> Tensor:
    """A rule: predictions and targets of one shape, which give one number."""
    require_same_shape(call, "preds", "target")
    return one_number()


def one_number() -> Tensor:
    """The metric of everything, of whatever dtype."""
    return Tensor(Shape(()), ANY)


def require_validation(call: Call) -> None:
    """Metrics of classes look at shapes unless they are told not to."""
    if call.arguments.get("validate_args", True) is not True:
        raise Undetermined("the metric looks at no shapes")
