# SPDX-License-Identifier: Apache-2.0
"""Text to `Spec`: jaxtyping's grammar, read in three steps.

Split each word into marks and a body; refuse what jaxtyping refuses; refuse what it takes in
silence and nobody can mean. Nothing is evaluated. The order of the tests is jaxtyping's own
(`jaxtyping/_array_types.py`, `_make_array_cached`), so that the verdicts agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.specs import slips
from typedtensors.shapes.specs.expression import ExpressionError, parse_expression
from typedtensors.shapes.specs.spec import Spec, SpecAxis, SpecError

_MARKS = "#*_?"
# What an axis of fixed size is called: `in/out=2` too.
_LABEL = re.compile(r"[^\W\d][\w/.:-]*")
_CONFLICTS = {
    "*": "it is one axis and takes no `*`",
    "_": "its size is not free, as `_` says",
    "?": "its size cannot depend on its place in a tree, as `?` says",
}


@dataclass(frozen=True)
class _Word:
    """One word of a spec: `#rows=3` has the mark `#`, the label `rows` and the body `3`."""

    text: str
    marks: frozenset[str]
    body: str = ""
    labels: tuple[str, ...] = ()

    @property
    def named(self) -> bool:
        """Whether the body is a name, or nothing."""
        return not self.body or self.body.isidentifier()

    @property
    def size(self) -> int | None:
        """The literal size, if the body is one. As jaxtyping, by `int`: `+1` is one too."""
        try:
            return int(self.body)
        except ValueError:
            return None


class _Refusal(Exception):  # noqa: N818  (a step on the way to a SpecError)
    """Why the text is no spec, and guesses at what was meant; which are not yet parsed."""

    def __init__(self, problem: str, guesses: Iterable[str] = (), *, silent: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.guesses = guesses
        self.silent = silent


@lru_cache(maxsize=4096)
def parse_spec(text: str) -> Spec:
    """The spec that an annotation's string writes.

    Reads names, sizes, `_`, `_name`, `...`, `*name`, `#name`, `*#name`, `?name`, `name=4`,
    arithmetic with parentheses, and `{expr}`, whose text is kept to be read at run time.
    Raises SpecError for what jaxtyping rejects and, marked `silent`, for what it accepts and
    cannot be meant (`3.5`, `n +1`, `a.b`, `(a b)`).
    """
    try:
        return _parse(text)
    except _Refusal as refusal:
        good = _good_guesses(text, refusal.guesses)
        hint = " or ".join(f'"{guess}"' for guess in good) or None
        diagnostic = wording.bad_spec(text, refusal.problem, hint=hint)
        meant = _certain(text, good[0]) if good and refusal.silent else None
        raise SpecError(diagnostic, silent=refusal.silent, meant=meant) from None


def _parse(text: str) -> Spec:
    words = [_split(text, word) for word in text.split()]
    for word in words:
        _refuse_marks(text, word)
    variadics = [f"`{word.text}`" for word in words if "*" in word.marks]
    if len(variadics) > 1:
        problem = f"{' and '.join(variadics)} each take any number of axes, only one may"
        raise _Refusal(problem)
    return Spec(tuple(_axis(text, word) for word in words))


def _split(spec: str, text: str) -> _Word:
    """Marks, labels and body of a word."""
    if "," in text and "(" not in text:
        raise _Refusal("axes are separated by spaces, not commas", slips.commas(spec))
    if text.endswith("#"):
        problem = f"`#` goes before the name, not after it as in `{text}`"
        raise _Refusal(problem, slips.trailing_mark(spec))
    if "..." not in text:
        return _read_marks(spec, text)
    if text != "...":
        problem = f"`...` is a word of its own, here it is part of `{text}`"
        raise _Refusal(problem, slips.ellipsis(spec))
    return _Word(text, frozenset("*_"))


def _read_marks(spec: str, text: str) -> _Word:
    marks: set[str] = set()
    labels: list[str] = []
    body = text
    while body:
        if body[0] in _MARKS:
            if body[0] in marks:
                problem = f"`{body[0]}` is written twice in `{text}`"
                raise _Refusal(problem, slips.repeated_mark(spec, body[0]))
            marks.add(body[0])
            body = body[1:]
        elif body.count("=") == 1:
            label, _, body = body.partition("=")
            labels.append(label)
        else:
            break
    return _Word(text, frozenset(marks), body, tuple(labels))


def _refuse_marks(spec: str, word: _Word) -> None:
    """The combinations of marks and body that jaxtyping rejects."""
    if word.named:
        if {"_", "#"} <= word.marks:
            problem = f"`{word.text}` is anonymous, of any size already, so `#` says nothing"
            raise _Refusal(problem, slips.one_word(spec, word.text, "_"))
        return
    kind = "is arithmetic" if word.size is None else "has a fixed size"
    for mark, conflict in _CONFLICTS.items():
        if mark in word.marks:
            problem = f"`{word.text}` {kind}: {conflict}"
            raise _Refusal(problem, slips.one_word(spec, word.text, word.body))


def _axis(spec: str, word: _Word) -> SpecAxis:
    """The axis of a word that jaxtyping takes; what cannot be meant is refused here."""
    _refuse_slips(spec, word)
    flexible, variadic = "#" in word.marks, "*" in word.marks
    if word.named:
        name = None if "_" in word.marks else word.body
        dim = None if name is None or variadic else Dim.name(name)
        return SpecAxis(word.text, dim, name, flexible, variadic, tree="?" in word.marks)
    if word.size is not None:
        return SpecAxis(word.text, Dim.of(word.size), flexible=flexible)
    try:
        return SpecAxis(word.text, parse_expression(word.body), flexible=flexible)
    except ExpressionError as error:
        problem = f"`{word.text}` is no axis, {error}"
        raise _Refusal(problem, _guesses(spec), silent=True) from None


def _refuse_slips(spec: str, word: _Word) -> None:
    """What needs no look at the arithmetic to be a slip."""
    if "=" in word.body or not all(map(_LABEL.fullmatch, word.labels)):
        problem = f"`{word.text}` is no axis, only `name=size` may hold a `=`"
        raise _Refusal(problem, silent=True)
    if not word.body and "_" not in word.marks:
        problem = f"`{word.text}` stands alone, it goes before a name"
        raise _Refusal(problem, slips.spaces(spec), silent=True)
    if word.body[:1] in {"+", "-"} and word.size is not None:
        problem = f"`{word.text}` is no size"
        anonymous = slips.one_word(spec, word.text, "_") if word.size < 0 else ()
        raise _Refusal(problem, (*slips.spaces(spec), *anonymous), silent=True)


def _guesses(spec: str) -> Iterator[str]:
    yield from slips.anonymous(spec)
    yield from slips.attributes(spec)
    yield from slips.products(spec)
    yield from slips.groups(spec)
    yield from slips.spaces(spec)


def _certain(spec: str, guess: str) -> str:
    """A guess, with any size for each word that is guessed: `b _ 3` for `b (h w) 3`."""
    written = spec.split()
    return " ".join(word if word in written else "_" for word in guess.split())


def _good_guesses(spec: str, guesses: Iterable[str]) -> list[str]:
    """The guesses that parse, at most two."""
    tidy = (" ".join(guess.split()) for guess in guesses)
    good = dict.fromkeys(guess for guess in tidy if guess != spec and _parses(guess))
    return list(good)[:2]


def _parses(text: str) -> bool:
    try:
        _parse(text)
    except _Refusal:
        return False
    return True
