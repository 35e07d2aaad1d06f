# SPDX-License-Identifier: Apache-2.0
"""Common slips in specs: what was probably meant.

Each function gives whole specs to suggest. They are guesses: the grammar prints those that parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SPACED_OPERATOR = re.compile(r"\s*(//|[-+/%*])\s+|\s+(//|[-+/%])\s*")
_GROUP = re.compile(r"(?<![\w)])\(([\w\s,]*)\)")
_BRACES = re.compile(r"\{[^{}]*\}")
_ANONYMOUS = re.compile(r"(?<![\w.{])_(?=\w)")
_BARE = re.compile(r"(?<![\w.{])_(?!\w)")
_ATTRIBUTE = re.compile(r"(?<![\w.{])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w.}])")


def commas(spec: str) -> Iterator[str]:
    """`B,C...` for `B C ...`."""
    spaced = spec.replace(",", " ")
    yield _words(spaced)
    yield from ellipsis(spaced)


def ellipsis(spec: str) -> Iterator[str]:
    """`a...` for `a ...`, or for the `*a` of other notations."""
    yield _words(re.sub(r"[#*?_]*\.{3,}", " ... ", spec))
    yield re.sub(r"(\w+)\.{3,}", r"*\1", spec)


def trailing_mark(spec: str) -> Iterator[str]:
    """`a#` for `#a`: the place of the mark in jaxtyping before 0.1."""
    yield re.sub(r"(\S+)#(?=\s|$)", r"#\1", spec)


def repeated_mark(spec: str, mark: str) -> Iterator[str]:
    """`##a` for `#a`, and `__a` for `_a`."""
    yield re.sub(rf"(?:{re.escape(mark)}){{2,}}", mark, spec)


def one_word(spec: str, word: str, *instead: str) -> Iterator[str]:
    """The spec with a word replaced."""
    for replacement in instead:
        yield " ".join(replacement if one == word else one for one in spec.split())


def spaces(spec: str) -> Iterator[str]:
    """`n + 1` for `n+1`, `{n + 1}` for `{n+1}`: an axis is one word."""
    closed = _BRACES.sub(lambda found: found[0].replace(" ", ""), spec)
    yield _SPACED_OPERATOR.sub(lambda found: found[1] or found[2], closed)
    yield re.sub(
        r"\(\s+|\s+\)", lambda found: found[0].strip(), _SPACED_OPERATOR.sub(r"\1\2", closed)
    )


def groups(spec: str) -> Iterator[str]:
    """`(h w)`, which einops reads as one axis, for `h*w`; `(b,c)`, Python's shape, for `b c`."""
    yield _GROUP.sub(lambda found: "*".join(found[1].split()), spec)
    yield _words(_GROUP.sub(lambda found: found[1].replace(",", " "), spec))


def products(spec: str) -> Iterator[str]:
    """`2n` for `2*n`."""
    yield re.sub(r"(?<!\w)(\d+)(?=[A-Za-z])", r"\1*", spec)


def attributes(spec: str) -> Iterator[str]:
    """`self.d` for `{self.d}`."""
    yield _ATTRIBUTE.sub(r"{\g<0>}", spec)


def anonymous(spec: str) -> Iterator[str]:
    """`_n 2*_n` for `n 2*n`; `n-_` for `_`, a size that nothing is known of."""
    yield _ANONYMOUS.sub("", spec)
    yield " ".join("_" if _BARE.search(word) else word for word in spec.split())


def _words(spec: str) -> str:
    return " ".join(spec.split())
