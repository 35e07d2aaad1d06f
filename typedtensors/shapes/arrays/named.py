# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of a call's arrays: how checks tell a guard.

The checks answer where a guard asks; until they are loaded nobody does. No side knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class NamedCall:
    """One call of a checked function.

    `arrays` are its array arguments, each with the spec of its annotation.
    """

    function: str = ""
    arrays: tuple[tuple[object, str], ...] = ()


@dataclass
class Asked:
    """The questions that a guard asks of the checks; each is None until they are loaded.

    `innermost`: the checked call that this thread is in, as an object that stands for it; None
    outside of any. `active`: all that it is in, outermost first. `describe`: what one is.
    """

    innermost: Callable[[], object | None] | None = None
    active: Callable[[], Sequence[object]] = tuple
    describe: Callable[[object], NamedCall] = lambda _: NamedCall()


CALLS: Final = Asked()
