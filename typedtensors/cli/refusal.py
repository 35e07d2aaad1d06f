# SPDX-License-Identifier: Apache-2.0
"""What a verb raises when it cannot do what was asked."""

from __future__ import annotations

from typing import Final

CLEAN: Final = 0
FOUND: Final = 1
REFUSED: Final = 2


class RefusalError(Exception):
    """The command cannot be carried out; the message says why and what to do about it."""
