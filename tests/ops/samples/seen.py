# SPDX-License-Identifier: Apache-2.0
"""What the rules see of torch's own values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from typedtensors.dims import Dim, Facts
from typedtensors.ops import Device, Known, Unknown, lookup
from typedtensors.shapes import DType, Shape, Tensor

_PLAIN = (bool, float, complex, str, type(None), type(Ellipsis))


@dataclass
class Sight:
    """How much is seen: every size, or (`symbolic`) only which sizes of arrays are equal.

    `sizes` is what the symbols stand for.
    """

    symbolic: bool = False
    sizes: dict[str, int] = field(default_factory=dict)

    def value(self, given: Any) -> Any:
        """A value of torch's as a rule gets it."""
        if isinstance(given, torch.Tensor):
            return self._tensor(given)
        if isinstance(given, _PLAIN):
            return given
        if isinstance(given, (int, np.integer)):
            return Dim.of(int(given))
        if isinstance(given, (list, tuple)):
            kind = list if isinstance(given, list) else tuple
            return kind(map(self.value, given))
        if isinstance(given, slice):
            return slice(*map(self.value, (given.start, given.stop, given.step)))
        if isinstance(given, Mapping):
            return {name: self.value(each) for name, each in given.items()}
        return _other(given)

    def _tensor(self, given: torch.Tensor) -> Tensor:
        shape = Shape.of(*map(self._size, given.shape))
        return Tensor(shape, _dtype(given.dtype), isinstance(given, torch.nn.Parameter))

    def _size(self, size: int) -> Dim:
        """Sizes of 0 and 1 are seen: they broadcast, or hold nothing, where others do not."""
        if not self.symbolic or size < 2:
            return Dim.of(size)
        self.sizes[f"s.{size}"] = size
        return Dim.opaque(f"s.{size}")


def _made(given: torch.nn.TransformerEncoderLayer) -> Any:
    """A layer that others are made from, by what its own constructor was given."""
    attention, name = given.self_attn, "torch.nn.TransformerEncoderLayer"
    args = (attention.embed_dim, attention.num_heads, given.linear1.out_features)
    config = {"batch_first": attention.batch_first}
    rule = lookup(name)
    assert rule is not None
    outcome = rule.evaluate(name, tuple(map(Dim.of, args)), config, Facts())
    return outcome.value if isinstance(outcome, Known) else Unknown("not made")


def _other(given: Any) -> Any:
    if isinstance(given, torch.dtype):
        return _dtype(given)
    if isinstance(given, torch.nn.TransformerEncoderLayer):
        return _made(given)
    if isinstance(given, torch.device):
        return Device()
    return Unknown("no rule looks at it")


def _dtype(given: torch.dtype) -> DType:
    return DType.exactly(str(given).removeprefix("torch."))
