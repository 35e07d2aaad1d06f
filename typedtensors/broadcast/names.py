# SPDX-License-Identifier: Apache-2.0
"""The axis names that the helpers take: `"batch seq d"`, with at most one `*name` or `...`.

This is the part of the spec grammar that says where an axis is. It is parsed by plain string
operations, which `torch.compile` can trace; sizes may be symbolic there and are never parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from typedtensors.broadcast.errors import AxisError
from typedtensors.diagnostics import Diagnostic, wording

if TYPE_CHECKING:
    from collections.abc import Sequence


class Names(NamedTuple):
    """The names of an array's axes.

    Invariant: no name occurs twice; `variadic` is the position of the one word that stands
    for any number of axes, or None.
    """

    text: str
    words: tuple[str, ...]
    variadic: int | None

    @property
    def least_rank(self) -> int:
        """The smallest number of axes that fits."""
        return len(self.words) - (self.variadic is not None)

    def spans(self, rank: int) -> list[tuple[int, int]]:
        """List for each word its first axis and the one behind its last."""
        found: list[tuple[int, int]] = []
        start = 0
        for position in range(len(self.words)):
            width = rank - self.least_rank if position == self.variadic else 1
            found.append((start, start + width))
            start += width
        return found


def parse_names(spec: object, *, unnamed: bool = False) -> Names:
    """Split a spec into names; with `unnamed`, axes may also be `_` or a size.

    Raises:
        AxisError: a name occurs twice, or a word is no name.
    """
    if not isinstance(spec, str):  # an untyped caller's slip
        problem = f'axis names are one string such as "batch d", not {type(spec).__name__}'
        raise AxisError(wording.bad_spec(str(spec), problem))
    words = tuple(spec.split())
    variadics = []
    for position, word in enumerate(words):
        if unnamed and (word == "_" or word.isdecimal()):
            continue
        if word == "..." or (word.startswith("*") and word[1:].isidentifier()):
            variadics.append(position)
        elif not word.isidentifier() or word == "_":
            raise AxisError(_not_a_name(spec, word))
        if words.index(word) != position:
            hint = "give each axis a name of its own"
            raise AxisError(wording.bad_spec(spec, f"`{word}` occurs twice", hint=hint))
    if len(variadics) > 1:
        problem = "more than one word stands for any number of axes"
        raise AxisError(wording.bad_spec(spec, problem, hint="keep one `*name` or `...`"))
    return Names(spec, words, variadics[0] if variadics else None)


def require_rank(where: str, names: Names, shape: Sequence[int]) -> None:
    """Raise unless an array of this shape has as many axes as there are names.

    Raises:
        AxisError: the rank differs.
    """
    rank, least = len(shape), names.least_rank
    if rank != least and (names.variadic is None or rank < least):
        actual = " ".join(str(size) for size in shape)
        raise AxisError(wording.rank_differs(where, names.text, actual))


def _not_a_name(spec: str, word: str) -> Diagnostic:
    if word in ("->", ","):
        return wording.bad_spec(spec, f"`{word}` has no place here", hint="names and spaces only")
    hint = "name the axis, or drop it first with squeeze or indexing"
    return wording.bad_spec(spec, f"`{word}` does not name an axis", hint=hint)
