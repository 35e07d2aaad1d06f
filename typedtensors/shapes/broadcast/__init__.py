# SPDX-License-Identifier: Apache-2.0
"""Broadcasting: the resulting shape, the kind of broadcast, whether it is suspicious, the fix.

The only source of these answers, for the mypy plugin (symbolic dims), the guards (integers) and
the helpers. Three pure steps: `broadcast` the shapes, `classify` the outcome, `judge` the
event. Then `fixes` of an event that is reported, and their `hint` in words.
"""

from typedtensors.shapes.broadcast.acceptance import (
    ACCEPTING,
    accepted_lines,
    lines_of,
    own_parts,
    statement_parts,
)
from typedtensors.shapes.broadcast.arithmetic import Broadcast, Meeting, broadcast
from typedtensors.shapes.broadcast.dialect import NUMPY, TENSORFLOW, TORCH, Dialect
from typedtensors.shapes.broadcast.event import BroadcastEvent, Kind, classify
from typedtensors.shapes.broadcast.fix import Edit, fixes
from typedtensors.shapes.broadcast.intent import inserts_axis, meets_itself, tabulates
from typedtensors.shapes.broadcast.policy import Context, Level, Reason, judge
from typedtensors.shapes.broadcast.readings import readings
from typedtensors.shapes.broadcast.rewrite import hint, safe_edits

__all__ = [
    "ACCEPTING",
    "NUMPY",
    "TENSORFLOW",
    "TORCH",
    "Broadcast",
    "BroadcastEvent",
    "Context",
    "Dialect",
    "Edit",
    "Kind",
    "Level",
    "Meeting",
    "Reason",
    "accepted_lines",
    "broadcast",
    "classify",
    "fixes",
    "hint",
    "inserts_axis",
    "judge",
    "lines_of",
    "meets_itself",
    "own_parts",
    "readings",
    "safe_edits",
    "statement_parts",
    "tabulates",
]
