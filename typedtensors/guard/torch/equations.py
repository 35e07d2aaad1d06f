# SPDX-License-Identifier: Apache-2.0
"""Which axes of the operands of an `einsum` meet: those of one label, where one of them is 1."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import Tensor

from typedtensors.guard.torch.operands import NOWHERE, Operands, sizes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typedtensors.guard.torch.operands import Sizes

_REST = "..."


class _Aligned(NamedTuple):
    """The operands' shapes over all labels, those of the result first; how many those are."""

    shapes: tuple[Sizes, ...]
    kept: int


def einsum(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Operands | None:  # noqa: ARG001 - einsum has none
    """The operands, if some axis of size 1 is stretched to what its label is elsewhere."""
    equation, *given = args
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = list(given[0])
    if not isinstance(equation, str) or not all(isinstance(each, Tensor) for each in given):
        return None
    shapes = tuple(map(sizes_of, given))
    aligned = _align(equation, shapes)
    if aligned is None:
        return None
    return Operands(
        tuple(given),
        aligned.shapes,
        places=(NOWHERE,) * len(given),
        wholes=shapes,
        kept=aligned.kept,
    )


@lru_cache(maxsize=4096)
def _align(equation: str, shapes: tuple[Sizes, ...]) -> _Aligned | None:
    """The shapes over all labels; None if no axis is stretched, or the equation is too much."""
    terms, arrow, result = equation.replace(" ", "").partition("->")
    labels = terms.split(",")
    if len(labels) != len(shapes) or any(_REST in term for term in (*labels, result)):
        return None
    known = [
        dict(zip(term, shape, strict=False)) for term, shape in zip(labels, shapes, strict=True)
    ]
    if not any(1 < _largest(known, label) != size for own in known for label, size in own.items()):
        return None
    every = sorted(set("".join(labels)))
    if not arrow:
        result = "".join(label for label in every if terms.count(label) == 1)
    order = [*result, *(label for label in every if label not in result)]
    rows = tuple(tuple(own.get(label, 1) for label in order) for own in known)
    return _Aligned(rows, len(result))


def _largest(operands: Sequence[Mapping[str, int]], label: str) -> int:
    return max(own.get(label, 1) for own in operands)
