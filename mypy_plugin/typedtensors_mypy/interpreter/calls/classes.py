# SPDX-License-Identifier: Apache-2.0
"""Classes of the user's: their members, and the objects made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from typedtensors.dims.quick import dataclass
from typedtensors.ops import Value
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.state import Making
from typedtensors_mypy.interpreter.values import Function, Instance, UserClass
from typedtensors_mypy.source import library
from typedtensors_mypy.source.keras_names import Kind, kind_of
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module, Symbol
from typedtensors_mypy.source.program import Definition, External

_MOST_BASES = 20


@dataclass(frozen=True)
class Member:
    """What a class has under a name, and which class of its bases defines it."""

    owner: UserClass
    symbol: Symbol


def user_class(run: Run, module: Module, node: ast.ClassDef) -> UserClass:
    """The class that a statement defines; always the same value for the same statement."""
    known = run.classes.get(id(node))
    if known is None:
        known = run.classes[id(node)] = UserClass(node, run.scope_of(module))
    return known


def lineage(run: Run, cls: UserClass) -> list[UserClass | External | None]:
    """The class and its bases, depth first; None for a base that is not known."""
    known = run.lineages.get(id(cls.node))
    if known is not None:
        return known
    found = run.lineages[id(cls.node)] = []
    pending: list[UserClass | External | None] = [cls]
    while pending and len(found) < _MOST_BASES:
        current = pending.pop(0)
        found.append(current)
        if isinstance(current, UserClass):
            pending = [*_bases(run, current), *pending]
    return found


def _bases(run: Run, cls: UserClass) -> Iterator[UserClass | External | None]:
    for base in cls.node.bases:
        node = base.value if isinstance(base, ast.Subscript) else base
        target = cls.scope.target(node)
        if isinstance(target, Definition) and isinstance(target.node, ast.ClassDef):
            yield user_class(run, target.module, target.node)
        else:
            yield target if isinstance(target, External) else None


def find_member(
    run: Run, cls: UserClass, name: str, *, after: UserClass | None = None
) -> Member | External | None:
    """Who defines a member: a class of the user's, a library's base, or nobody that is known.

    `after` starts behind that class, as `super()` does.
    """
    line = lineage(run, cls)
    if after is not None and after in line:
        line = line[line.index(after) + 1 :]
    for base in line:
        if base is None:
            return None
        if isinstance(base, External):
            if not library.is_plain_base(base.name):
                return base
            continue
        symbol = base.symbols.get(name)
        if symbol is not None:
            return Member(base, symbol)
    return None


def forward_name(run: Run, cls: UserClass) -> str | None:
    """The method that calling an object of the class calls, if its class is one of modules."""
    bases = (base.name for base in lineage(run, cls) if isinstance(base, External))
    return next(filter(None, map(library.forward_of, bases)), None)


def keras_kind(run: Run, cls: UserClass) -> Kind | None:
    """What a class is for, if it is one of Keras's."""
    bases = (base.name for base in lineage(run, cls) if isinstance(base, External))
    return next(filter(None, map(kind_of, bases)), None)


def bound_method(frame: Frame, instance: Instance, name: str) -> Function | None:
    """A method of an object, bound to it."""
    member = find_member(frame.run, instance.cls, name)
    if isinstance(member, Member) and isinstance(member.symbol, FunctionNode):
        return method_of(member.owner, member.symbol, instance)
    return None


def method_of(owner: UserClass, node: AnyFunction, receiver: Value) -> Function:
    """A function in a class's body, bound to an object or a class."""
    return Function(node, owner.scope, {}, receiver, owner)


def some_instance(run: Run, cls: UserClass) -> Instance:
    """Some object of the class, or of a subclass; what its constructor sets is read when needed."""
    known = run.generic.get(id(cls.node))
    if known is None:
        known = run.generic[id(cls.node)] = Instance(cls, pending=True)
    return known


def making_of(run: Run, function: Function) -> Making | None:
    """The object that a constructor makes, if all that its bases may set is known."""
    receiver, args = function.receiver, function.node.args.args
    if not isinstance(receiver, Instance) or not receiver.building or not args:
        return None
    inherited: set[str] = set()
    for base in lineage(run, receiver.cls):
        if isinstance(base, UserClass):
            inherited |= base.valued
        elif base is None or not library.is_plain_base(base.name):
            return None
    return Making(f"{args[0].arg}.", frozenset(inherited))
