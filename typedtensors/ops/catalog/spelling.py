# SPDX-License-Identifier: Apache-2.0
"""Ops by the names that people have for them: `F.relu`, `x.sum`, `nn.Linear`, `@`."""

from __future__ import annotations

import difflib
from functools import cache
from typing import TYPE_CHECKING

from typedtensors.ops.catalog.surface import surface
from typedtensors.ops.index import index
from typedtensors.ops.names import short
from typedtensors.ops.registry import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

# How modules are commonly imported.
_PREFIXES = {
    "F.": "torch.nn.functional.",
    "nn.": "torch.nn.",
    "Tensor.": "torch.Tensor.",
    "linalg.": "torch.linalg.",
    "special.": "torch.special.",
    "fft.": "torch.fft.",
    "np.": "numpy.",
    "tf.": "tensorflow.",
    "ndarray.": "numpy.ndarray.",
}
_LIBRARIES = ("torch.", "numpy.", "tensorflow.", "keras.", "einops.", "typedtensors.")
_ARRAYS = ("torch.Tensor.", "numpy.ndarray.", "tensorflow.Tensor.")
_OWNERS = ("torch", "torch.nn.functional", "torch.nn", "torch.Tensor")
_UNARY = {"~": "__invert__", "-x": "__neg__", "+x": "__pos__"}
_CALLS = (".forward", ".__call__", ".update_state", ".result")


def find(spelling: str) -> tuple[str, ...]:
    """The full names that have a rule and may be meant, sorted; none if there is no such op.

    >>> find("x.bmm")
    ('torch.Tensor.bmm',)
    """
    asked = _cleaned(spelling)
    full = _full(asked)
    if full in index():
        return (full,)
    if full.startswith(_LIBRARIES):
        return ()
    owner, _, name = asked.rpartition(".")
    found = _by_last_name().get(name, ())
    # What stands before a dot is somebody's array.
    return tuple(each for each in found if not owner or each.startswith(_ARRAYS))


def without_rule(spelling: str) -> str | None:
    """The full name of what torch has under a spelling and what has no rule; None otherwise."""
    asked = _cleaned(spelling)
    owner, _, name = asked.rpartition(".")
    owners = _OWNERS[-1:] if owner else _OWNERS
    known = {*surface()} - {*index()}
    guesses = [_full(asked), *(f"{each}.{name}" for each in owners)]
    return next((each for each in guesses if each in known), None)


def similar(spelling: str, count: int = 3) -> list[str]:
    """Short names of ops that a spelling may be a slip of, the closest first."""
    name = _cleaned(spelling).rpartition(".")[2]
    return difflib.get_close_matches(name, list(_by_last_name()), n=count)


def _cleaned(spelling: str) -> str:
    """A name or a sign out of an expression: `@` of `x @ y`, `x.sum` of `x.sum(-1)`."""
    text = spelling.strip().strip("`")
    if text.endswith("]"):
        return "__getitem__"
    words = text.split()
    sign = words[1] if len(words) == 3 else text
    for known in (sign, sign.removesuffix("=")):
        if known in _by_last_name() and not known.isidentifier():
            return known
    return _UNARY.get(text, text.partition("(")[0].strip("."))


def _full(asked: str) -> str:
    for prefix, whole in _PREFIXES.items():
        if asked.startswith(prefix):
            return canonical(whole + asked.removeprefix(prefix))
    return canonical(asked)


@cache
def _by_last_name() -> Mapping[str, tuple[str, ...]]:
    """The full names of each short one: `bmm`, and the signs of operators."""
    found: dict[str, set[str]] = {}
    for full in index():
        if full.endswith(_CALLS):
            continue
        last = full.rpartition(".")[2]
        for name in {last, short(full)}:
            found.setdefault(name, set()).add(full)
    return {name: tuple(sorted(names)) for name, names in found.items()}
