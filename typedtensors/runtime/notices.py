# SPDX-License-Identifier: Apache-2.0
"""What is said once, where a function is decorated."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from typedtensors.runtime.hints.annotations import name_of


class UncheckedWarning(UserWarning):
    """An annotation of a checked function, or a whole class, can not be checked at run time."""


class SpecWarning(UserWarning):
    """A shape annotation that jaxtyping accepts and that cannot be meant as written."""


# Users meet the public names on the screen.
UncheckedWarning.__module__ = SpecWarning.__module__ = "typedtensors"


def warn_about(function: Callable[..., Any], category: type[Warning], message: str) -> None:
    """Warn at the line where a function is defined, not where it is decorated."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    text = f"{name_of(function)}(): {message}"
    if code is None:
        warnings.warn(text, category, stacklevel=2)
    else:
        warnings.warn_explicit(text, category, code.co_filename, code.co_firstlineno)
