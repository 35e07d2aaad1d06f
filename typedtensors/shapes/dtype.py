# SPDX-License-Identifier: Apache-2.0
"""`DType`, the set of element types an array may have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """The element types that are possible, by name; None if nothing is known."""

    names: frozenset[str] | None


ANY = DType(None)
