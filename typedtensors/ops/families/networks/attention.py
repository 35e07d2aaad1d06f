# SPDX-License-Identifier: Apache-2.0
"""Attention, as a function and as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, divide
from typedtensors.ops import promotion
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.signals.sequences import (
    Sequences,
    agree,
    require_batch,
    require_mask,
    require_padding,
    sequences,
)
from typedtensors.shapes import Axis, Shape, Tensor
from typedtensors.shapes.broadcast import broadcast

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    "torch.nn.functional.scaled_dot_product_attention",
    params="query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, "
    "enable_gqa=False",
    examples=(
        example(Array("b h t d"), Array("b h s d"), Array("b h s e")),
        example(Array("*a t d"), Array("*a s d"), Array("*a s d")),
        example(Array("b t d"), Array("b s e"), Array("b s e")),
        example(Array("b h t d"), Array("b h t d"), Array("b h t d"), is_causal=True),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("t s", "Bool")),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("s t", "Bool")),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("t s")),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("b 1 t s", "Bool")),
        example(Array("b h t d"), Array("b h s d"), Array("b h s d"), Array("b 1 1 s", "Bool")),
        example(Array("b 8 t d"), Array("b 2 s d"), Array("b 2 s d"), enable_gqa=True),
        example(Array("b 2*h t d"), Array("b h s d"), Array("b h s d"), enable_gqa=True),
        example(Array("b 8 t d"), Array("b 3 s d"), Array("b 3 s d"), enable_gqa=True),
    ),
)
def attend(call: Call) -> Value:
    """One value for each query; keys and values come in pairs."""
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    if any(array.shape.least_rank < 2 for array in (query, key, value)):
        raise Undetermined("the ranks may be too small")
    if len({array.dtype for array in (query, key, value)}) > 1:
        raise Undetermined("the dtypes may differ")
    agree(call, "key", (query.shape, -1), (key.shape, -1))
    _require_pairs(call, key.shape, value.shape)
    batches = {name: _batch(array) for name, array in zip("qkv", (query, key, value), strict=True)}
    if call.flag("enable_gqa"):
        batches = {name: _with_heads(call, batch, batches["q"]) for name, batch in batches.items()}
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


def _with_heads(call: Call, batch: Tensor, queries: Tensor) -> Tensor:
    """Each head of keys and values repeated for a group of the queries' heads."""
    own, wanted = batch.shape.axis(-1), queries.shape.axis(-1)
    if own is None or wanted is None or own.flexible or wanted.flexible:
        raise Undetermined("the heads are not known")
    heads, groups = call.facts.resolve(wanted.dim), call.facts.resolve(own.dim)
    if divide(heads, groups) is not None:
        return batch.with_shape(batch.shape.replace(len(batch.shape.axes) - 1, wanted))
    if heads.value is None or groups.value is None:
        raise Undetermined("the heads may not divide")
    problem = f"{heads} heads of queries are no multiple of {groups} heads of keys and values"
    raise Conflicting(wording.sizes_misused(call.name, problem))


def _require_mask(call: Call, scores: Shape) -> None:
    """The mask broadcasts to the scores, a row for each query and a column for each key."""
    mask = call["attn_mask"]
    if not isinstance(mask, Tensor):
        return
    outcome = broadcast((scores, mask.shape), call.facts)
    if outcome.shape is None:
        where = wording.argument("attn_mask", call.name)
        raise Conflicting(wording.shape_differs(where, scores.text, mask.shape.text))
    if outcome.shape != scores or mask.shape.least_rank < 2:
        raise Undetermined("the mask may widen the scores")
    call.facts = outcome.facts
    if mask.dtype not in (promotion.BOOL, call.tensor("query").dtype):
        raise Undetermined("the mask may be of a dtype that does not do")


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
    examples=(
        example(Array("t b 8"), Array("s b 8"), Array("s b 8")).on(8, 2),
        example(Array("b t 8"), Array("b s 8"), Array("b s 8")).on(8, 4, batch_first=True),
        example(Array("t 8"), Array("s 8"), Array("s 8")).on(8, 1),
        example(Array("t b 6"), Array("s b 8"), Array("s b 8")).on(8, 2),
        example(Array("b t 8"), Array("b s 8"), Array("b t 8")).on(8, 2, batch_first=True),
        example(Array("t b 8"), Array("s b 8"), Array("s b 8"), need_weights=False).on(8, 2),
        example(Array("t b 8"), Array("s b 6"), Array("s b 4")).on(8, 2, kdim=6, vdim=4),
        example(
            *(Array("t b 8"), Array("s b 8"), Array("s b 8")),
            *(Array("b s", "Bool"), True, Array("t s", "Bool")),
        ).on(8, 2),
        example(
            *(Array("b t 8"), Array("b s 8"), Array("b s 8")),
            attn_mask=Array("2*b t s", "Bool"),
            average_attn_weights=False,
        ).on(8, 2, add_zero_attn=True, batch_first=True),
        example(Array("b t 8"), Array("b s 8"), Array("b s 8"), Array("s b", "Bool")).on(
            8, 2, batch_first=True
        ),
        example(Array("t 8"), Array("s 8"), Array("s 8"), attn_mask=Array("s t", "Bool")).on(8, 2),
    ),
)
def multihead(call: Call) -> Value:
    """The shape of the query, and how much each query looked at each key."""
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    require_inexact(call, query)
    asking, seen = sequences(call, "query"), sequences(call, "key")
    own = {"query": None, "key": "kdim", "value": "vdim"}
    for name, size in own.items():
        given = call[size] if size is not None else None
        needed = ("embed_dim", call["embed_dim"]) if given is None else (size or "", given)
        consume(call, call.tensor(name), -1, needed[1], needed[0])
    require_batch(call, "key", asking, seen)
    require_batch(call, "value", asking, sequences(call, "value"))
    for at in range(len(key.shape.axes) - 1):
        agree(call, "value", (key.shape, at), (value.shape, at))
    require_padding(call, "key_padding_mask", seen)
    require_mask(call, "attn_mask", asking, seen, "num_heads")
    return query, _weights(call, asking, seen)


def _weights(call: Call, asking: Sequences, seen: Sequences) -> Value:
    """How much each query looked at each key: the average over heads, or of each."""
    if call["need_weights"] is False:
        return None
    if call["need_weights"] is not True:
        raise Undetermined("whether weights are returned is not known")
    batch = () if asking.batch is None else (asking.batch,)
    heads = () if call.flag("average_attn_weights") else (sized(call["num_heads"]),)
    added = int(call.flag("add_bias_kv")) + int(call.flag("add_zero_attn"))
    columns = Axis(Dim.fresh()) if seen.length.flexible else Axis(seen.length.dim + added)
    weights = Shape((*batch, *heads, asking.length, columns))
    return Tensor(weights, call.tensor("query").dtype)
