# SPDX-License-Identifier: Apache-2.0
"""A program with a finding, and the same without it."""

from __future__ import annotations

BUGGY = """\
from jaxtyping import Float
from torch import Tensor

def loss(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return ((pred - y) ** 2).mean()
"""
CLEAN = BUGGY.replace("n 1", "n")
