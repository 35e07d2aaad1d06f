# SPDX-License-Identifier: Apache-2.0
"""Keras's layers that are made of other ones, and the cells of recurrent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.layers import call_layer
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, Module, example
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer, require_rank
from typedtensors.ops.value import Layer
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_K = "keras.layers."
_X = Array("b t d")
_U = Dim.name("u")
_LSTM, _GRU = Module(f"{_K}LSTM", _U), Module(f"{_K}GRU", 4, return_sequences=True)
_STATEFUL = Module(f"{_K}LSTM", 3, return_state=True)


@keras_layer(
    "Bidirectional",
    params="layer, merge_mode='concat', weights=None, backward_layer=None",
    inputs="sequences, initial_state=None, mask=None, training=None",
    examples=(
        *(example(_X).on(_LSTM), example(_X).on(_GRU), example(_X).on(_GRU, "sum")),
        *(example(_X).on(_LSTM, merge_mode=None), example(_X).on(_STATEFUL)),
        *(example(Array("b d")).on(_LSTM), example(_X).on(_STATEFUL, "ave")),
    ),
)
def both_ways(call: Call) -> Value:
    """What the layer makes of sequences and of reversed ones, beside each other."""
    if call["backward_layer"] is not None:
        raise Undetermined("another layer runs backward")
    found = call_layer(call, call["layer"], call.tensor("sequences"))
    output, *states = found if isinstance(found, (list, tuple)) else (found,)
    if not isinstance(output, Tensor) or not output.shape.suffix:
        raise Undetermined("what the layer gives is not known")
    how = call["merge_mode"]
    if how is None:
        merged: tuple[Value, ...] = (output, output)
    elif how == "concat":
        merged = (_twice_as_wide(output),)
    elif isinstance(how, str):
        merged = (output,)
    else:
        raise Undetermined("how both are merged is not known")
    whole = (*merged, *states, *states)
    return whole if len(whole) > 1 else whole[0]


def _twice_as_wide(array: Tensor) -> Tensor:
    last = array.shape.suffix[-1]
    return array.with_shape(Shape((*array.shape.axes[:-1], Axis(last.dim * 2))))


@keras_layer(
    "TimeDistributed",
    params="layer",
    inputs="inputs, training=None, mask=None",
    examples=(
        *(example(_X).on(Module(f"{_K}Dense", _U)), example(_X).on(Module(f"{_K}Dropout", 0.5))),
        *(example(Array("b t 9 9 3")).on(Module(f"{_K}Conv2D", 4, 3)),),
        *(example(Array("b t h w c")).on(Module(f"{_K}GlobalAveragePooling2D")),),
        *(example(Array("b t h")).on(Module(f"{_K}Conv1D", 4, 3)),),
    ),
)
def at_each_time(call: Call) -> Value:
    """The layer on what there is at each time; the second axis counts the times."""
    array = call.tensor("inputs")
    axes = array.shape.axes
    if len(array.shape.prefix) < 2 or array.shape.least_rank < 3:
        raise Undetermined("the times are not known")
    found = call_layer(call, call["layer"], array.with_shape(Shape((axes[0], *axes[2:]))))
    if not isinstance(found, Tensor) or not found.shape.prefix:
        raise Undetermined("what the layer gives is not known")
    first, *rest = found.shape.axes
    return found.with_shape(Shape((first, axes[1], *rest)))


@keras_layer(
    "SpectralNormalization",
    params="layer, power_iterations=1",
    examples=(
        *(example(_X).on(Module(f"{_K}Dense", _U)), example(_X).on(Module(f"{_K}Conv1D", 4, 1))),
        example(Array("b h w c")).on(Module(f"{_K}Conv2D", 4, 3, padding="same")),
    ),
)
def as_inner(call: Call) -> Value:
    """What the layer gives."""
    return call_layer(call, call["layer"], call.tensor("inputs"))


_CELLS = ("LSTMCell", "GRUCell", "SimpleRNNCell")
_CELL = Module(f"{_K}LSTMCell", _U)
_TWO = [Module(f"{_K}GRUCell", 3), Module(f"{_K}GRUCell", 5)]


for _name, _count in (("LSTMCell", 2), ("GRUCell", 1), ("SimpleRNNCell", 1)):

    @keras_layer(
        _name,
        params="units, activation='tanh'",
        inputs="inputs, states, training=False",
        examples=(
            example(Array("b d"), [Array("b 4")] * _count).on(4),
            example(Array("b n"), [Array("b u")] * _count).on(_U),
        ),
    )
    def step(call: Call) -> Value:
        """The output of one step, and the states after it."""
        array, states = call.tensor("inputs"), call["states"]
        if array.shape.rank != 2 or not isinstance(states, (list, tuple)):
            raise Undetermined("the rank or the states are not known")
        after = computed(array, Shape((array.shape.axes[0], sized(call["units"]))))
        if any(not isinstance(each, Tensor) or each.shape != after.shape for each in states):
            raise Undetermined("the states may not fit")
        return after, [after] * len(states)


@keras_layer(
    "RNN",
    params="cell, return_sequences=False, return_state=False",
    inputs="sequences, initial_state=None, mask=None, training=False",
    examples=(
        *(example(_X).on(_CELL), example(_X).on(_CELL, True), example(_X).on(_TWO)),
        *(example(_X).on(_CELL, return_sequences=True), example(Array("b d")).on(_CELL)),
    ),
)
def over_steps(call: Call) -> Value:
    """The output of the cell after the last step, or of every step."""
    require_rank(call, "sequences", 3, "b t d", exact=True)
    array, cells = call.tensor("sequences"), call["cell"]
    last = cells[-1] if isinstance(cells, (list, tuple)) and cells else cells
    known = isinstance(last, Layer) and last.name.rpartition(".")[2] in _CELLS
    if array.shape.rank is None or not isinstance(last, Layer) or not known:
        raise Undetermined("the cell is not known")
    if call["return_state"] is not False:
        raise Undetermined("the states are returned")
    batch, steps, _ = array.shape.axes
    times = (steps,) if call.flag("return_sequences") else ()
    return computed(array, Shape((batch, *times, sized(last.config["units"]))))
