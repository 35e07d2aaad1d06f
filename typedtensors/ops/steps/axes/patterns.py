# SPDX-License-Identifier: Apache-2.0
"""Patterns that name axes, as einops writes them: `b (h d) ... -> (b h) ... d`.

Source: https://einops.rocks/1-einops-basics/
"""

from __future__ import annotations

import re
from functools import lru_cache

from typedtensors.dims.quick import dataclass

REST = "..."
_WORD = re.compile(r"\.\.\.|\(|\)|[A-Za-z_]\w*|\d+|\S")
Group = tuple[str, ...]


class PatternError(ValueError):
    """The text is no pattern; its message says why."""


@dataclass(frozen=True)
class Side:
    """One side of a pattern: for each axis the names it is made of.

    Invariant: no name stands twice, and `...` at most once, at the position `rest` if it stands
    outside parentheses. An axis written `1` has no names.
    """

    groups: tuple[Group, ...]
    rest: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, from left to right, without `...` and literals."""
        return tuple(name for group in self.groups for name in group if name.isidentifier())

    @property
    def merges_rest(self) -> bool:
        """Whether `...` stands in parentheses."""
        return self.rest is None and any(REST in group for group in self.groups)


@dataclass(frozen=True)
class Pattern:
    """Both sides of `left -> right`."""

    left: Side
    right: Side


@lru_cache(maxsize=512)
def parse_pattern(text: str) -> Pattern:
    """Read a pattern. Raises PatternError if it is none."""
    sides = text.split("->")
    if len(sides) != 2:
        raise PatternError("a pattern has two sides and one `->` between them")
    return Pattern(parse_side(sides[0]), parse_side(sides[1]))


@lru_cache(maxsize=512)
def parse_side(text: str) -> Side:
    """Read one side of a pattern. Raises PatternError if it is none."""
    groups: list[Group] = []
    rest: int | None = None
    inner: list[str] | None = None
    for word in _WORD.findall(text):
        if word == "(":
            if inner is not None:
                raise PatternError("parentheses do not nest")
            inner = []
        elif word == ")":
            if inner is None:
                raise PatternError("a parenthesis is closed that was not opened")
            groups.append(tuple(inner))
            inner = None
        else:
            _require_known(word)
            if inner is None:
                rest = len(groups) if word == REST else rest
                groups.append(() if word == "1" else (word,))
            elif word != "1":
                inner.append(word)
    if inner is not None:
        raise PatternError("a parenthesis is not closed")
    return _checked(Side(tuple(groups), rest))


def _require_known(word: str) -> None:
    name = word.isidentifier() and not word.startswith("_") and not word.endswith("_")
    if not (word == REST or name or word.isdecimal()):
        raise PatternError(f"`{word}` is no name of an axis")


def _checked(side: Side) -> Side:
    parts = [name for group in side.groups for name in group if not name.isdecimal()]
    twice = next((name for name in parts if parts.count(name) > 1), None)
    if twice is not None:
        raise PatternError(f"`{twice}` stands twice on one side")
    return side
