# SPDX-License-Identifier: Apache-2.0
"""Broadcasting: the resulting shape, the kind of broadcast, whether it is suspicious, the fix.

The only source of these answers, for the mypy plugin (symbolic dims), the guards (integers) and
the helpers. Three pure steps: `broadcast` the shapes, `classify` the outcome, `judge` the event.
"""

from typedtensors.shapes.broadcast.arithmetic import Broadcast, Meeting, broadcast
from typedtensors.shapes.broadcast.event import BroadcastEvent, Kind, classify
from typedtensors.shapes.broadcast.policy import Context, Level, Reason, judge

__all__ = [
    "Broadcast",
    "BroadcastEvent",
    "Context",
    "Kind",
    "Level",
    "Meeting",
    "Reason",
    "broadcast",
    "classify",
    "judge",
]
