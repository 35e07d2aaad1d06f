# SPDX-License-Identifier: Apache-2.0
"""Colors, where somebody looks at them."""

from __future__ import annotations

import os
from enum import Enum
from typing import TextIO


class Style(Enum):
    """A look, by its ANSI escape code."""

    BOLD = "1"
    DIM = "2"
    RED = "1;31"
    GREEN = "32"
    CYAN = "36"


def is_interactive(stream: TextIO) -> bool:
    """Tell whether a stream ends at a terminal that shows colors.

    `NO_COLOR` and `TERM=dumb` are honored.
    """
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def paint(text: str, style: Style, *, on: bool) -> str:
    """Put a text into a style, if colors are on."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if on and text else text
