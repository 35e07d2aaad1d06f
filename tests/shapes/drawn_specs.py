# SPDX-License-Identifier: Apache-2.0
"""Specs and concrete shapes as hypothesis draws them: mostly matching, often nearly."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ("a", "b", "c")
VARIADICS = ("r", "s")
SIZES = (1, 2, 3, 4, 6)
RUNS = ((), (2,), (3, 2), (1, 4))

Sizes = dict[str, int]
Runs = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Case:
    """One array: its spec as text, and its shape."""

    spec: str
    shape: tuple[int, ...]


def _arithmetic() -> list[str]:
    """Expressions of one operation, and some of two."""
    leaves = (*NAMES, "1", "2", "3")
    pairs = list(itertools.product(leaves, leaves))
    flat = [f"{x}{op}{y}" for op in ("+", "-", "*", "//", "%") for x, y in pairs]
    called = [f"{name}({x},{y})" for name in ("min", "max") for x, y in pairs]
    nested = [f"({x}+{y}){op}2" for op in ("//", "*", "%", "-") for x, y in pairs]
    return [text for text in (*flat, *called, *nested) if _can_be_meant(text)]


def _can_be_meant(text: str) -> bool:
    """Whether the arithmetic may be a size: `1-a` never is."""
    samples = itertools.permutations((2, 3, 5))
    return any(size(text, dict(zip(NAMES, sample, strict=True))) for sample in samples)


def size(text: str, sizes: Sizes) -> int | None:
    """What arithmetic comes to, if that is a size; the text is of our own making."""
    try:
        value = eval(text, {"min": min, "max": max}, dict(sizes))  # noqa: S307
    except (ZeroDivisionError, NameError):
        return None
    return value if 0 <= value <= 40 else None


_SINGLE = (
    *NAMES * 40,
    *map(str, SIZES * 8),
    *(f"{name}={number}" for name in NAMES for number in SIZES),
    *_arithmetic(),
)
WORDS = (*_SINGLE, *map("#{}".format, _SINGLE), *("_", "_a") * 30)
MANY = (*(mark + name for mark in ("*", "*", "*#", "#*") for name in VARIADICS), "...", "*_")


@st.composite
def specs(draw: st.DrawFn) -> str:
    """A spec that jaxtyping accepts."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=3))
    position = draw(st.integers(-4, len(words)))
    if position >= 0:
        words.insert(position, draw(st.sampled_from(MANY)))
    return " ".join(words)


@st.composite
def shapes(draw: st.DrawFn, spec: str, sizes: Sizes, runs: Runs) -> tuple[int, ...]:
    """A shape that matches the spec at these sizes, or nearly."""
    shape: list[int] = []
    for word in spec.split():
        body = word.lstrip("#*_").split("=")[-1]
        if word in MANY:
            shape += _run(draw, runs.get(body), flexible="#" in word)
        elif "#" in word and draw(st.booleans()):
            shape.append(1)
        else:
            known = None if word.startswith("_") else size(body, sizes)
            shape.append(draw(st.sampled_from(SIZES)) if known is None else known)
    slip = draw(st.integers(0, 12))
    if slip < len(shape):
        shape[slip] = draw(st.sampled_from((0, *SIZES)))
    elif slip == 12:
        shape.append(draw(st.sampled_from(SIZES)))
    return tuple(shape)


def _run(draw: st.DrawFn, run: tuple[int, ...] | None, *, flexible: bool) -> list[int]:
    if run is None:
        return draw(st.lists(st.sampled_from(SIZES), max_size=2))
    if not flexible:
        return list(run)
    kept = run[draw(st.integers(0, len(run))) :]
    return [1 if draw(st.booleans()) else size for size in kept]


@st.composite
def calls(draw: st.DrawFn) -> list[Case]:
    """Arrays checked together; the first one often binds every name."""
    sizes = dict(zip(NAMES, draw(st.tuples(*[st.sampled_from(SIZES)] * len(NAMES))), strict=True))
    runs = {name: draw(st.sampled_from(RUNS)) for name in VARIADICS}
    texts = draw(st.lists(specs(), min_size=1, max_size=3))
    if draw(st.integers(0, 3)):
        texts.insert(0, " ".join(NAMES))
    return [Case(text, draw(shapes(text, sizes, runs))) for text in texts]
