# SPDX-License-Identifier: Apache-2.0
"""Which code assigns the attributes of a class's objects."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from typedtensors_mypy.interpreter.calls.classes import lineage, method_of, user_class
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.values import Function, UserClass
from typedtensors_mypy.source.modules import AnyFunction
from typedtensors_mypy.source.syntax.contents import ANY_NAME, parts
from typedtensors_mypy.source.syntax.stores import (
    stored_by_helpers,
    stored_by_methods,
    stored_elsewhere,
)


def storing(run: Run, cls: UserClass, name: str) -> tuple[Function, ...] | None:
    """The methods that assign an attribute of their own object; None if other code may, too."""
    key = id(cls.node), name
    if key not in run.storing:
        run.storing[key] = _storing(run, cls, name)
    return run.storing[key]


def stored(run: Run, cls: UserClass) -> Iterator[str]:
    """The attributes that methods assign of an object of a class."""
    for base in own_classes(run, cls):
        yield from _stored_by(base)


def made_by_others(run: Run, cls: UserClass) -> frozenset[str]:
    """The attributes that the constructor of a class may have from a helper of a subclass's."""
    found: frozenset[str] = frozenset()
    for each in _beside(run, cls):
        found |= each.scope.module.summed(stored_by_helpers).get(each.node, frozenset())
    return found


def own_classes(run: Run, cls: UserClass) -> list[UserClass]:
    """A class and its bases, as far as they are the user's."""
    return [base for base in lineage(run, cls) if isinstance(base, UserClass)]


def _storing(run: Run, cls: UserClass, name: str) -> tuple[Function, ...] | None:
    line = own_classes(run, cls)
    elsewhere = (base.scope.module.summed(stored_elsewhere) for base in line)
    if any(not names.isdisjoint({name, ANY_NAME}) for names in elsewhere):
        return None
    if any(name in _stored_by(each) for each in _beside(run, cls)):
        return None
    return tuple(
        method_of(base, node, None) for base in line for node in _stored_by(base).get(name, ())
    )


def _stored_by(cls: UserClass) -> Mapping[str, Sequence[AnyFunction]]:
    return cls.scope.module.summed(stored_by_methods).get(cls.node, {})


def _beside(run: Run, cls: UserClass) -> Iterable[UserClass]:
    """What else an object of a class may be one of, by the classes of its module."""
    known = run.beside.get(id(cls.node))
    if known is None:
        module = cls.scope.module
        nodes = (node for node in parts(module.tree) if isinstance(node, ast.ClassDef))
        lines = (own_classes(run, user_class(run, module, node)) for node in nodes)
        others = dict.fromkeys(each for line in lines if cls in line for each in line)
        own = own_classes(run, cls)
        known = run.beside[id(cls.node)] = tuple(each for each in others if each not in own)
    return known
