# SPDX-License-Identifier: Apache-2.0
"""Distances, similarities and the losses built on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, on_layers
from typedtensors.ops.steps.axes.reduction import fold
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import dtype_of, require_one_rank, returned
from typedtensors.ops.steps.matmul import without_last
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_LEGACY = "size_average=None, reduce=None, reduction='mean'"
_PAIRS = (
    example(Array("b d"), Array("b d")),
    example(Array("b 1 d"), Array("1 c d")),
    example(Array("b d"), Array("b d"), eps=1e-6),
)


def _folded(call: Call, names: tuple[str, ...], dim: Value, *, keep: Value = False) -> Tensor:
    """Operands that meet, with one axis folded."""
    arrays = {name: call.tensor(name) for name in names}
    shape = meet(call, arrays)
    dtype = dtype_of(array.dtype for array in arrays.values())
    try:
        return Tensor(fold(call, shape, dim, keep), dtype)
    except Undetermined:
        return Tensor(Shape.unknown(), dtype)


_ALONG = (
    *_PAIRS,
    example(Array("*a d"), Array("*a d"), dim=-1),
    example(Array("n d"), Array("n d"), 0),
)


@rule(
    *("torch.cosine_similarity", "torch.nn.functional.cosine_similarity"),
    params="x1, x2, dim=1, eps=1e-08",
    examples=_ALONG,
)
@layer(
    "torch.nn.CosineSimilarity",
    params="dim=1, eps=1e-08",
    inputs="x1, x2",
    examples=(*on_layers(_PAIRS), example(Array("*a d"), Array("*a d")).on(-1)),
)
def cosine_similarity(call: Call) -> Tensor:
    """Operands that broadcast; one axis holds the vectors."""
    return _folded(call, ("x1", "x2"), call["dim"])


_LAST = (
    *(*_PAIRS, example(Array("*a d"), Array("*a d"), keepdim=True)),
    example(Array("b d"), Array("d"), 1.0),
)


@rule(
    *("torch.pairwise_distance", "torch.nn.functional.pairwise_distance"),
    params="x1, x2, p=2.0, eps=1e-06, keepdim=False",
    examples=_LAST,
)
@layer(
    "torch.nn.PairwiseDistance",
    params="p=2.0, eps=1e-06, keepdim=False",
    inputs="x1, x2",
    examples=on_layers(_LAST[:-1]),
)
def pairwise_distance(call: Call) -> Tensor:
    """Operands that broadcast; the last axis holds the vectors."""
    return _folded(call, ("x1", "x2"), Dim.of(-1), keep=call["keepdim"])


_RANKED = (
    example(Array("b"), Array("b"), Array("b")),
    example(Array("b n"), Array("b n"), Array("b n"), reduction="none"),
    example(Array("b 1"), Array("b"), Array("b")),
)


@rule(
    "torch.nn.functional.margin_ranking_loss",
    params=f"input1, input2, target, margin=0, {_LEGACY}",
    examples=_RANKED,
)
@layer(
    "torch.nn.MarginRankingLoss",
    params=f"margin=0.0, {_LEGACY}",
    inputs="input1, input2, target",
    examples=on_layers(_RANKED),
)
def margin_ranking_loss(call: Call) -> Tensor:
    """Three arrays of one rank, which broadcast."""
    names = ("input1", "input2", "target")
    require_one_rank(call, *names)
    arrays = {name: call.tensor(name) for name in names}
    shape = meet(call, arrays, names)
    return returned(call, shape, dtype_of(array.dtype for array in arrays.values()))


_TRIPLES = (
    example(Array("b d"), Array("b d"), Array("b d")),
    example(Array("b d"), Array("b d"), Array("b d"), reduction="none"),
    example(Array("b d"), Array("d"), Array("b d")),
)


@rule(
    "torch.nn.functional.triplet_margin_loss",
    params=f"anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, {_LEGACY}",
    examples=_TRIPLES,
)
@layer(
    "torch.nn.TripletMarginLoss",
    params=f"margin=1.0, p=2.0, eps=1e-06, swap=False, {_LEGACY}",
    inputs="anchor, positive, negative",
    examples=on_layers(_TRIPLES),
)
def triplet_margin_loss(call: Call) -> Tensor:
    """Three arrays of one rank: the anchor broadcasts with each, then the two distances do."""
    require_one_rank(call, "anchor", "positive", "negative")
    near = _folded(call, ("anchor", "positive"), Dim.of(-1))
    far = _folded(call, ("anchor", "negative"), Dim.of(-1))
    shape = meet(call, {"positive": near, "negative": far})
    return returned(call, shape, near.dtype if near.dtype == far.dtype else ANY)


_ALIKE = (
    example(Array("b d"), Array("b d"), Array("b d")),
    example(Array("b d"), Array("b d"), Array("b d"), reduction="none"),
)
_APART = "distance_function=None, margin=1.0, swap=False, reduction='mean'"


@rule(
    "torch.nn.functional.triplet_margin_with_distance_loss",
    params=f"anchor, positive, negative, *, {_APART}",
    examples=_ALIKE,
)
@layer(
    "torch.nn.TripletMarginWithDistanceLoss",
    params=f"*, {_APART}",
    inputs="anchor, positive, negative",
    examples=on_layers(_ALIKE),
)
def triplet_with_distance(call: Call) -> Tensor:
    """As the triplet loss; with another distance the shape is not known."""
    names = ("anchor", "positive", "negative")
    require_one_rank(call, *names)
    arrays = {name: call.tensor(name) for name in names}
    shapes = {array.shape for array in arrays.values()}
    if call["distance_function"] is not None or len(shapes) > 1:
        raise Undetermined("what the distance makes of the arrays is not known")
    dtype = dtype_of(array.dtype for array in arrays.values())
    (shape,) = shapes
    if shape.rank == 0:
        raise Undetermined("torch may let a scalar pass")
    return returned(call, without_last(shape), dtype)


_SIMILAR = (
    example(Array("b d"), Array("b d"), Array("b")),
    example(Array("b d"), Array("b d"), Array("b"), margin=0.5, reduction="none"),
    example(Array("d"), Array("d"), Array("")),
    example(Array("b d"), Array("b d"), Array("b 1")),
    example(Array("b d"), Array("c d"), Array("b")),
)


@rule(
    "torch.nn.functional.cosine_embedding_loss",
    params=f"input1, input2, target, margin=0.0, {_LEGACY}",
    examples=_SIMILAR,
)
@layer(
    "torch.nn.CosineEmbeddingLoss",
    params=f"margin=0.0, {_LEGACY}",
    inputs="input1, input2, target",
    examples=on_layers(_SIMILAR),
)
def cosine_embedding_loss(call: Call) -> Tensor:
    """Two rows of vectors, and for each pair whether they should be alike."""
    one, target = call.tensor("input1"), call.tensor("target")
    ranks = one.shape.rank, call.tensor("input2").shape.rank, target.shape.rank
    if None in ranks:
        raise Undetermined("the ranks are not known")
    if ranks not in ((1, 1, 0), (2, 2, 1)):
        where = wording.argument("target", call.name)
        texts = without_last(one.shape).text, target.shape.text
        raise Conflicting(wording.rank_differs(where, *texts))
    arrays = {name: call.tensor(name) for name in ("input1", "input2")}
    pairs = without_last(meet(call, arrays))
    shape = meet(call, {"input1": Tensor(pairs), "target": target})
    dtypes = dtype_of(array.dtype for array in (*arrays.values(), target))
    return returned(call, shape, dtypes if len({one.dtype, dtypes}) == 1 else ANY)
