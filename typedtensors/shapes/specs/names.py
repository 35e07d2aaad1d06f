# SPDX-License-Identifier: Apache-2.0
"""Axes by name, `"batch seq d"`: what the helpers take, with at most one `*name` or `...`.

This is the part of the spec grammar that says where an axis is. It is read by plain string
operations, which `torch.compile` can trace; sizes may be symbolic there and are not looked at.
"""

from __future__ import annotations

from typing import NamedTuple

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.diagnostics.suggestion import closest
from typedtensors.shapes.specs.spec import SpecError


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

    def fits(self, rank: int) -> bool:
        """Say whether an array of that rank can have these names."""
        return rank == self.least_rank or (self.variadic is not None and rank > self.least_rank)

    def spans(self, rank: int) -> list[tuple[int, int]]:
        """List for each word its first axis and the one behind its last."""
        found: list[tuple[int, int]] = []
        start = 0
        for position in range(len(self.words)):
            width = rank - self.least_rank if position == self.variadic else 1
            found.append((start, start + width))
            start += width
        return found

    def placed_in(self, target: Names) -> list[int | None]:
        """List for each axis of `target` which of these words goes there; None: a new axis.

        A leading variadic of `target` that is not among these words adds no axis.

        Raises:
            SpecError: a word has no place, or the number of new axes is not known.
        """
        for word in self.words:
            if word not in target.words:
                raise SpecError(_missing(self, target, word))
        places: list[int | None] = []
        for position, word in enumerate(target.words):
            if word in self.words:
                places.append(self.words.index(word))
            elif position != target.variadic:
                places.append(None)
            elif position > 0:
                raise SpecError(_uncounted(self, target, word))
        return places


def parse_names(spec: object, *, unnamed: bool = False) -> Names:
    """Split a spec into names; with `unnamed`, axes may also be `_` or a size.

    Raises:
        SpecError: a name occurs twice, or a word is no name.
    """
    if not isinstance(spec, str):  # an untyped caller's slip
        problem = f'axis names are one string such as "batch d", not {type(spec).__name__}'
        raise SpecError(wording.bad_spec(str(spec), problem))
    words = tuple(spec.split())
    variadics = []
    for position, word in enumerate(words):
        if unnamed and (word == "_" or word.isdecimal()):
            continue
        if word == "..." or (word.startswith("*") and word[1:].isidentifier()):
            variadics.append(position)
        elif not word.isidentifier() or word == "_":
            raise SpecError(_not_a_name(spec, word))
        if words.index(word) != position:
            hint = "give each axis a name of its own"
            raise SpecError(wording.bad_spec(spec, f"`{word}` occurs twice", hint=hint))
    if len(variadics) > 1:
        problem = "more than one word stands for any number of axes"
        raise SpecError(wording.bad_spec(spec, problem, hint="keep one `*name` or `...`"))
    return Names(spec, words, variadics[0] if variadics else None)


def parse_pattern(pattern: str) -> tuple[Names, Names]:
    """Split `"d -> batch seq d"` into the names before and after.

    Raises:
        SpecError: there is not one arrow, or a side is malformed.
    """
    before, arrow, after = pattern.partition("->")
    if not arrow or "->" in after:
        problem = "it needs one `->` between the names before and after"
        raise SpecError(wording.bad_spec(pattern, problem, hint='write "d -> batch seq d"'))
    return parse_names(before.strip()), parse_names(after.strip())


def _not_a_name(spec: str, word: str) -> Diagnostic:
    hint = "name the axis, or drop it first with squeeze or indexing"
    return wording.bad_spec(spec, f"`{word}` does not name an axis", hint=hint)


def _missing(source: Names, target: Names, word: str) -> Diagnostic:
    meant = closest(word, [name for name in target.words if name not in source.words])
    problem = f'it has no axis `{word}` of "{source.text}"'
    hint = f"add `{word}`, or reduce or index that axis away first"
    if meant is not None:
        hint = f"write `{meant}` for `{word}`"
    return wording.bad_spec(target.text, problem, hint=hint)


def _uncounted(source: Names, target: Names, word: str) -> Diagnostic:
    problem = f'how many axes `{word}` stands for is not known from "{source.text}"'
    hint = f"move `{word}` to the front, or write its axes out"
    return wording.bad_spec(target.text, problem, hint=hint)
