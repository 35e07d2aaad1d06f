# SPDX-License-Identifier: Apache-2.0
"""Keras's recurrent layers, and attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.keras_layers import computed, keras_layer, require_rank
from typedtensors.ops.steps.loss import require_axis
from typedtensors.ops.steps.sizes import sized
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


@keras_layer(
    "MultiHeadAttention",
    params="num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, "
    "attention_axes=None",
    inputs="query, value, key=None, query_mask=None, value_mask=None, key_mask=None, "
    "attention_mask=None, return_attention_scores=False, training=None, use_causal_mask=False",
    examples=(
        *(example(_X, _X).on(2, 3), example(_X, Array("b s e")).on(2, 3)),
        *(example(_X, Array("b s e"), Array("b s d")).on(2, 3, output_shape=_U),),
        *(example(_X, Array("n s e")).on(2, 3), example(_X, _X, use_causal_mask=True).on(2, 3)),
    ),
)
def attention(call: Call) -> Value:
    """Each element of the query as a mixture of values; the query's size unless one is given."""
    query, value = call.tensor("query").shape, call.tensor("value").shape
    if query.rank != 3 or value.rank != 3 or call["attention_axes"] is not None:
        raise Undetermined("the axes are not known")
    if call["return_attention_scores"] is not False:
        raise Undetermined("the scores are returned")
    require_axis(call, ("query", 0), ("value", 0))
    wanted = call["output_shape"]
    if isinstance(wanted, (tuple, list)):
        raise Undetermined("the output has several axes")
    last = query.axes[-1] if wanted is None else sized(wanted)
    return computed(call.tensor("query"), Shape((*query.axes[:-1], last)))
