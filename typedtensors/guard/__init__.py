# SPDX-License-Identifier: Apache-2.0
"""The guard: stops at a broadcast nobody asked for."""

from typedtensors.guard.allow import allow_broadcast
from typedtensors.guard.compiled import audited
from typedtensors.guard.door import GuardInternalWarning
from typedtensors.guard.dry import dry_run
from typedtensors.guard.reach.worker import guard_worker
from typedtensors.guard.report import (
    BroadcastError,
    BroadcastWarning,
    DryRunError,
    GuardEvent,
    Report,
)
from typedtensors.guard.session import Guard, guard
from typedtensors.guard.traced import audit

__all__ = [
    "BroadcastError",
    "BroadcastWarning",
    "DryRunError",
    "Guard",
    "GuardEvent",
    "GuardInternalWarning",
    "Report",
    "allow_broadcast",
    "audit",
    "audited",
    "dry_run",
    "guard",
    "guard_worker",
]
