# SPDX-License-Identifier: Apache-2.0
"""The classes whose objects lead to no object that leads back to them.

The garbage collector has to follow all others, and an object that it is not told of costs less to
make. A frozen dataclass holds only what was there before it. So it is one of these, unless it may
hold an object that changes.
"""

from __future__ import annotations

import ast
import collections.abc
import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Iterable
from types import ModuleType

from tools.compiled.fields import is_frozen

_PLAIN = (bool, int, float, str, bytes, type(None), type(...), enum.Enum, ast.AST)
_HOLDERS = frozenset(
    {
        tuple,
        frozenset,
        typing.Union,
        types.UnionType,
        collections.abc.Mapping,
        collections.abc.Sequence,
        collections.abc.Set,
    }
)


def acyclic(modules: Iterable[ModuleType]) -> frozenset[type]:
    """Those among the dataclasses of some modules."""
    classes = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    }
    names = {cls.__name__: cls for cls in classes} | vars(typing)
    held = {cls: _held(cls, names) for cls in classes if is_frozen(cls)}
    found = {cls for cls, kinds in held.items() if kinds is not None}
    while True:
        left = {cls for cls in found if _may_stay(cls, held[cls] or [], found)}
        if left == found:
            return frozenset(found)
        found = left


def _held(cls: type, names: dict[str, object]) -> list[object] | None:
    """The types of an object's attributes, computed ones included; None if one is not known."""
    computed = [
        value.func
        for base in cls.__mro__
        for value in vars(base).values()
        if isinstance(value, functools.cached_property)
    ]
    try:
        kinds = typing.get_type_hints(cls, localns=names)
        return [
            *(kinds[field.name] for field in dataclasses.fields(cls)),
            *(typing.get_type_hints(each, localns=names)["return"] for each in computed),
        ]
    except NameError:
        return None


def _may_stay(cls: type, kinds: Iterable[object], found: set[type]) -> bool:
    family = {*cls.__mro__[:-1], *cls.__subclasses__()}
    return family <= found and all(_leads_on(kind, found) for kind in kinds)


def _leads_on(kind: object, found: set[type]) -> bool:
    """Whether an object of a type leads to objects of such classes and to plain values only."""
    if isinstance(kind, type) and (kind in found or issubclass(kind, _PLAIN)):
        return True
    held = [part for part in typing.get_args(kind) if part is not ...]
    return typing.get_origin(kind) in _HOLDERS and all(_leads_on(part, found) for part in held)
