# SPDX-License-Identifier: Apache-2.0
"""A parameter's type hint as a tree: array annotations, containers of them, the rest.

Made once per annotation by `parse_hint`; `Hint.mismatch` runs at each call. Arrays are judged
by jaxtyping, every element of every container counts, and all of them share the bindings of
the current scope. What holds no array is judged by beartype.
"""

from __future__ import annotations

import collections.abc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beartype import BeartypeConf
from beartype.door import is_bearable

from typedtensors.runtime.scope import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


BEARTYPE = BeartypeConf(is_pep484_tower=True)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value that meets one annotation; `path` is `""`, `"[2]"`, `".mean"`, ..."""

    path: str
    value: Any
    annotation: Any


def has_shape(value: Any) -> bool:
    """Say whether a value has a shape; some nested tensors raise an error when they are asked."""
    try:
        return hasattr(value, "shape")
    except RuntimeError:
        return False


class Hint:
    """A node of the tree. Checks bind dims in the current scope."""

    __slots__ = ()

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Return the first part of `value` that does not fit, or None."""
        raise NotImplementedError

    def arrays(self, value: Any, path: str = "") -> Iterator[Leaf]:
        """Yield each part of `value` that an array annotation describes."""
        del value, path
        return iter(())

    def annotations(self) -> Iterator[Any]:
        """Yield each array annotation."""
        return iter(())


@dataclass(frozen=True, slots=True)
class ArrayHint(Hint):
    """`Float[Tensor, "b d"]`."""

    annotation: Any

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask jaxtyping; a value that will not tell its shape is not to blame for it."""
        try:
            fits = isinstance(value, self.annotation)
        except (RuntimeError, AttributeError) as error:
            if has_shape(value) and hasattr(value, "dtype"):
                raise
            # Else it is of the class, as a list is array-like, and no array.
            fits = isinstance(error, RuntimeError)
        return None if fits else Leaf(path, value, self.annotation)

    def arrays(self, value: Any, path: str = "") -> Iterator[Leaf]:
        """Yield the value itself."""
        yield Leaf(path, value, self.annotation)

    def annotations(self) -> Iterator[Any]:
        """Yield the only one."""
        yield self.annotation


@dataclass(frozen=True, slots=True)
class ClassHint(Hint):
    """An ordinary class, and the classes accepted in its place."""

    annotation: type
    accepted: tuple[type, ...]

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask `isinstance`."""
        return None if isinstance(value, self.accepted) else Leaf(path, value, self.annotation)


NONE = ClassHint(type(None), (type(None),))


@dataclass(frozen=True, slots=True)
class PlainHint(Hint):
    """Any other hint without a shape of its own: beartype's."""

    annotation: Any

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask beartype."""
        fits = is_bearable(value, self.annotation, conf=BEARTYPE)
        return None if fits else Leaf(path, value, self.annotation)


@dataclass(frozen=True, slots=True)
class AnyHint(Hint):
    """A hint that accepts everything, or that nobody can check."""

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Accept."""
        del value, path
        return None


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
