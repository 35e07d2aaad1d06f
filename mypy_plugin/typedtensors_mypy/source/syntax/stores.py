# SPDX-License-Identifier: Apache-2.0
"""Who assigns the attributes of objects: what makes them, their methods, other code."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.syntax.changes import (
    CONSTRUCTORS,
    changed_in_place,
    making,
    receiver,
    set_by_name,
)
from typedtensors_mypy.source.syntax.contents import ANY_NAME, contents, parts
from typedtensors_mypy.source.syntax.walks import dotted

_UNBOUND = frozenset({"classmethod", "staticmethod"})


def stored_by_methods(module: Module) -> Mapping[ast.ClassDef, Mapping[str, Sequence[AnyFunction]]]:
    """The methods of each class that assign an attribute of their own object, by attribute.

    Those left aside that nothing but a constructor calls.
    """
    found: dict[ast.ClassDef, dict[str, list[AnyFunction]]] = {}
    for method, node in module.summed(_holders).items():
        targets = own_targets(module, method) if method not in module.summed(making) else ()
        for name in dict.fromkeys(target.attr for target in targets):
            found.setdefault(node, {}).setdefault(name, []).append(method)
    return found


def stored_by_helpers(module: Module) -> Mapping[ast.ClassDef, frozenset[str]]:
    """The attributes that those methods of each class assign that only a constructor calls."""
    found: dict[ast.ClassDef, frozenset[str]] = {}
    for method, node in module.summed(_holders).items():
        if method in module.summed(making) and method.name not in CONSTRUCTORS:
            names = frozenset(target.attr for target in own_targets(module, method))
            found[node] = found.get(node, names) | names
    return found


def stored_elsewhere(module: Module) -> frozenset[str]:
    """The attributes, whosever, that other code assigns: it need not be a method's own object."""
    found: set[str] = set()
    for part in parts(module.tree):
        inside = module.once(contents, part)
        held = isinstance(part, FunctionNode) and part in module.summed(_holders)
        own = own_targets(module, part) if held and isinstance(part, FunctionNode) else ()
        others = [target for target in inside.assigned if target not in own]
        found.update(target.attr for target in (*others, *inside.assigned_inside))
    if "__dict__" in module.summed(changed_in_place):
        found.add(ANY_NAME)
    return frozenset(found) | module.summed(set_by_name)


def own_targets(module: Module, method: AnyFunction) -> tuple[ast.Attribute, ...]:
    """The attributes of its own object that a method's own statements assign."""
    own = receiver(method)
    return tuple(
        target
        for target in module.once(contents, method).assigned
        if isinstance(target.value, ast.Name) and target.value.id == own
    )


def _holders(module: Module) -> Mapping[AnyFunction, ast.ClassDef]:
    """The class of each method that gets an object of it."""
    return {
        method: node
        for node in parts(module.tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, FunctionNode) and _is_bound(method)
    }


def _is_bound(method: AnyFunction) -> bool:
    names = ((dotted(each) or "").rpartition(".")[2] for each in method.decorator_list)
    return _UNBOUND.isdisjoint(names)
