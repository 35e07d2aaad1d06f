# SPDX-License-Identifier: Apache-2.0
"""What somebody probably meant by a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` is most likely a slip of, if any is close."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the words to put after "unknown `name`", or nothing.

    >>> did_you_mean("broadcast", ["broadcasts", "strict"])
    ', did you mean `broadcasts`?'
    """
    match = closest(name, known)
    return "" if match is None else f", did you mean `{match}`?"
