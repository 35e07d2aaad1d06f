# SPDX-License-Identifier: Apache-2.0
"""A decorated class: each of its own methods that has something to check is replaced."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from typedtensors.runtime.calls.links import class_dims
from typedtensors.runtime.hints.annotations import raw_annotations, type_parameters
from typedtensors.runtime.targets.descriptors import functions_of


def decorate_class(
    cls: type, names: Mapping[str, Any], decorate: Callable[..., Any], *, shares_dims: bool
) -> type:
    """Replace the methods of a class that have annotations, in place.

    Args:
        cls: the class.
        names: those around it, for quoted annotations.
        decorate: replaces one member, given the names in its scope and the dims of its class.
        shares_dims: whether there are any that its methods share.
    """
    if getattr(cls, "__no_type_check__", False):
        return cls
    scope, found = names_in_class(cls, names), False
    dims = class_dims(cls, scope) if shares_dims else {}
    for name, member in list(vars(cls).items()):
        if any(raw_annotations(function) for function in functions_of(member)):
            found = True
            has_instance = not isinstance(member, classmethod | staticmethod)
            _replace(cls, name, decorate(member, scope, dims=dims if has_instance else {}))
    if not found:
        _warn_about(cls)
    return cls


def names_in_class(cls: type, names: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the names that annotations of methods may use."""
    # Generated methods, such as those of a named tuple, have globals of their own.
    module = vars(sys.modules.get(cls.__module__, builtins))
    # A method does not hide a type of its name, as in `def date(self) -> date`.
    aliases = {name: value for name, value in vars(cls).items() if not functions_of(value)}
    return {**module, **names, **type_parameters(cls), **aliases, cls.__name__: cls}


def _replace(cls: type, name: str, member: Any) -> None:
    setattr(cls, name, member)
    if hasattr(member, "__set_name__"):
        member.__set_name__(cls, name)


def _warn_about(cls: type) -> None:
    from typedtensors.runtime.notices import UncheckedWarning

    message = f"typechecked: no method that `{cls.__qualname__}` itself defines has annotations"
    warnings.warn(message, UncheckedWarning, stacklevel=6)
