# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers: what they give for a sequence, and the state they end in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_I, _H = Dim.name("i"), Dim.name("h")
_LAYER = (
    "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, "
    "bidirectional=False, proj_size=0, device=None, dtype=None"
)
_RNN = (
    "input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, "
    "dropout=0.0, bidirectional=False, device=None, dtype=None"
)
_CALLS = (
    example(Array("t b i")).on(_I, _H),
    example(Array("b t i")).on(_I, 5, batch_first=True),
    example(Array("t i")).on(_I, _H, 2, bidirectional=True),
    example(Array("b t i")).on(_I, _H, num_layers=2, batch_first=True, bidirectional=True),
    example(Array("b t 7")).on(6, _H),
    example(Array("t b s i")).on(_I, _H),
)
_STATE = (
    example(Array("t b i"), Array("1 b h")).on(_I, _H),
    example(Array("t b i"), Array("1 t h")).on(_I, _H),
)
_PAIR = (
    example(Array("t b i"), (Array("1 b h"), Array("1 b h"))).on(_I, _H),
    example(Array("t b i"), (Array("1 b h"), Array("2 b h"))).on(_I, _H),
)


@dataclass(frozen=True)
class _Run:
    """Shapes of one run: the output's, and those of the state and cell before and after it."""

    output: Shape
    state: Shape
    cell: Shape


@layer(
    "torch.nn.LSTM",
    params=_LAYER,
    inputs="input, hx=None",
    examples=(*_CALLS, *_PAIR, example(Array("t b i")).on(_I, 5, proj_size=3)),
)
def lstm(call: Call) -> Value:
    """The output of every step, and the pair of states after the last one."""
    run, dtype = _run(call), call.tensor("input").dtype
    given = call["hx"]
    if isinstance(given, (tuple, list)) and len(given) == 2:
        for state, wanted in zip(given, (run.state, run.cell), strict=True):
            _require_state(call, state, wanted)
    return Tensor(run.output, dtype), (Tensor(run.state, dtype), Tensor(run.cell, dtype))


for _name in ("GRU", "RNN"):

    @layer(
        f"torch.nn.{_name}",
        params=_RNN if _name == "RNN" else _LAYER,
        inputs="input, hx=None",
        examples=(*_CALLS, *_STATE),
    )
    def recurrent(call: Call) -> Value:
        """The output of every step, and the state after the last one."""
        run, dtype = _run(call), call.tensor("input").dtype
        _require_state(call, call["hx"], run.state)
        return Tensor(run.output, dtype), Tensor(run.state, dtype)


def _run(call: Call) -> _Run:
    array = call.tensor("input")
    require_inexact(call, array)
    axes = array.shape.fixed
    if axes is None:
        consume(call, array, -1, call["input_size"], "input_size")
        raise Undetermined("the rank of the input is not known")
    if len(axes) not in (2, 3):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "seq batch features", array.shape.text))
    consume(call, array, -1, call["input_size"], "input_size")
    hidden, directions = call.dim("hidden_size"), 2 if call.flag("bidirectional") else 1
    seen = _projected(call, hidden)
    batch: tuple[Part, ...] = ()
    if len(axes) == 3:
        batch = axes[:1] if call.flag("batch_first") else axes[1:2]
    layers = Axis(call.dim("num_layers") * directions)
    output = Shape((*axes[:-1], Axis(seen * directions)))
    state, cell = (Shape((layers, *batch, Axis(size))) for size in (seen, hidden))
    return _Run(output, state, cell)


def _projected(call: Call, hidden: Dim) -> Dim:
    """The size of the state, which a projection makes smaller than the cell."""
    size = call.arguments.get("proj_size", Dim.of(0))
    if size == Dim.of(0):
        return hidden
    if not isinstance(size, Dim) or not at_most(size + 1, hidden) or not at_most(Dim.of(1), size):
        raise Undetermined("the projection is not known to be smaller")
    return size


def _require_state(call: Call, state: Value, wanted: Shape) -> None:
    """The state that a run starts in has the shape of the one it ends in."""
    if not isinstance(state, Tensor):
        return
    where = wording.argument("hx", call.name)
    if state.shape.rank is not None and state.shape.rank != wanted.rank:
        raise Conflicting(wording.rank_differs(where, wanted.text, state.shape.text))
    for at, (own, needed) in enumerate(zip(state.shape.prefix, wanted.prefix, strict=False)):
        if own.flexible or needed.flexible:
            continue
        if call.same(own.dim, needed.dim) is Verdict.DIFFERENT:
            raise Conflicting(wording.axis_differs(where, at, str(needed), str(own)))


_CELL = "input_size, hidden_size, bias=True, device=None, dtype=None"
_CELLS = (
    example(Array("b i")).on(_I, _H),
    example(Array("i")).on(_I, 5),
    example(Array("b 7")).on(6, _H),
    example(Array("b t i")).on(_I, _H),
)


@layer("torch.nn.LSTMCell", params=_CELL, inputs="input, hx=None", examples=_CELLS)
def lstm_cell(call: Call) -> Value:
    """The pair of states after one step."""
    state = _stepped(call)
    return state, state


for _name in ("GRUCell", "RNNCell"):

    @layer(
        f"torch.nn.{_name}",
        params="input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None"
        if _name == "RNNCell"
        else _CELL,
        inputs="input, hx=None",
        examples=_CELLS,
    )
    def cell(call: Call) -> Value:
        """The state after one step."""
        return _stepped(call)


def _stepped(call: Call) -> Tensor:
    array = call.tensor("input")
    require_inexact(call, array)
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank of the input is not known")
    if len(axes) not in (1, 2):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch features", array.shape.text))
    consume(call, array, -1, call["input_size"], "input_size")
    return array.with_shape(Shape((*axes[:-1], Axis(call.dim("hidden_size")))))
