# SPDX-License-Identifier: Apache-2.0
"""Dims of a class: an int attribute that an array attribute of the object bears out.

    class Linear:
        d_in: int
        weight: Float[Tensor, "d_out d_in"]

        def __call__(self, x: Float[Tensor, "batch d_in"]) -> ...

That a method's dim has the name of an attribute says nothing by itself. That the object has an
array whose axis of that name has that very size says that they are the same. Not so in a method
that gives the object another array or another size: it may well be called with one.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from typedtensors.runtime.hints.annotations import raw_annotations, resolve
from typedtensors.runtime.hints.parse import is_array_annotation
from typedtensors.shapes import parse_spec

Place = tuple[str, int]
"""An array attribute, and the index of an axis of it: from the end after a variadic."""

ClassDims = Mapping[str, tuple[Place, ...]]
"""Where each dim of a class occurs among its annotated attributes."""


@dataclass(frozen=True)
class Link:
    """A dim of a method that may be one of its class.

    Args:
        dim: the name.
        places: where arrays of the object have an axis of that name.
    """

    dim: str
    places: tuple[Place, ...]

    def size(self, instance: Any) -> int | None:
        """Return the size that the object gives the dim; None if nothing bears it out."""
        size = _own_int(instance, self.dim)
        if size is None:
            return None
        return size if any(_size_at(instance, place) == size for place in self.places) else None

    def source(self, receiver: str) -> str:
        """Say where the size is from."""
        return f"{receiver}.{self.dim}, as in {receiver}.{self.places[0][0]}"


def find_links(
    function: Callable[..., Any], named: Iterable[str], dims: ClassDims
) -> tuple[Link, ...]:
    """Find the dims of a method that may be dims of its class.

    Args:
        function: the method.
        named: the dims that its annotations name.
        dims: those of its class.
    """
    links = [Link(dim, dims[dim]) for dim in sorted({*named} & dims.keys())]
    if not links:
        return ()
    stored, names = _stored_and_named(getattr(inspect.unwrap(function), "__code__", None))
    if names & _CHANGES:
        return ()
    kept = {link.dim: {link.dim, *(attribute for attribute, _ in link.places)} for link in links}
    return tuple(link for link in links if not stored & kept[link.dim])


# What a function that gives an object another array calls or names.
_CHANGES = frozenset(
    {
        *("setattr", "__setattr__", "__dict__", "__init__", "data", "set_", "resize_"),
        *("register_buffer", "register_parameter", "load_state_dict"),
    }
)


def _stored_and_named(code: Any) -> tuple[set[str], set[str]]:
    """Return the attributes that a function stores, and all names that it looks up."""
    if code is None:
        return set(), set()
    stored = {each.argval for each in dis.get_instructions(code) if each.opname == "STORE_ATTR"}
    names = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more_stored, more_names = _stored_and_named(inner)
            stored, names = stored | more_stored, names | more_names
    return stored, names


def class_dims(cls: type, names: Mapping[str, Any]) -> ClassDims:
    """Read the annotations in the body of a class, and of those that it is derived from.

    Args:
        cls: the class.
        names: those that quoted annotations may use; what cannot be read now is passed over.
    """
    found: dict[str, tuple[Place, ...]] = {}
    for base in reversed(cls.__mro__[:-1]):
        for attribute, raw in raw_annotations(base).items():
            for dim, index in _named_axes(raw, base, names):
                found[dim] = (*found.get(dim, ()), (attribute, index))
    return found


def _named_axes(raw: Any, cls: type, names: Mapping[str, Any]) -> list[tuple[str, int]]:
    try:
        annotation = resolve(raw, cls, names, final=True)
        spec = parse_spec(annotation.dim_str) if is_array_annotation(annotation) else None
    except (ValueError, TypeError):
        return []
    if spec is None:
        return []
    cut = len(spec.axes) if spec.variadic is None else spec.variadic
    return [
        (axis.name, place if place < cut else place - len(spec.axes))
        for place, axis in enumerate(spec.axes)
        if axis.name is not None and not axis.variadic and not axis.flexible
    ]


def _own_int(instance: Any, name: str) -> int | None:
    """Return an int that the object itself holds: no property is asked."""
    held = getattr(instance, "__dict__", None)
    if held is None or name not in held:
        if not isinstance(getattr(type(instance), name, None), types.MemberDescriptorType):
            return None
        value = getattr(instance, name, None)
    else:
        value = held[name]
    return value if type(value) is int else None


def _size_at(instance: Any, place: Place) -> Any:
    attribute, index = place
    try:
        return getattr(instance, attribute).shape[index]
    except (AttributeError, IndexError, TypeError, RuntimeError):
        return None
