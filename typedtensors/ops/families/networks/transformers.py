# SPDX-License-Identifier: Apache-2.0
"""Transformers and what they are made of: the shape of the sequence stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.layers import call_layer, consume, layer
from typedtensors.ops.rule import Array, Module, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.signals.sequences import (
    Sequences,
    require_batch,
    require_mask,
    require_padding,
    sequences,
)

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_OPTIONS = (
    "dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-5, "
    "batch_first=False, norm_first=False, bias=True, device=None, dtype=None"
)
_LAYER = f"d_model, nhead, {_OPTIONS}"


def _sequence(call: Call, name: str) -> Sequences:
    """The axes of an argument whose vectors have the size of the model."""
    array = call.tensor(name)
    require_inexact(call, array)
    consume(call, array, -1, call["d_model"], "d_model")
    return sequences(call, name)


@layer(
    "torch.nn.TransformerEncoderLayer",
    params=_LAYER,
    inputs="src, src_mask=None, src_key_padding_mask=None, is_causal=False",
    examples=(
        example(Array("t b 8")).on(8, 2, 4),
        example(Array("b t 8")).on(8, 2, 4, batch_first=True),
        example(Array("t b 6")).on(8, 2, 4),
        example(Array("t b 8"), Array("t t", "Bool"), Array("b t", "Bool")).on(8, 2, 4),
        example(Array("b t 8"), Array("2*b t t")).on(8, 2, 4, batch_first=True),
        example(Array("t 8"), src_key_padding_mask=Array("t", "Bool")).on(8, 2, 4),
        example(Array("t b 8"), src_key_padding_mask=Array("t b", "Bool")).on(8, 2, 4),
    ),
)
def encode(call: Call) -> Value:
    """The shape of the input, whose last axis is `d_model`."""
    own = _sequence(call, "src")
    require_padding(call, "src_key_padding_mask", own)
    require_mask(call, "src_mask", own, own, "nhead")
    return call.tensor("src")


_TARGET = (
    "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
    "memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False"
)


@layer(
    "torch.nn.TransformerDecoderLayer",
    params=_LAYER,
    inputs=_TARGET,
    examples=(
        example(Array("t b 8"), Array("s b 8")).on(8, 2, 4),
        example(Array("b t 8"), Array("b s 8")).on(8, 2, 4, batch_first=True),
        example(Array("t b 8"), Array("s b 6")).on(8, 2, 4),
        example(Array("t b 8"), Array("s c 8")).on(8, 2, 4),
        example(
            *(Array("t b 8"), Array("s b 8"), Array("t t", "Bool"), Array("t s", "Bool")),
            *(Array("b t", "Bool"), Array("b s", "Bool")),
        ).on(8, 2, 4),
    ),
)
def decode(call: Call) -> Value:
    """The shape of the target, which looks at itself and at the memory."""
    own, memory = _sequence(call, "tgt"), _sequence(call, "memory")
    return _decoded(call, own, memory, "memory")


def _decoded(call: Call, own: Sequences, memory: Sequences, name: str) -> Value:
    require_batch(call, name, own, memory)
    require_padding(call, "tgt_key_padding_mask", own)
    require_padding(call, "memory_key_padding_mask", memory)
    require_mask(call, "tgt_mask", own, own, "nhead")
    require_mask(call, "memory_mask", own, memory, "nhead")
    return call.tensor("tgt")


_ENCODER, _DECODER = (f"torch.nn.Transformer{part}coderLayer" for part in ("En", "De"))


@layer(
    "torch.nn.TransformerEncoder",
    params="encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True",
    inputs="src, mask=None, src_key_padding_mask=None, is_causal=None",
    examples=(
        example(Array("t b 8")).on(Module(_ENCODER, 8, 2, 4), 2),
        example(Array("t b 8"), Array("t t", "Bool")).on(Module(_ENCODER, 8, 2, 4), 2),
        example(Array("t b 6")).on(Module(_ENCODER, 8, 2, 4), 2),
        example(Array("t b 8"), Array("b t", "Bool")).on(Module(_ENCODER, 8, 2, 4), 2),
    ),
)
def encoder(call: Call) -> Value:
    """What each of its layers makes of the sequence."""
    given = (call["src"], call["mask"], call["src_key_padding_mask"])
    return _normed(call, call_layer(call, call["encoder_layer"], *given))


@layer(
    "torch.nn.TransformerDecoder",
    params="decoder_layer, num_layers, norm=None",
    inputs=_TARGET,
    examples=(
        example(Array("t b 8"), Array("s b 8")).on(Module(_DECODER, 8, 2, 4), 2),
        example(Array("t b 8"), Array("s b 8"), Array("t t", "Bool")).on(
            Module(_DECODER, 8, 2, 4), 2, Module("torch.nn.LayerNorm", 8)
        ),
        example(Array("t b 8"), Array("s b 8")).on(
            Module(_DECODER, 8, 2, 4), 2, Module("torch.nn.LayerNorm", 6)
        ),
        example(Array("t b 8"), Array("t b 6")).on(Module(_DECODER, 8, 2, 4), 2),
    ),
)
def decoder(call: Call) -> Value:
    """What each of its layers makes of the target and the memory."""
    masks = ("tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask")
    given = (call["tgt"], call["memory"], *(call[name] for name in masks))
    return _normed(call, call_layer(call, call["decoder_layer"], *given))


def _normed(call: Call, value: Value) -> Value:
    return value if call["norm"] is None else call_layer(call, call["norm"], value)


@layer(
    "torch.nn.Transformer",
    params="d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, "
    "dim_feedforward=2048, dropout=0.1, activation='relu', custom_encoder=None, "
    "custom_decoder=None, layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, "
    "device=None, dtype=None",
    inputs="src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
    "tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, "
    "tgt_is_causal=None, memory_is_causal=False",
    examples=(
        example(Array("s b 8"), Array("t b 8")).on(8, 2, 1, 1, 4),
        example(Array("b s 8"), Array("b t 8")).on(8, 2, 1, 1, 4, batch_first=True),
        example(Array("s b 8"), Array("t c 8")).on(8, 2, 1, 1, 4),
        example(Array("s b 8"), Array("t b 8"), tgt_mask=Array("t t", "Bool")).on(8, 2, 1, 1, 4),
    ),
)
def transform(call: Call) -> Value:
    """The shape of the target, which looks at itself and at the source."""
    source, own = _sequence(call, "src"), _sequence(call, "tgt")
    require_padding(call, "src_key_padding_mask", source)
    require_mask(call, "src_mask", source, source, "nhead")
    return _decoded(call, own, source, "src")
