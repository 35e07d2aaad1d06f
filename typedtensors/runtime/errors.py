# SPDX-License-Identifier: Apache-2.0
"""What a failed check raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jaxtyping

from typedtensors.diagnostics import Diagnostic, TensorError

Size = int | tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """What is known of a failed check, as plain data: no array is kept alive.

    Args:
        diagnostic: The finding in one sentence, with its fix where one is known to help.
        function: The function's qualified name, or `check`.
        argument: The parameter, with the path into a container (`xs[3]`); `return`, `yield`.
        axis: Which axis is wrong; None if it is not one axis.
        expected: The size, rank, dtype or type that was needed.
        actual: The size, rank, dtype or type that was found.
        bindings: The size of each dim and the shape of each `*dim`, without the argument.
        table: The whole table.
    """

    diagnostic: Diagnostic
    function: str
    argument: str
    axis: int | None
    expected: int | str
    actual: int | str
    bindings: Mapping[str, Size]
    table: str


class TensorCheckError(TensorError, jaxtyping.TypeCheckError):
    """An argument or a result does not fit its annotation; prints a table of all arrays.

    It is a `jaxtyping.TypeCheckError`, so that existing handlers catch it.

    Args:
        failure: What is known; each of its fields is an attribute of the error too.
    """

    def __init__(self, failure: Failure) -> None:
        if hasattr(self, "failure"):
            return  # it has been made before
        super().__init__(failure.diagnostic)
        # What pickling passes to this method again.
        self.args = (failure,)
        self.failure = failure

    @property
    def function(self) -> str:
        """The function's qualified name."""
        return self.failure.function

    @property
    def argument(self) -> str:
        """The parameter that does not fit, `return` or `yield`."""
        return self.failure.argument

    @property
    def axis(self) -> int | None:
        """Which axis of it is wrong; None if it is not one axis."""
        return self.failure.axis

    @property
    def expected(self) -> int | str:
        """The size, rank, dtype or type that was needed."""
        return self.failure.expected

    @property
    def actual(self) -> int | str:
        """The size, rank, dtype or type that was found."""
        return self.failure.actual

    @property
    def bindings(self) -> Mapping[str, Size]:
        """The sizes of dims that the other arrays agree on."""
        return self.failure.bindings

    def __str__(self) -> str:
        return self.failure.table


# Users meet the public name in tracebacks.
TensorCheckError.__module__ = "typedtensors"
