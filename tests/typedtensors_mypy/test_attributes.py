# SPDX-License-Identifier: Apache-2.0
"""What is known of attributes that methods assign: by the class alone, whoever asks first."""

from __future__ import annotations

import itertools

import pytest

from tests.typedtensors_mypy.programs import findings

_HEAD = """
import torch
from jaxtyping import Float
from torch import Tensor

class Memory:
    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.kept = torch.zeros(4, dim)
        self.mean = torch.zeros(dim)
        self.last = None
"""
_METHODS = (
    """
    def keep(self, x: Float[Tensor, "n dim"]) -> None:
        self.kept = x
        self.mean = self.mean * 0.9
""",
    """
    def remember(self) -> None:
        self.last = self.kept if self.last is None else self.last + self.kept
""",
    """
    def shown(self) -> None:
        reveal_type(self.kept)
        reveal_type(self.mean)
        reveal_type(self.last)
""",
    """
    def wrong(self) -> Tensor:
        return self.kept.sum(dim=2) + self.mean
""",
)
_TAIL = """
def use(x: Float[Tensor, "n 3"]) -> None:
    memory = Memory(3)
    memory.keep(x)
    reveal_type(memory.kept)
    reveal_type(memory.last)
    reveal_type(memory.mean)
"""


def _told(source: str) -> list[str]:
    """What is told, but for where: in no order."""
    return sorted(finding.text for finding in findings(source))


@pytest.mark.parametrize("order", [*itertools.permutations(range(len(_METHODS)))])
def test_the_order_of_methods_changes_nothing(order: tuple[int, ...]) -> None:
    told = _told(_HEAD + "".join(_METHODS[at] for at in order) + _TAIL)
    assert told == _told(_HEAD + "".join(_METHODS) + _TAIL)
    assert len(told) == 7


def test_who_asks_first_changes_nothing() -> None:
    """The function before the class asks for an object's attributes before any method does."""
    asked_late = _HEAD + "".join(_METHODS) + _TAIL
    imports, _, cls = _HEAD.partition("class")
    asked_early = f"{imports}{_TAIL}\nclass{cls}" + "".join(_METHODS)
    assert _told(asked_early) == _told(asked_late)
