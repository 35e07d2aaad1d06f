# SPDX-License-Identifier: Apache-2.0
"""Keras's attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.families.layout.joining import tensors
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.sizes import sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer
from typedtensors.ops.steps.loss import require_axis
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_U = Dim.name("u")
_X, _V = Array("b t d"), Array("b s e")


@keras_layer(
    "MultiHeadAttention",
    params="num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, "
    "attention_axes=None",
    inputs="query, value, key=None, query_mask=None, value_mask=None, key_mask=None, "
    "attention_mask=None, return_attention_scores=False, training=None, use_causal_mask=False",
    examples=(
        *(example(_X, _X).on(2, 3), example(_X, _V).on(2, 3)),
        *(example(_X, _V, Array("b s d")).on(2, 3, output_shape=_U),),
        *(example(_X, Array("n s e")).on(2, 3), example(_X, _X, use_causal_mask=True).on(2, 3)),
        example(_X, _V, return_attention_scores=True).on(2, 3),
    ),
)
def attention(call: Call) -> Value:
    """Each element of the query as a mixture of values; the query's size unless one is given."""
    query, value = call.tensor("query").shape, call.tensor("value").shape
    if query.rank != 3 or value.rank != 3 or call["attention_axes"] is not None:
        raise Undetermined("the axes are not known")
    require_axis(call, ("query", 0), ("value", 0))
    wanted = call["output_shape"]
    if isinstance(wanted, (tuple, list)):
        raise Undetermined("the output has several axes")
    last = query.axes[-1] if wanted is None else sized(wanted)
    mixed = computed(call.tensor("query"), Shape((*query.axes[:-1], last)))
    return _with_scores(call, mixed, sized(call["num_heads"]))


def _with_scores(call: Call, mixed: Tensor, *heads: Axis) -> Value:
    """The result, and beside it how much each element of the query takes of each value."""
    asked = call["return_attention_scores"]
    if not isinstance(asked, bool):
        raise Undetermined("whether the scores are returned is not known")
    if not asked:
        return mixed
    batch, length, _ = mixed.shape.axes
    return mixed, mixed.with_shape(
        Shape((batch, *heads, length, call.tensor("value").shape.axes[1]))
    )


@keras_layer(
    "GroupQueryAttention",
    params="head_dim, num_query_heads, num_key_value_heads, dropout=0.0, use_bias=True",
    inputs="query, value, key=None, query_mask=None, value_mask=None, key_mask=None, "
    "attention_mask=None, return_attention_scores=False, training=None, use_causal_mask=False",
    examples=(
        *(example(_X, _X).on(3, 4, 2), example(_X, Array("b s d")).on(3, 4, 2)),
        *(example(_X, Array("b s d"), Array("b s d")).on(3, 2, 1),),
        example(_X, Array("n s d")).on(3, 4, 2),
    ),
)
def grouped_attention(call: Call) -> Value:
    """Each element of the query as a mixture of values, of the query's size."""
    query, value = call.tensor("query").shape, call.tensor("value").shape
    key = call["value"] if call["key"] is None else call["key"]
    if (query.rank, value.rank) != (3, 3) or not isinstance(key, Tensor) or key.shape.rank != 3:
        raise Undetermined("the axes are not known")
    require_axis(call, ("query", 0), ("value", 0))
    if key.shape.axes[:2] != value.axes[:2]:
        raise Undetermined("there may not be a key for each value")
    mixed = computed(call.tensor("query"), query)
    return _with_scores(call, mixed, sized(call["num_query_heads"]))


_DOTS = (
    *(example([_X, Array("b s d")]).on(), example([_X, Array("b s d"), Array("b s d")]).on()),
    *(example([_X, Array("b s n")]).on(), example([_X, Array("b s e"), Array("b s d")]).on()),
    example([_X, Array("n s d")]).on(),
)


@keras_layer("Attention", params="use_scale=False, score_mode='dot'", examples=_DOTS)
@keras_layer("AdditiveAttention", params="use_scale=True", examples=_DOTS)
def plain_attention(call: Call) -> Value:
    """Elements of a query as mixtures of values, by the keys of these: `[query, value, key]`."""
    if not isinstance(call["inputs"], list):
        raise Undetermined("not a list of a query, values and keys")
    found = tensors(call, "inputs")
    query, value, *rest = [array.shape for array in found]
    key = rest[0] if rest else value
    if {shape.rank for shape in (query, value, key)} != {3}:
        raise Undetermined("the ranks are not known")
    for name, one, other in (
        *(("query", query.axes[0], value.axes[0]), ("key", query.axes[0], key.axes[0])),
        *(("key", query.axes[2], key.axes[2]), ("value", key.axes[1], value.axes[1])),
    ):
        _require(call, name, one, other)
    return computed(found[0], Shape((*query.axes[:2], value.axes[2])))


def _require(call: Call, name: str, wanted: object, given: object) -> None:
    if not isinstance(wanted, Axis) or not isinstance(given, Axis):
        raise Undetermined("an axis is not known")
    if wanted.flexible or given.flexible or wanted.is_one or given.is_one:
        raise Undetermined("an axis may be of size 1, and stretched")
    if call.same(wanted.dim, given.dim) is Verdict.DIFFERENT:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.axis_differs(where, 0, str(wanted), str(given)))
