# SPDX-License-Identifier: Apache-2.0
"""Layers with weights, containers, and the functions behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.layers import call_layer, consume, layer
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Module, example
from typedtensors.ops.signature import Signature, results
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.matmul import contract, require_axes, without_last
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

I, O = Dim.name("i"), Dim.name("o")  # noqa: E741 - sizes as the signatures name them
_C = Dim.name("c")
_BILINEAR = Signature.parse("*a i, *a j, o i j -> *a o")
_BIASED = Signature.parse("*a i, *a j, o i j, o -> *a o")


@layer(
    "torch.nn.Linear",
    params="in_features, out_features, bias=True, device=None, dtype=None",
    examples=(
        example(Array("b i")).on(I, O),
        example(Array("b t i")).on(I, O, bias=False),
        example(Array("*a i")).on(I, 10),
        example(Array("b 4")).on(4, O),
    ),
)
@layer(
    "torch.nn.LazyLinear",
    params="out_features, bias=True, device=None, dtype=None",
    examples=(example(Array("b i")).on(O), example(Array("b t i")).on(4)),
)
def linear(call: Call) -> Tensor:
    """The last axis, which must have `in_features`, becomes `out_features`."""
    array = call.tensor("input")
    require_axes(call, "input", array.shape, 1)
    require_inexact(call, array)
    consume(call, array, -1, call.arguments.get("in_features"), "in_features")
    shape = Shape((*without_last(array.shape).axes, sized(call["out_features"])))
    return Tensor(shape, array.dtype)


@layer(
    "torch.nn.Bilinear",
    params="in1_features, in2_features, out_features, bias=True, device=None, dtype=None",
    inputs="input1, input2",
    examples=(example(Array("b i"), Array("b o")).on(I, O, 3),),
)
def bilinear(call: Call) -> Tensor:
    """Two inputs that agree in all but their last axes."""
    one = call.tensor("input1")
    for name, size in (("input1", "in1_features"), ("input2", "in2_features")):
        require_axes(call, name, call.tensor(name).shape, 1)
        consume(call, call.tensor(name), -1, call[size], size)
    if one.shape.rank is None or call.tensor("input2").shape.rank != one.shape.rank:
        raise Undetermined("the ranks of the inputs are not known to agree")
    for at in range(one.shape.rank - 1):
        contract(call, ("input1", at), ("input2", at))
    return Tensor(Shape((*without_last(one.shape).axes, sized(call["out_features"]))), one.dtype)


@rule(
    "torch.nn.functional.bilinear",
    params="input1, input2, weight, bias=None",
    examples=(
        example(Array("b i"), Array("b j"), Array("o i j")),
        example(Array("*a i"), Array("*a j"), Array("o i j"), Array("o")),
        example(Array("b i"), Array("b j"), Array("o i k")),
        example(Array("b i"), Array("b j"), Array("o i j"), Array("i")),
    ),
)
def bilinear_function(call: Call) -> Tensor:
    """As the layer, with a weight of `out in1 in2`."""
    names: tuple[str, ...] = ("input1", "input2", "weight")
    signature = _BILINEAR
    if call["bias"] is not None:
        if call.tensor("bias").shape.rank != 1:
            raise Undetermined("torch adds a bias that broadcasts")
        names, signature = (*names, "bias"), _BIASED
    (found,) = results(call, signature, names)
    if len({call.tensor(name).dtype for name in names}) > 1:
        raise Undetermined("torch takes arrays of one dtype")
    return found


@layer(
    "torch.nn.DataParallel",
    params="module, device_ids=None, output_device=None, dim=0",
    inputs="*inputs",
    examples=(
        example(Array("b i")).on(Module("torch.nn.Linear", I, O)),
        example(Array("b 4")).on(Module("torch.nn.Linear", 8, O)),
    ),
)
def data_parallel(call: Call) -> Value:
    """What the module makes of a batch, which the devices share."""
    given = call["inputs"]
    if not isinstance(given, tuple):
        raise Undetermined("the inputs are not known")
    return call_layer(call, call["module"], *given)


@layer(
    "torch.nn.Sequential",
    params="*layers",
    examples=(
        example(Array("b i")).on(
            Module("torch.nn.Linear", I, 8),
            Module("torch.nn.ReLU"),
            Module("torch.nn.Linear", 8, O),
        ),
        example(Array("*a i")).on(Module("torch.nn.Linear", I, 8)),
        example(Array("b 4")).on(Module("torch.nn.Linear", 4, 8), Module("torch.nn.Linear", 7, 2)),
        example(Array("b i")).on(),
    ),
)
def sequential(call: Call) -> Value:
    """Each layer on what the one before it gives."""
    value, layers = call["input"], call["layers"]
    if not isinstance(layers, tuple):
        raise Undetermined("the layers are not known")
    if len(layers) == 1 and isinstance(layers[0], dict):
        layers = tuple(layers[0].values())
    for each in layers:
        value = call_layer(call, each, value)
    return value
