# SPDX-License-Identifier: Apache-2.0
"""`dataclass`, for values of which the interpreter makes millions.

To type checkers it is Python's own. At run time a frozen class has no guard against assignment,
with which making one takes three times as long: that nobody assigns, the type checker shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    from functools import partial

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, **others: bool
    ) -> object:
        """Python's own, but for the guard: equal values of a frozen class hash alike."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, **others)
        hashed = frozen and eq and "__hash__" not in vars(cls)
        return dataclasses.dataclass(cls, eq=eq, unsafe_hash=hashed, **others)


__all__ = ["dataclass"]
