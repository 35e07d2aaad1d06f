# SPDX-License-Identifier: Apache-2.0
"""Losses as torch's functions call them, with a number for the reduction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.families.losses.distances import (
    cosine_embedding_loss,
    triplet_margin_loss,
)
from typedtensors.ops.families.losses.margins import ctc_loss
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.loss import compared

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Tensor

_REDUCTIONS = ("none", "mean", "sum")


def numbered(loss: Callable[[Call], Tensor]) -> Callable[[Call], Value]:
    """The rule of a loss whose reduction is a number."""

    def apply(call: Call) -> Value:
        number = call.integer("reduction")
        if not 0 <= number < len(_REDUCTIONS):
            raise Undetermined("there is no such reduction")
        more = {"reduce": None, "size_average": None, "reduction": _REDUCTIONS[number]}
        return loss(replace_arguments(call, {"weight": None, **call.arguments, **more}))

    return apply


_SAME = (example(Array("b n"), Array("b n"), reduction=1), example(Array("b n"), Array("b n")))

_ENTROPY = compared("input", "target", weights=("weight", "pos_weight"))


def _entropy(call: Call) -> Tensor:
    if call.tensor("input").shape != call.tensor("target").shape:
        raise Undetermined("whether the shapes broadcast depends on the order of torch's steps")
    return _ENTROPY(call)


rule(
    "torch.binary_cross_entropy_with_logits",
    params="input, target, weight=None, pos_weight=None, reduction=0",
    examples=(
        *_SAME,
        example(Array("b n"), Array("b n"), Array("n"), Array("n"), 2),
    ),
)(numbered(_entropy))

rule(
    "torch.kl_div",
    params="input, target, reduction=0, *, log_target=False",
    examples=(*_SAME, example(Array("b n"), Array("n"), 2)),
)(numbered(compared("input", "target")))

rule(
    "torch.hinge_embedding_loss",
    params="input, target, margin=1.0, reduction=0",
    examples=_SAME,
)(numbered(compared("input", "target")))

rule(
    "torch.poisson_nll_loss",
    params="input, target, log_input, full, eps, reduction",
    examples=(
        example(Array("b n"), Array("b n"), True, False, 1e-8, 2),
        example(Array("b n"), Array("b n"), True, True, 1e-8, 1),
    ),
)(numbered(compared("input", "target")))

rule(
    "torch.margin_ranking_loss",
    params="input1, input2, target, margin=0.0, reduction=0",
    examples=(
        example(Array("n"), Array("n"), Array("n"), reduction=1),
        example(Array("n"), Array("m"), Array("n")),
    ),
)(numbered(compared("input1", "input2", "target")))

rule(
    "torch.triplet_margin_loss",
    params="anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=0",
    examples=(
        example(Array("b n"), Array("b n"), Array("b n"), reduction=1),
        example(Array("b n"), Array("b m"), Array("b n")),
    ),
)(numbered(triplet_margin_loss))

rule(
    "torch.cosine_embedding_loss",
    params="input1, input2, target, margin=0.0, reduction=0",
    examples=(
        example(Array("b n"), Array("b n"), Array("b"), reduction=1),
        example(Array("b n"), Array("b m"), Array("b")),
    ),
)(numbered(cosine_embedding_loss))

_LENGTHS = (Array("b", "Int64"), Array("b", "Int64"))

rule(
    "torch.ctc_loss",
    params="log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, "
    "zero_infinity=False",
    examples=(
        example(Array("t b c"), Array("b s", "Int64"), *_LENGTHS),
        example(Array("t b c"), Array("b s", "Int64"), *_LENGTHS, reduction=1),
    ),
)(numbered(ctc_loss))
