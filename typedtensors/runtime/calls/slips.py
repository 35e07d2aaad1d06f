# SPDX-License-Identifier: Apache-2.0
"""What in the specs of a function cannot be meant; it is said once, where the plan is made."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from typedtensors.runtime.calls.plan import Parameter
from typedtensors.runtime.hints.nodes import Hint
from typedtensors.runtime.notices import SpecWarning, warn_about
from typedtensors.shapes import SpecError, parse_spec


def subject(name: str) -> str:
    """Name a parameter, or the return value."""
    return "the return value" if name == "return" else f"parameter `{name}`"


def slip_in(spec: str) -> str | None:
    """Say what cannot be meant in a spec that jaxtyping accepts; its verdict stands."""
    try:
        parse_spec(spec)
    except SpecError as error:
        return error.diagnostic.text
    return None


@lru_cache(maxsize=1024)
def _names_of(spec: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the dims that a spec binds, and those that it needs; none of what is no spec."""
    try:
        parsed = parse_spec(spec)
    except SpecError:
        return (), frozenset()
    bound = tuple(axis.name for axis in parsed.axes if axis.name and not axis.variadic)
    return bound, parsed.names


def bound_names(hint: Hint) -> Iterator[str]:
    """Yield the dims that a hint binds."""
    for annotation in hint.annotations():
        yield from _names_of(annotation.dim_str)[0]


def warn_of_unbound(function: Callable[..., Any], parameter: Parameter, bound: set[str]) -> None:
    """Say which arithmetic can never be evaluated; a call would fail on it."""
    for annotation in parameter.hint.annotations():
        unbound = sorted(_names_of(annotation.dim_str)[1] - bound)
        if unbound:
            meant = difflib.get_close_matches(unbound[0], sorted(bound), n=1)
            hint = f"; did you mean `{meant[0]}`?" if meant else ""
            problem = f'"{annotation.dim_str}" needs `{unbound[0]}`, which no argument binds'
            message = f"{subject(parameter.name)}: {problem}{hint}"
            warn_about(function, SpecWarning, message)


def warn_of_typos(function: Callable[..., Any], hints: Iterable[Hint]) -> None:
    """Say which name occurs once, and is another one with a slip of the fingers in it."""
    counts = Counter(name for hint in hints for name in bound_names(hint))
    for name, count in counts.items():
        meant = next((other for other in counts if count == 1 and _is_slip(name, other)), None)
        if meant is not None and (counts[meant] > 1 or name > meant):
            message = f"`{name}` occurs once; did you mean `{meant}`?"
            warn_about(function, SpecWarning, message)


_LEAST_LENGTH = 5


def _is_slip(name: str, other: str) -> bool:
    """Say whether two names differ by neighboring letters changing places, or by a double letter.

    Dims are often told apart by a letter, as `seq_q` and `seq_k`, or `head` and `heads` are.
    """
    if name == other or min(len(name), len(other)) < _LEAST_LENGTH:
        return False
    if len(name) == len(other):
        pairs = [place for place in range(len(name)) if name[place] != other[place]]
        return len(pairs) == 2 and _swapped(name, pairs[0]) == other and name[pairs[0]].isalpha()
    longer, shorter = sorted((name, other), key=len, reverse=True)
    doubles = (place for place in range(1, len(longer)) if longer[place] == longer[place - 1])
    return any(longer[:place] + longer[place + 1 :] == shorter for place in doubles)


def _swapped(name: str, place: int) -> str:
    return name[:place] + name[place + 1 : place + 2] + name[place] + name[place + 2 :]
