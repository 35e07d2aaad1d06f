# SPDX-License-Identifier: Apache-2.0
"""Whether a hint that is not taken apart has to do with arrays all the same."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Iterator
from typing import Any


def mentions_arrays(annotation: Any) -> bool:
    """Say whether beartype, given this hint, may ask jaxtyping, which binds dims of its own."""
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        # Array annotations and `PyTree` are classes that answer `isinstance` themselves.
        metaclasses = inspect.getmro(type(annotation))
        return any(each.__module__.partition(".")[0] == "jaxtyping" for each in metaclasses)
    if typing.get_origin(annotation) is collections.abc.Callable:
        return False
    return any(mentions_arrays(part) for part in _parts(annotation))


def _parts(annotation: Any) -> Iterator[Any]:
    """Yield the hints within a hint."""
    yield from typing.get_args(annotation)
    bounds = (getattr(annotation, "__bound__", None), *getattr(annotation, "__constraints__", ()))
    # A `NewType`, and a `type` statement.
    aliased = (getattr(annotation, "__supertype__", None), getattr(annotation, "__value__", None))
    yield from (part for part in (*bounds, *aliased) if part is not None)
