# SPDX-License-Identifier: Apache-2.0
"""Keras's recurrent layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer, require_rank
from typedtensors.shapes import Shape

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_U = Dim.name("u")
_X = Array("b t d")
_RUNS = (
    *(example(_X).on(_U), example(_X).on(4, return_sequences=True), example(Array("b d")).on(4)),
    *(example(_X).on(_U, return_state=True), example(_X).on(3, "relu")),
)


@keras_layer(
    *("LSTM", "GRU", "SimpleRNN"),
    params="units, activation='tanh', *, return_sequences=False, return_state=False",
    inputs="sequences, initial_state=None, mask=None, training=False",
    examples=_RUNS,
)
def recurrent(call: Call) -> Value:
    """The output after the last step, or that of every step; with `return_state` the states too."""
    require_rank(call, "sequences", 3, "b t d", exact=True)
    array = call.tensor("sequences")
    shape = array.shape
    if shape.rank is None:
        raise Undetermined("the rank is not known")
    batch, steps, _ = shape.axes
    last = computed(array, Shape((batch, sized(call["units"]))))
    every = computed(array, Shape((batch, steps, sized(call["units"]))))
    output = every if call.flag("return_sequences") else last
    if not call.flag("return_state"):
        return output
    return [output, *[last] * (2 if "LSTM" in call.op else 1)]
