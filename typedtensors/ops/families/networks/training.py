# SPDX-License-Identifier: Apache-2.0
"""What is done to the gradients of weights while they are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.shapes import DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call


@rule(
    *("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad.clip_grad_norm_"),
    params="parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None",
    examples=(example(Array("b n"), 1.0),),
)
def clipped_norm(_call: Call) -> Tensor:
    """The norm of all gradients together, a number."""
    return Tensor(Shape(()), DType.named("Float"))
