# SPDX-License-Identifier: Apache-2.0
"""Nodes that have parts: containers and unions."""

from __future__ import annotations

import collections.abc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.hints.nodes import Hint, Leaf
from typedtensors.runtime.scope import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class PartsHint(Hint):
    """A container: its class, and the hints of its parts."""

    annotation: Any
    origin: type

    def parts(self, value: Any) -> Iterator[tuple[str, Any, Hint]]:
        """Yield the path, the value and the hint of each part."""
        raise NotImplementedError

    @property
    def children(self) -> tuple[Hint, ...]:
        """The hints of the parts."""
        raise NotImplementedError

    def annotations(self) -> Iterator[Any]:
        """Yield those of all parts."""
        for child in self.children:
            yield from child.annotations()

    def fits(self, value: Any) -> bool:
        """Say whether `value` is such a container, whatever it holds."""
        return isinstance(value, self.origin)

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Return the container if it is of another class, else its first bad part."""
        if not self.fits(value):
            return Leaf(path, value, self.annotation)
        found = (hint.mismatch(part, path + step) for step, part, hint in self.parts(value))
        return next((leaf for leaf in found if leaf is not None), None)

    def arrays(self, value: Any, path: str = "") -> Iterator[Leaf]:
        """Yield the arrays of all parts."""
        if self.fits(value):
            for step, part, hint in self.parts(value):
                yield from hint.arrays(part, path + step)


@dataclass(frozen=True, slots=True)
class ItemsHint(PartsHint):
    """`list[X]`, `tuple[X, ...]`, `Sequence[X]`, `set[X]`."""

    item: Hint

    @property
    def children(self) -> tuple[Hint, ...]:
        """The hints of the parts."""
        return (self.item,)

    def parts(self, value: Any) -> Iterator[tuple[str, Any, Hint]]:
        """Yield the elements; an iterator is not consumed."""
        if isinstance(value, collections.abc.Collection):
            for index, element in enumerate(value):
                yield f"[{index}]", element, self.item


@dataclass(frozen=True, slots=True)
class TupleHint(PartsHint):
    """`tuple[X, Y]`."""

    items: tuple[Hint, ...]

    @property
    def children(self) -> tuple[Hint, ...]:
        """The hints of the parts."""
        return self.items

    def fits(self, value: Any) -> bool:
        """Say whether `value` is a tuple of that length."""
        return isinstance(value, tuple) and len(value) == len(self.items)

    def parts(self, value: Any) -> Iterator[tuple[str, Any, Hint]]:
        """Yield the elements."""
        for index, (element, hint) in enumerate(zip(value, self.items, strict=True)):
            yield f"[{index}]", element, hint


@dataclass(frozen=True, slots=True)
class FieldsHint(PartsHint):
    """A `NamedTuple` class; a field that has its default is as good as one not given."""

    fields: tuple[tuple[str, Hint], ...]
    defaults: Mapping[str, Any]

    @property
    def children(self) -> tuple[Hint, ...]:
        """The hints of the parts."""
        return tuple(hint for _, hint in self.fields)

    def parts(self, value: Any) -> Iterator[tuple[str, Any, Hint]]:
        """Yield the fields."""
        for name, hint in self.fields:
            field = getattr(value, name)
            if name not in self.defaults or field is not self.defaults[name]:
                yield f".{name}", field, hint


@dataclass(frozen=True, slots=True)
class KeysHint(PartsHint):
    """A `TypedDict` class with array values."""

    items: tuple[tuple[str, Hint], ...]

    @property
    def children(self) -> tuple[Hint, ...]:
        """The hints of the parts."""
        return tuple(hint for _, hint in self.items)

    def parts(self, value: Any) -> Iterator[tuple[str, Any, Hint]]:
        """Yield the values of the known keys; which have to be there is for type checkers."""
        for key, hint in self.items:
            if key in value:
                yield f"[{key!r}]", value[key], hint


@dataclass(frozen=True, slots=True)
class MappingHint(PartsHint):
    """`dict[K, V]`."""

    key: Hint
    item: Hint

    @property
    def children(self) -> tuple[Hint, ...]:
        """The hints of the parts."""
        return (self.key, self.item)

    def parts(self, value: Any) -> Iterator[tuple[str, Any, Hint]]:
        """Yield the keys and the values."""
        for key, element in value.items():
            yield f" key {key!r}", key, self.key
            yield f"[{key!r}]", element, self.item


@dataclass(frozen=True, slots=True)
class UnionHint(Hint):
    """`X | Y`: the first that fits binds its dims, the others none."""

    annotation: Any
    options: tuple[Hint, ...]

    def annotations(self) -> Iterator[Any]:
        """Yield those of all options."""
        for option in self.options:
            yield from option.annotations()

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Try each; blame the only option that could have described the value, if one."""
        blamed = []
        for option in self.options:
            with Trial() as trial:
                leaf = option.mismatch(value, path)
                if leaf is None:
                    trial.keep()
                    return None
            if next(option.arrays(value, path), None) is not None:
                blamed.append(leaf)
        return blamed[0] if len(blamed) == 1 else Leaf(path, value, self.annotation)

    def arrays(self, value: Any, path: str = "") -> Iterator[Leaf]:
        """Yield the arrays of the option that fits, else of the first that has any."""
        with Trial():
            fitting = [option for option in self.options if option.mismatch(value) is None]
        for option in fitting or self.options:
            leaves = list(option.arrays(value, path))
            if leaves or fitting:
                yield from leaves
                return
