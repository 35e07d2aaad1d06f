# SPDX-License-Identifier: Apache-2.0
"""What the environment switches off."""

from __future__ import annotations

import os


def is_off() -> bool:
    """Say whether `TYPEDTENSORS=off` is set."""
    return os.environ.get("TYPEDTENSORS", "").lower() == "off"
