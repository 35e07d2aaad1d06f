# SPDX-License-Identifier: Apache-2.0
"""`dataclass` and `cached_property`, for values of which the interpreter makes millions.

To type checkers they are Python's own. At run time a frozen class has no guard against assignment,
with which making one takes three times as long: that nobody assigns, the type checker shows. And a
property is computed without the lock that Python's own takes for that before 3.12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
    from functools import cached_property
else:
    import dataclasses
    from functools import partial

    class cached_property:  # noqa: N801 - named as Python's own is
        """Python's own, but for the lock: computed when it is first asked for."""

        def __init__(self, make: object) -> None:
            self.make, self.name = make, make.__name__
            self.__doc__ = make.__doc__

        def __get__(self, instance: object, owner: type | None = None) -> object:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.make(instance)
            return value

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, **others: bool
    ) -> object:
        """Python's own, but for the guard: equal values of a frozen class hash alike."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, **others)
        hashed = frozen and eq and "__hash__" not in vars(cls)
        return dataclasses.dataclass(cls, eq=eq, unsafe_hash=hashed, **others)


__all__ = ["cached_property", "dataclass"]
