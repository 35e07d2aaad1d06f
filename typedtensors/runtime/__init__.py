# SPDX-License-Identifier: Apache-2.0
"""Checks at run time: `@typechecked`, `check` and `matches`.

jaxtyping and beartype are loaded when something is first checked, not when this is imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.check import bindings, check, matches
from typedtensors.runtime.decorator import typechecked

if TYPE_CHECKING:
    from typedtensors.runtime.dropin import jaxtyped
    from typedtensors.runtime.errors import TensorCheckError
    from typedtensors.runtime.hook import install_import_hook
    from typedtensors.runtime.notices import SpecWarning, UncheckedWarning

__all__ = [
    "SpecWarning",
    "TensorCheckError",
    "UncheckedWarning",
    "bindings",
    "check",
    "install_import_hook",
    "jaxtyped",
    "matches",
    "typechecked",
]

_HOMES = {
    "TensorCheckError": "typedtensors.runtime.errors",
    "install_import_hook": "typedtensors.runtime.hook",
    "jaxtyped": "typedtensors.runtime.dropin",
    "SpecWarning": "typedtensors.runtime.notices",
    "UncheckedWarning": "typedtensors.runtime.notices",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
