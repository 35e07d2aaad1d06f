# SPDX-License-Identifier: Apache-2.0
"""Layers with weights, containers, and the functions behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.layers import call_layer, consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Module, example, indices
from typedtensors.ops.steps.matmul import contract, require_axes, without_last
from typedtensors.ops.steps.reduction import require_inexact
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_FAMILY = "modules"
I, O = Dim.name("i"), Dim.name("o")  # noqa: E741 - sizes as the signatures name them
_C = Dim.name("c")


def sized(value: Value) -> Axis:
    """An axis of the size a constructor was given; of unknown size if it was not an integer."""
    return Axis(value if isinstance(value, Dim) else Dim.fresh())


@layer(
    "torch.nn.Linear",
    params="in_features, out_features, bias=True, device=None, dtype=None",
    family=_FAMILY,
    examples=(
        example(Array("b i")).on(I, O),
        example(Array("b t i")).on(I, O, bias=False),
        example(Array("*a i")).on(I, 10),
        example(Array("b 4")).on(4, O),
    ),
)
def linear(call: Call) -> Tensor:
    """The last axis, which must have `in_features`, becomes `out_features`."""
    array = call.tensor("input")
    require_axes(call, "input", array.shape, 1)
    require_inexact(call, array)
    consume(call, array, -1, call["in_features"], "in_features")
    shape = Shape((*without_last(array.shape).axes, sized(call["out_features"])))
    return Tensor(shape, array.dtype)


@layer(
    "torch.nn.Bilinear",
    params="in1_features, in2_features, out_features, bias=True, device=None, dtype=None",
    inputs="input1, input2",
    family=_FAMILY,
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


def _require_indices(call: Call, array: Tensor) -> None:
    found = promotion.kinds(array.dtype)
    if found and found <= {"float", "complex"}:
        where = wording.argument("input", call.name)
        actual = promotion.text(array.dtype)
        hint = "convert with `.long()`"
        raise Conflicting(wording.dtype_differs(where, "Int64", actual, hint=hint))


@layer(
    "torch.nn.Embedding",
    params="num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, "
    "scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None",
    family=_FAMILY,
    examples=(
        example(indices("b t")).on(10, O),
        example(indices("*a")).on(20, 4),
    ),
)
def embedding(call: Call) -> Tensor:
    """One more axis, of `embedding_dim`."""
    indices = call.tensor("input")
    _require_indices(call, indices)
    shape = Shape((*indices.shape.axes, sized(call["embedding_dim"])))
    return Tensor(shape, _weight_dtype(call))


def _weight_dtype(call: Call) -> DType:
    """The dtype of weights made without one: the default, which the program may set."""
    given = call["dtype"]
    if isinstance(given, DType):
        return given
    return promotion.DEFAULT_FLOAT if given is None else ANY


@rule(
    "torch.nn.functional.embedding",
    params="input, weight, padding_idx=None, max_norm=None, norm_type=2.0, "
    "scale_grad_by_freq=False, sparse=False",
    family=_FAMILY,
    examples=(
        example(indices("b t"), Array("v d")),
        example(indices("*a"), Array("v d")),
    ),
)
def embedding_function(call: Call) -> Tensor:
    """The rows of `weight` that the input names."""
    indices, weight = call.tensor("input"), call.tensor("weight")
    _require_indices(call, indices)
    if weight.shape.rank != 2:
        raise Undetermined("the weight is not known to be a matrix")
    return Tensor(Shape((*indices.shape.axes, weight.shape.axes[-1])), weight.dtype)


@layer(
    "torch.nn.Sequential",
    params="*layers",
    family=_FAMILY,
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
