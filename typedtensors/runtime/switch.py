# SPDX-License-Identifier: Apache-2.0
"""What the environment switches off: `TYPEDTENSORS=off`, `once` or `always`."""

from __future__ import annotations

import enum
import os
import warnings


class Mode(enum.Enum):
    """Which calls of a checked function are compared with its annotations."""

    OFF = "off"
    ONCE = "once"
    """Each function until a call of it has passed."""
    ALWAYS = "always"


def mode() -> Mode:
    """Read the mode from the environment; it is always on if it says nothing that is known."""
    text = os.environ.get("TYPEDTENSORS", "").lower()
    if not text:
        return Mode.ALWAYS
    try:
        return Mode(text)
    except ValueError:
        known = ", ".join(each.value for each in Mode)
        warnings.warn(f"TYPEDTENSORS={text} is none of: {known}", stacklevel=3)
        return Mode.ALWAYS


def is_off() -> bool:
    """Say whether `TYPEDTENSORS=off` is set."""
    return mode() is Mode.OFF
