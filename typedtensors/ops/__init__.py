# SPDX-License-Identifier: Apache-2.0
"""How each op maps shapes: one declaration per op, one table."""

from typedtensors.ops.call import Call, Framework
from typedtensors.ops.fields import Fields
from typedtensors.ops.outcome import Broadcast, Conflict, Conflicting, Known, Outcome, Undetermined
from typedtensors.ops.registry import canonical, lookup, rule, rules
from typedtensors.ops.rule import Array, Example, Module, Rule, example, indices
from typedtensors.ops.value import (
    SOME_FLOAT,
    Device,
    Distribution,
    Layer,
    Many,
    Object,
    Rounds,
    Unknown,
    Value,
)

__all__ = [
    "SOME_FLOAT",
    "Array",
    "Broadcast",
    "Call",
    "Conflict",
    "Conflicting",
    "Device",
    "Distribution",
    "Example",
    "Fields",
    "Framework",
    "Known",
    "Layer",
    "Many",
    "Module",
    "Object",
    "Outcome",
    "Rounds",
    "Rule",
    "Undetermined",
    "Unknown",
    "Value",
    "canonical",
    "example",
    "indices",
    "lookup",
    "rule",
    "rules",
]
