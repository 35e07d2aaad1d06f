# SPDX-License-Identifier: Apache-2.0
"""The fields of a dataclass, as its source declares them."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

CONSTRUCTORS = frozenset({"field", "dataclasses.field"})


@dataclass(frozen=True)
class Field:
    """One field: its name, and its annotation, its default and what makes its default, as source.

    `home` is the module that declares it: there the names in these mean something.
    """

    name: str
    annotation: ast.expr
    default: ast.expr | None
    factory: ast.expr | None
    home: str
    init: bool
    compare: bool
    keyword: bool

    def names(self) -> Iterator[str]:
        """Every name that its source uses."""
        for part in filter(None, (self.annotation, self.default, self.factory)):
            for node in ast.walk(part):
                if isinstance(node, ast.Name):
                    yield node.id


def fields_of(cls: type) -> list[Field]:
    """The fields of a dataclass in their order, inherited ones included."""
    declared = {
        node.target.id: (node, base)
        for base in reversed(cls.__mro__)
        if dataclasses.is_dataclass(base)
        for node in body_of(base)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return [
        _field(field, *declared[field.name])
        for field in dataclasses.fields(cls)  # type: ignore[arg-type]
    ]


def body_of(cls: type) -> list[ast.stmt]:
    """What a class's source says in its body."""
    return _definition(cls).body


def is_frozen(cls: type) -> bool:
    """Whether a class's source says that it is a frozen dataclass."""
    return dataclasses.is_dataclass(cls) and any(
        keyword.arg == "frozen" and ast.unparse(keyword.value) == "True"
        for decorator in _definition(cls).decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
    )


def _definition(cls: type) -> ast.ClassDef:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(definition, ast.ClassDef)
    return definition


def _field(field: dataclasses.Field[object], node: ast.AnnAssign, owner: type) -> Field:
    default, factory = node.value, None
    if isinstance(default, ast.Call) and ast.unparse(default.func) in CONSTRUCTORS:
        given = {keyword.arg: keyword.value for keyword in default.keywords}
        default, factory = given.get("default"), given.get("default_factory")
    return Field(
        field.name,
        node.annotation,
        default,
        factory,
        owner.__module__,
        field.init,
        field.compare,
        bool(field.kw_only),
    )
