# SPDX-License-Identifier: Apache-2.0
"""The graph that a function or a model makes of arguments that are only described."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from typedtensors.guard.tensorflow.described import described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def graph_of(target: Any, specs: Sequence[Any]) -> Any:  # noqa: ANN401 - of TensorFlow or Keras
    """The graph of a target, which is called with what the specs describe.

    Raises: TypeError if the target cannot be called with them, or one describes no tensor.
    """
    if isinstance(target, tf.types.experimental.ConcreteFunction):
        return target.graph  # type: ignore[attr-defined]
    given = described(tuple(specs))
    if isinstance(target, tf.keras.layers.Layer):
        function, arguments = _of_keras(target, given)
    else:
        function, arguments = target, given
    traced = function if hasattr(function, "get_concrete_function") else tf.function(function)
    return traced.get_concrete_function(*arguments).graph


def _of_keras(layer: Any, specs: Sequence[Any]) -> tuple[Callable[..., Any], Sequence[Any]]:  # noqa: ANN401
    """The function to trace for a layer or a model, and its arguments."""
    if len(specs) > 1 and isinstance(layer, tf.keras.Model) and layer.compiled:
        return _plain(lambda *data: layer.train_step(data)), specs
    if not specs:
        inputs = getattr(layer, "inputs", None)
        if not inputs:
            msg = f"describe the inputs of `{layer.name}`: audit(model, tf.TensorSpec(...))"
            raise TypeError(msg)
        # As the model itself takes them: one, or a list, or by name.
        whole = inputs[0] if len(inputs) == 1 else layer.input
        specs = (described(whole),)
    training = {"training": True} if _takes_training(layer) else {}
    return _plain(lambda *inputs: layer(*inputs, **training)), specs


def _takes_training(layer: Any) -> bool:  # noqa: ANN401 - as above
    return "training" in inspect.signature(layer.call).parameters


def _plain(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - of TensorFlow
    # Keras traces its models without AutoGraph too.
    return tf.function(function, autograph=False)
