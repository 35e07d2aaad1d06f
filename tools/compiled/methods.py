# SPDX-License-Identifier: Apache-2.0
"""The methods that a dataclass gets at run time, as source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tools.compiled.fields import Field

REPLACING = "_replaced"


def constructor(fields: Sequence[Field], caches: Sequence[str], *, checks: bool) -> Iterator[str]:
    """The lines of `__init__`; `checks`: the class has a `__post_init__`.

    `caches` are the attributes that hold what is computed when it is first asked for.
    """
    places = [field for field in fields if field.init and not field.keyword]
    words = [field for field in fields if field.init and field.keyword]
    parameters = ["self", *map(_parameter, places), *["*"] * bool(words), *map(_parameter, words)]
    yield f"def __init__({', '.join(parameters)}) -> None:"
    if not fields:
        yield "    pass"
    for field in fields:
        value = _value(field)
        if value is not None:
            yield f"    self.{field.name} = {value}"
    for cache in caches:
        yield f"    self.{cache} = None"
    if checks:
        yield "    self.__post_init__()"


def equality(cls: str, fields: Sequence[Field]) -> Iterator[str]:
    """The lines of `__eq__`."""
    same = " and ".join(f"self.{field.name} == other.{field.name}" for field in fields)
    yield "def __eq__(self, other: object) -> bool:"
    yield "    if self is other:"
    yield "        return True"
    yield f"    if not isinstance(other, {cls}) or other.__class__ is not self.__class__:"
    yield "        return NotImplemented"
    yield f"    return {same or True}"


def hashing(fields: Sequence[Field]) -> Iterator[str]:
    """The lines of `__hash__`."""
    yield "def __hash__(self) -> int:"
    yield f"    return hash(({''.join(f'self.{field.name}, ' for field in fields)}))"


def copying(cls: str, fields: Sequence[Field]) -> Iterator[str]:
    """The lines of `__reduce__`: a compiled object has no `__dict__` to be copied or pickled by."""
    values = "".join(f"self.{field.name}, " for field in fields)
    yield "def __reduce__(self) -> tuple[object, ...]:"
    yield f"    return {cls}, ({values})"


def replacing(cls: str, fields: Sequence[Field]) -> Iterator[str]:
    """The lines of what `dataclasses.replace` gives way to."""
    given = ((field, f'changes.get("{field.name}", self.{field.name})') for field in fields)
    values = (f"{field.name}={value}" if field.keyword else value for field, value in given)
    yield f"def {REPLACING}(self, **changes: _Any) -> {cls}:"
    yield f"    return {cls}({', '.join(values)})"


def cached(name: str, kind: str) -> Iterator[str]:
    """The lines of a property that is computed once; an answer of None is computed again."""
    cache, maker = cache_of(name), maker_of(name)
    yield "@property"
    yield f"def {name}(self) -> {kind}:"
    yield f"    known = self.{cache}"
    yield "    if known is None:"
    yield f"        known = self.{cache} = self.{maker}()"
    yield "    return known"


def cache_of(name: str) -> str:
    """The attribute that holds the value of a cached property."""
    return f"_known_{name}"


def maker_of(name: str) -> str:
    """The method that computes the value of a cached property."""
    return f"_make_{name}"


def _parameter(field: Field) -> str:
    kind = ast.unparse(field.annotation)
    if field.default is not None:
        return f"{field.name}: {kind} = {ast.unparse(field.default)}"
    return f"{field.name}: {kind}" + (" | None = None" if field.factory is not None else "")


def _value(field: Field) -> str | None:
    """What the constructor sets a field to, None if it leaves that to `__post_init__`."""
    if field.factory is None:
        if field.init or field.default is None:
            return field.name if field.init else None
        return ast.unparse(field.default)
    made = f"({ast.unparse(field.factory)})()"
    if isinstance(field.factory, ast.Lambda):
        made = f"({ast.unparse(field.factory.body)})"
    return f"{made} if {field.name} is None else {field.name}" if field.init else made
