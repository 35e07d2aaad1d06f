# SPDX-License-Identifier: Apache-2.0
"""What is no op of Keras's, but leads to code of the user's: losses and metrics of one's own."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtensors.ops import Framework, Unknown, Value
from typedtensors.shapes import ANY, Shape, Tensor
from typedtensors_mypy.interpreter.annotations.signature import signature_of
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method, keras_kind
from typedtensors_mypy.interpreter.calls.following import call_function
from typedtensors_mypy.interpreter.calls.keras.building import MEAN, REDUCTION
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import REPORTED, Function, Instance, of_framework
from typedtensors_mypy.source.keras_names import OF_EVERY_LAYER, Kind


def call_object(
    frame: Frame, node: ast.expr, instance: Instance, arguments: Arguments
) -> Value | None:
    """The value of calling a loss or a metric of the user's; None for any other object."""
    kind = keras_kind(frame.run, instance.cls)
    if kind is Kind.LOSS:
        return _call_loss(frame, node, instance, arguments)
    if kind is Kind.METRIC:
        return _call_metric(frame, node, instance, arguments)
    return None


def _call_loss(frame: Frame, node: ast.expr, instance: Instance, arguments: Arguments) -> Value:
    """Keras calls `call` with labels and predictions, weighs the losses and reduces them."""
    method = bound_method(frame, instance, "call")
    if method is None:
        return Unknown("a loss that is not followed")
    given, weights = _without_weights(_as_tensors(arguments))
    losses = call_function(frame, node, method, given)
    how = instance.attributes.get(REDUCTION, MEAN)
    if losses == REPORTED or (how in (None, "none") and weights is None):
        return losses
    if not isinstance(how, str) or how == "none":
        return Unknown("losses that are not reduced as is known")
    dtype = losses.dtype if isinstance(losses, Tensor) else ANY
    return of_framework(Tensor(Shape(()), dtype), Framework.TENSORFLOW)


def _as_tensors(arguments: Arguments) -> Arguments:
    """The arguments as a loss gets them: Keras makes tensors of NumPy's arrays."""
    made = tuple(of_framework(each, Framework.TENSORFLOW) for each in arguments.positional)
    named = arguments.keywords.items()
    keywords = {name: of_framework(value, Framework.TENSORFLOW) for name, value in named}
    return replace(arguments, positional=made, keywords=keywords)


def _without_weights(arguments: Arguments) -> tuple[Arguments, Value]:
    """The arguments without the weights of the samples, and those."""
    keywords = {**arguments.keywords}
    third = arguments.positional[2] if len(arguments.positional) > 2 else None
    weights = keywords.pop("sample_weight", third)
    return replace(arguments, positional=arguments.positional[:2], keywords=keywords), weights


def _call_metric(frame: Frame, node: ast.expr, instance: Instance, arguments: Arguments) -> Value:
    """Keras updates the state with the arguments, and gives the result."""
    update, result = (bound_method(frame, instance, name) for name in ("update_state", "result"))
    if update is None or result is None:
        return Unknown("a metric that is not followed")
    if call_function(frame, node, update, arguments) == REPORTED:
        return REPORTED
    return call_function(frame, node, result, Arguments())


def without_flags(frame: Frame, method: Function, arguments: Arguments) -> Arguments:
    """The arguments of a layer's `call`, which Keras spares those flags that it does not take."""
    parameters = signature_of(frame.run, method).parameters
    if any(parameter.kind == "**" for parameter in parameters):
        return arguments
    taken = {parameter.name for parameter in parameters}
    spared = OF_EVERY_LAYER - taken
    kept = {name: value for name, value in arguments.keywords.items() if name not in spared}
    return replace(arguments, keywords=kept)
