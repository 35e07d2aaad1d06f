# SPDX-License-Identifier: Apache-2.0
"""Attention with several heads as its layer calls it, and one step of recurrent layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.families.networks.attention import multihead
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import Signature, declare, results
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_SETTINGS: dict[str, object] = {"training": False}
_PLAIN = (8, 2, Array("24 8"), Array("24"), None, None, False, 0.0, Array("8 8"), Array("8"))


@rule(
    "torch.nn.functional.multi_head_attention_forward",
    params="query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, "
    "bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, "
    "key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False, "
    "q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, "
    "average_attn_weights=True, is_causal=False",
    examples=(
        example(Array("t b 8"), Array("s b 8"), Array("s b 8"), *_PLAIN),
        example(Array("t 8"), Array("s 8"), Array("s 8"), *_PLAIN, need_weights=False),
        example(Array("t b 8"), Array("s b 8"), Array("s c 8"), *_PLAIN),
    ),
)
def attend(call: Call) -> Value:
    """As the layer, with weights that are given."""
    size = call.dim("embed_dim_to_check")
    if call["use_separate_proj_weight"] is not False or call["static_k"] is not None:
        raise Undetermined("the weights of keys and values are not known")
    _require(call, "in_proj_weight", size * 3, size)
    _require(call, "in_proj_bias", size * 3)
    _require(call, "out_proj_weight", size, size)
    _require(call, "out_proj_bias", size)
    if (
        size.value is None
        or call.integer("num_heads") < 1
        or size.value % call.integer("num_heads")
    ):
        raise Undetermined("the heads may not divide the features")
    more = {"add_bias_kv": call["bias_k"] is not None, "batch_first": False}
    names = {"embed_dim": size, "kdim": None, "vdim": None}
    return multihead(replace_arguments(call, {**call.arguments, **more, **names}))


def _require(call: Call, name: str, *sizes: Dim) -> None:
    given = call[name]
    if given is None:
        return
    dtype = call.tensor("query").dtype
    if not isinstance(given, Tensor) or given.shape != Shape.of(*sizes) or given.dtype != dtype:
        raise Undetermined("the weights are not known to fit")


_CELL = "input, hx, w_ih, w_hh, b_ih=None, b_hh=None"
declare(
    "torch.gru_cell",
    sig="b i, b h, 3*h i, 3*h h -> b h",
    params=_CELL,
    examples=(example(Array("b i"), Array("b h"), Array("3*h i"), Array("3*h h")),),
)


@rule(
    *("torch.rnn_tanh_cell", "torch.rnn_relu_cell"),
    params=_CELL,
    examples=(example(Array("b i"), Array("b h"), Array("h i"), Array("h h")),),
)
def simple_cell(call: Call) -> Value:
    """The next hidden state."""
    if any(call.tensor(name).shape.rank != 2 for name in ("input", "hx")):
        raise Undetermined("torch adds states of other ranks")
    names = ("input", "hx", "w_ih", "w_hh")
    (found,) = results(call, Signature.parse("b i, b h, h i, h h -> b h"), names)
    return found
