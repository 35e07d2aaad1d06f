# SPDX-License-Identifier: Apache-2.0
"""How a verb ends: its exit status, and what it raises when it cannot do what was asked."""

from __future__ import annotations

from typing import Final

CLEAN: Final = 0
FOUND: Final = 1
REFUSED: Final = 2
# What a shell shows for a process that Ctrl-C ended.
INTERRUPTED: Final = 130


class RefusalError(Exception):
    """The command cannot be carried out; the message says why and what to do about it."""
