# SPDX-License-Identifier: Apache-2.0
"""Rows of a table that indices name, alone or in bags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.loss import require_same_shape
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.shapes import Part

O = Dim.name("o")  # noqa: E741 - a size as the signatures name it


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
    "torch.embedding",
    params="weight, input, padding_idx=-1, scale_grad_by_freq=False, sparse=False",
    examples=(example(Array("v d"), indices("b t")), example(Array("v d"), indices("*a"))),
)
@rule(
    "torch.nn.functional.embedding",
    params="input, weight, padding_idx=None, max_norm=None, norm_type=2.0, "
    "scale_grad_by_freq=False, sparse=False",
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


_BAG = "max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False"


@layer(
    "torch.nn.EmbeddingBag",
    params=f"num_embeddings, embedding_dim, {_BAG}, _weight=None, include_last_offset=False, "
    "padding_idx=None, device=None, dtype=None",
    inputs="input, offsets=None, per_sample_weights=None",
    examples=(
        example(indices("b t")).on(10, O),
        example(indices("n"), indices("b")).on(10, 4, mode="sum"),
        example(indices("b t"), None, Array("b t")).on(10, 4, mode="sum"),
        example(indices("b t"), indices("b")).on(10, 4),
        example(indices("b t n")).on(10, 4),
    ),
)
def embedding_bag(call: Call) -> Tensor:
    """One row of `embedding_dim` for each bag of indices."""
    bags = _bags(call)
    return Tensor(Shape((bags, sized(call["embedding_dim"]))), _weight_dtype(call))


def _bags(call: Call) -> Part:
    """The axis of the bags: the rows of a matrix, or as many as a vector is cut into."""
    indices = call.tensor("input")
    _require_indices(call, indices)
    rank = indices.shape.rank
    if rank is None:
        raise Undetermined("whether the bags are rows is not known")
    if rank not in (1, 2):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "bag items", indices.shape.text))
    if isinstance(call["per_sample_weights"], Tensor):
        require_same_shape(call, "input", "per_sample_weights")
    if rank == 2 and call["offsets"] is None:
        return indices.shape.axes[0]
    if rank == 2 or call["offsets"] is None:
        problem = "a vector is cut by `offsets`, a matrix has a bag in each row"
        raise Conflicting(wording.misused(call.name, problem))
    offsets = call.tensor("offsets").shape
    if offsets.rank != 1 or call["include_last_offset"] is not False:
        raise Undetermined("the number of bags is not known")
    return offsets.axes[0]


@rule(
    "torch.nn.functional.embedding_bag",
    params=f"input, weight, offsets=None, {_BAG}, per_sample_weights=None, "
    "include_last_offset=False, padding_idx=None",
    examples=(
        example(indices("b t"), Array("v d")),
        example(indices("n"), Array("v d"), indices("b"), mode="sum"),
    ),
)
def embedding_bag_function(call: Call) -> Tensor:
    """As the layer, with the rows of `weight`."""
    bags, weight = _bags(call), call.tensor("weight")
    if weight.shape.rank != 2:
        raise Undetermined("the weight is not known to be a matrix")
    return Tensor(Shape((bags, weight.shape.axes[-1])), weight.dtype)
