# SPDX-License-Identifier: Apache-2.0
"""What kind of finding this is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """The name under which a finding is reported, silenced and explained.

    Args:
        name: What stands in brackets after a message, `tensor-shape`.
        parent: The family that silences it too, or None for the family itself.
        summary: One line that says what findings of this code have in common.
    """

    name: str
    parent: str | None
    summary: str

    def __str__(self) -> str:
        return self.name
