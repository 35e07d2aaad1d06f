# SPDX-License-Identifier: Apache-2.0
"""Attention, as a function and as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.reduction import require_inexact
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_FAMILY = "attention"


@rule(
    "torch.nn.functional.scaled_dot_product_attention",
    params="query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, "
    "enable_gqa=False",
    family=_FAMILY,
    examples=(
        example(Array("b h t d"), Array("b h s d"), Array("b h s e")),
        example(Array("*a t d"), Array("*a s d"), Array("*a s d")),
        example(Array("b t d"), Array("b s e"), Array("b s e")),
        example(Array("b h t d"), Array("b h t d"), Array("b h t d"), is_causal=True),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("t s", "Bool")),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("s t", "Bool")),
    ),
)
def attend(call: Call) -> Value:
    """One value for each query; keys and values come in pairs."""
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    if call["enable_gqa"] is not False:
        raise Undetermined("heads are shared")
    if any(array.shape.least_rank < 2 for array in (query, key, value)):
        raise Undetermined("the ranks may be too small")
    if len({array.dtype for array in (query, key, value)}) > 1:
        raise Undetermined("the dtypes may differ")
    _agree(call, "key", (query.shape, -1), (key.shape, -1))
    _require_pairs(call, key.shape, value.shape)
    batches = {name: _batch(array) for name, array in zip("qkv", (query, key, value), strict=True)}
    lead = batches["q"].shape
    if any(batch.shape != lead for batch in batches.values()):
        lead = meet(call, batches)
    length, width = query.shape.suffix[-2], value.shape.suffix[-1]
    _require_mask(call, Shape((*lead.axes, length, key.shape.suffix[-2])))
    return query.with_shape(Shape((*lead.axes, length, width)))


def _require_pairs(call: Call, key: Shape, value: Shape) -> None:
    """Keys and values come in pairs; torch does not look on every device."""
    one, other = key.suffix[-2:], value.suffix[-2:]
    if len(one) < 2 or len(other) < 2 or one[0].flexible or other[0].flexible:
        return
    if call.same(one[0].dim, other[0].dim) is Verdict.DIFFERENT:
        raise Undetermined("keys and values may not pair")


def _batch(array: Tensor) -> Tensor:
    if len(array.shape.suffix) < 2:
        raise Undetermined("the last axes are not known")
    return array.with_shape(Shape(array.shape.axes[:-2]))


def _agree(call: Call, name: str, one: tuple[Shape, int], other: tuple[Shape, int]) -> None:
    wanted, found = one[0].axis(one[1]), other[0].axis(other[1])
    if wanted is None or found is None or wanted.flexible or found.flexible:
        return
    if call.same(wanted.dim, found.dim) is Verdict.DIFFERENT:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.axis_differs(where, other[1], str(wanted), str(found)))


def _require_mask(call: Call, scores: Shape) -> None:
    """The mask broadcasts to the scores, a row for each query and a column for each key."""
    mask = call["attn_mask"]
    if not isinstance(mask, Tensor):
        return
    for index in (-2, -1):
        own, wanted = mask.shape.axis(index), scores.axis(index)
        if own is None or wanted is None or own.is_one or own.flexible or wanted.flexible:
            continue
        if call.facts.compare(own.dim, wanted.dim) is Verdict.DIFFERENT:
            where = wording.argument("attn_mask", call.name)
            raise Conflicting(wording.axis_differs(where, index, str(wanted), str(own)))
    if mask.shape.rank != 2 or mask.dtype.numbers is None or mask.dtype.text != "Bool":
        raise Undetermined("the mask may not broadcast")


_MULTIHEAD = (
    "embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, "
    "kdim=None, vdim=None, batch_first=False, device=None, dtype=None"
)
_INPUTS = (
    "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
    "average_attn_weights=True, is_causal=False"
)


@layer(
    "torch.nn.MultiheadAttention",
    params=_MULTIHEAD,
    inputs=_INPUTS,
    family=_FAMILY,
    examples=(
        example(Array("t b 8"), Array("s b 8"), Array("s b 8")).on(8, 2),
        example(Array("b t 8"), Array("b s 8"), Array("b s 8")).on(8, 4, batch_first=True),
        example(Array("t 8"), Array("s 8"), Array("s 8")).on(8, 1),
        example(Array("t b 6"), Array("s b 8"), Array("s b 8")).on(8, 2),
        example(Array("b t 8"), Array("b s 8"), Array("b t 8")).on(8, 2, batch_first=True),
        example(Array("t b 8"), Array("s b 8"), Array("s b 8"), need_weights=False).on(8, 2),
    ),
)
def multihead(call: Call) -> Value:
    """The shape of the query, and how much each query looked at each key."""
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    require_inexact(call, query)
    ranks = {array.shape.rank for array in (query, key, value)}
    if ranks not in ({2}, {3}):
        raise Undetermined("the ranks are not known to agree")
    if call["kdim"] is not None or call["vdim"] is not None:
        raise Undetermined("keys and values have sizes of their own")
    for array in (query, key, value):
        consume(call, array, -1, call["embed_dim"], "embed_dim")
    for at in range(len(key.shape.axes) - 1):
        _agree(call, "value", (key.shape, at), (value.shape, at))
    first = ranks == {3} and call.flag("batch_first")
    if ranks == {3}:
        batch = 0 if first else 1
        _agree(call, "key", (query.shape, batch), (key.shape, batch))
    return query, _weights(call, query.shape, key.shape)


def _weights(call: Call, query: Shape, key: Shape) -> Value:
    if call["need_weights"] is False:
        return None
    if call["need_weights"] is not True or call["average_attn_weights"] is not True:
        raise Undetermined("whether weights are returned is not known")
    sequence = 1 if query.rank == 3 and call.flag("batch_first") else 0
    batch = query.axes[1 - sequence : 2 - sequence] if query.rank == 3 else ()
    weights = Shape((*batch, query.axes[sequence], key.axes[sequence]))
    return Tensor(weights, call.tensor("query").dtype)


_ENCODER = (
    "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-5, "
    "batch_first=False, norm_first=False, bias=True, device=None, dtype=None"
)


@layer(
    "torch.nn.TransformerEncoderLayer",
    params=_ENCODER,
    inputs="src, src_mask=None, src_key_padding_mask=None, is_causal=False",
    family=_FAMILY,
    examples=(
        example(Array("t b 8")).on(8, 2, 4),
        example(Array("b t 8")).on(8, 2, 4, batch_first=True),
        example(Array("t b 6")).on(8, 2, 4),
    ),
)
def encode(call: Call) -> Value:
    """The shape of the input, whose last axis is `d_model`."""
    array = call.tensor("src")
    require_inexact(call, array)
    if array.shape.rank not in (2, 3, None):
        where = wording.argument("src", call.name)
        raise Conflicting(wording.rank_differs(where, "seq batch d_model", array.shape.text))
    consume(call, array, -1, call["d_model"], "d_model")
    return array
