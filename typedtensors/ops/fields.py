# SPDX-License-Identifier: Apache-2.0
"""`Fields`, a tuple with names, as a value."""

from __future__ import annotations

from typedtensors.ops.value import Value


class Fields(tuple[Value, ...]):  # noqa: SLOT001 - a tuple's items leave no room for slots
    """A named tuple, such as the `values` and `indices` of a maximum.

    Invariant: as many names as items.
    """

    names: tuple[str, ...]

    @staticmethod
    def of(**items: Value) -> Fields:
        """The items in order, each under its name."""
        made = Fields(items.values())
        made.names = tuple(items)
        return made

    def field(self, name: str) -> Value | None:
        """The item of that name, or None."""
        return self[self.names.index(name)] if name in self.names else None
