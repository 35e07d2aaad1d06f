# SPDX-License-Identifier: Apache-2.0
"""Checks at run time: `@typechecked`, `check` and `matches`.

jaxtyping and beartype are loaded when something is first checked, not when this is imported.
"""

from typing import TYPE_CHECKING, Any

from typedtensors.runtime.check import check, matches
from typedtensors.runtime.decorator import typechecked

if TYPE_CHECKING:
    from typedtensors.runtime.calls.plan import UncheckedWarning
    from typedtensors.runtime.errors import TensorCheckError

__all__ = ["TensorCheckError", "UncheckedWarning", "check", "matches", "typechecked"]


def __getattr__(name: str) -> Any:
    if name == "TensorCheckError":
        from typedtensors.runtime.errors import TensorCheckError

        return TensorCheckError
    if name == "UncheckedWarning":
        from typedtensors.runtime.calls.plan import UncheckedWarning

        return UncheckedWarning
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
