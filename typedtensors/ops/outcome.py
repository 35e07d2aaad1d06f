# SPDX-License-Identifier: Apache-2.0
"""What applying a rule gives: known, unknown with a reason, or a conflict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from typedtensors.diagnostics import Diagnostic
from typedtensors.dims import Facts
from typedtensors.dims.quick import dataclass
from typedtensors.ops.value import Unknown, Value
from typedtensors.shapes.tensor import Tensor


@dataclass(frozen=True)
class Broadcast:
    """One implicit broadcast inside a call, for the policy to judge.

    `operands` are the arrays that met, by parameter name; `compared` names those whose elements
    are compared pairwise by a loss or metric (a weight or variance is an operand, not compared).
    `indirect`: what meets is not the arrays as the code has them, so that no edit can be written.
    """

    op: str
    operands: Mapping[str, Tensor]
    result: Tensor
    compared: tuple[str, ...] = ()
    indirect: bool = False


@dataclass(frozen=True)
class Known:
    """A result: its value, the facts after the call, and the broadcasts that made it."""

    value: Value
    facts: Facts
    broadcasts: tuple[Broadcast, ...] = ()


@dataclass(frozen=True)
class Conflict:
    """The framework rejects this call, or it cannot be what was meant."""

    diagnostic: Diagnostic


Outcome: TypeAlias = Known | Unknown | Conflict


class Undetermined(Exception):  # noqa: N818 - it reports no error: the rule has no answer
    """Raised inside a rule whose arguments do not determine the result."""

    def __init__(self, reason: str) -> None:
        """`reason` is shown where the user asks why a shape is unknown."""
        super().__init__(reason)
        self.reason = reason


class Conflicting(Exception):  # noqa: N818 - the user's error, carried to the one place that returns it
    """Raised inside a rule whose arguments cannot go together."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        """`diagnostic` is what the user reads."""
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
