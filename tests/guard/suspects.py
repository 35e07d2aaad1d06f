# SPDX-License-Identifier: Apache-2.0
"""Broadcasts that every guard of torch reports."""

from __future__ import annotations

import torch
from torch import Tensor

COLUMN, ROW = torch.ones(4, 1), torch.ones(4)


def suspicious() -> Tensor:
    """Broadcasts in this very line."""
    return COLUMN - ROW
