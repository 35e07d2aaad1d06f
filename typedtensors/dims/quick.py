# SPDX-License-Identifier: Apache-2.0
"""`dataclass` and `cached_property`, for values of which the interpreter makes millions.

To type checkers they are Python's own. At run time a frozen class has no guard against assignment,
with which making one takes three times as long: that nobody assigns, the type checker shows. How
its values are compared, hashed and shown is written when that is first asked for: to write it for
every class takes most of the time in which they are imported, and a run needs it of few. And a
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
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        eq: bool = True,
        repr: bool = True,  # noqa: A002 - as Python's own has it
        **others: bool,
    ) -> object:
        """Python's own, but for the guard: equal values of a frozen class hash alike."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, repr=repr, **others)
        hashed = frozen and eq and "__hash__" not in vars(cls)
        wanted = {"__eq__": eq, "__hash__": hashed, "__repr__": repr}
        late = [name for name, is_wanted in wanted.items() if is_wanted and name not in vars(cls)]
        made = dataclasses.dataclass(cls, eq=False, repr=False, **others)
        if eq and not hashed and "__hash__" not in vars(cls):
            made.__hash__ = None
        for name in late:
            setattr(made, name, _late(made, name, late))
        return made

    def _late(cls: type, name: str, names: list[str]) -> object:
        """A method that is written, as are all of `names`, when it is first called."""

        def first(self: object, *others: object) -> object:
            twin = _twin(cls)
            for each in names:
                setattr(cls, each, getattr(twin, each))
            return getattr(cls, name)(self, *others)

        return first

    def _twin(cls: type) -> type:
        """A class of the same fields for which Python has written everything."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        kinds = {name: field.type for name, field in fields.items()}
        twin = type(cls.__name__, (), {"__annotations__": kinds, **fields})
        return dataclasses.dataclass(twin, init=False, unsafe_hash=True)


__all__ = ["cached_property", "dataclass"]
