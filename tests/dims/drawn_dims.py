# SPDX-License-Identifier: Apache-2.0
"""Dims as hypothesis draws them, each with how its integer is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import assume, strategies as st

from typedtensors.dims import Dim, maximum, minimum

NAMES = ("a", "b", "c")
Sizes = dict[str, int]

Operation = tuple[Callable[[Dim, Dim], Dim], Callable[[int, int], int]]
RING: tuple[Operation, ...] = (
    (Dim.__add__, int.__add__),
    (Dim.__sub__, int.__sub__),
    (Dim.__mul__, int.__mul__),
)
OPERATIONS: tuple[Operation, ...] = (
    *RING,
    (Dim.__floordiv__, int.__floordiv__),
    (Dim.__mod__, int.__mod__),
    (maximum, max),
    (minimum, min),
)


@dataclass(frozen=True)
class Drawn:
    """A dim, and the same computation on plain integers."""

    dim: Dim
    compute: Callable[[Sizes], int]


def _leaves() -> list[Drawn]:
    named = [Drawn(Dim.name(name), lambda sizes, name=name: sizes[name]) for name in NAMES]
    literals = [Drawn(Dim.of(value), lambda _, value=value: value) for value in range(-2, 5)]
    return [*named, *named, *literals]


_LEAVES = _leaves()


@st.composite
def drawn(draw: st.DrawFn, operations: tuple[Operation, ...] = OPERATIONS) -> Drawn:
    """Up to four operations, each on what came before it."""
    made = draw(st.lists(st.sampled_from(_LEAVES), min_size=1, max_size=3))
    for on_dims, on_integers in draw(st.lists(st.sampled_from(operations), max_size=4)):
        left = made[draw(st.integers(0, len(made) - 1))]
        right = made[draw(st.integers(0, len(made) - 1))]
        made.append(_apply(on_dims, on_integers, left, right))
    return made[-1]


def _apply(
    on_dims: Callable[[Dim, Dim], Dim],
    on_integers: Callable[[int, int], int],
    left: Drawn,
    right: Drawn,
) -> Drawn:
    try:
        dim = on_dims(left.dim, right.dim)
    except ZeroDivisionError:
        assume(False)  # noqa: FBT003
        raise
    return Drawn(dim, lambda sizes: on_integers(left.compute(sizes), right.compute(sizes)))


def dims(operations: tuple[Operation, ...] = OPERATIONS) -> st.SearchStrategy[Dim]:
    """Dims alone."""
    return drawn(operations).map(lambda made: made.dim)


def sizes() -> st.SearchStrategy[Sizes]:
    """A size for each name; negative ones too, since the laws do not rest on a sign."""
    return st.fixed_dictionaries({name: st.integers(-5, 12) for name in NAMES})
