# SPDX-License-Identifier: Apache-2.0
"""The page of each code, from package data."""

from __future__ import annotations

from importlib import resources

from typedtensors.diagnostics import codes
from typedtensors.diagnostics.suggestion import closest


class UnknownCodeError(LookupError):
    """A name that is no code; the text says which codes there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def explain(name: str) -> str:
    """Return the page of a code, as Markdown.

    Args:
        name: A code, `tensor-shape`; brackets, as they stand after a message, may stay.

    Raises:
        UnknownCodeError: There is no such code.

    >>> explain("tensor-shape").splitlines()[0]
    '# tensor-shape'
    """
    wanted = name.strip().removeprefix("[").removesuffix("]")
    if wanted not in {code.name for code in codes.ALL}:
        raise UnknownCodeError(f"unknown code `{wanted}`{_advice(wanted)}")
    page = resources.files(__package__).joinpath("pages", f"{wanted}.md")
    return page.read_text(encoding="utf-8")


def _advice(wanted: str) -> str:
    # `shape` is a slip of `tensor-shape`, though the two are far apart as strings.
    full_names = {code.name.removeprefix("tensor-"): code.name for code in codes.ALL}
    known = list(full_names.values())
    match = closest(wanted, known) or full_names.get(closest(wanted, full_names) or "")
    if match is not None:
        return f", did you mean `{match}`?"
    return f"; known: {', '.join(f'`{name}`' for name in known)}"
