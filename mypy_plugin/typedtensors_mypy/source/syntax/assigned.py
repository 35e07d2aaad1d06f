# SPDX-License-Identifier: Apache-2.0
"""What a call may assign or fill, by the names that the code behind it mentions."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.syntax.contents import contents
from typedtensors_mypy.source.syntax.walks import dotted, statements, walk

# These assign what they make, which nobody has asked for an attribute before.
_CONSTRUCTORS = frozenset({"__init__", "__post_init__"})


@dataclass(frozen=True)
class _Written:
    """The attributes that a function's code assigns, and the names and attributes in it."""

    attributes: frozenset[str]
    names: frozenset[str]


def may_assign(module: Module, node: AnyFunction) -> frozenset[str]:
    """The attributes, whosever, that a function assigns, or one of its module that it leads to."""
    own, named = module.once(_written, node), module.summed(_by_name)
    return own.attributes.union(*(named[name] for name in named.keys() & own.names))


def set_through(module: Module, name: str) -> frozenset[str]:
    """The attributes that are assigned where one of this name is, if that has a setter."""
    return module.summed(_by_name).get(name, frozenset())


def may_fill(module: Module, node: AnyFunction) -> frozenset[str]:
    """The names whose lists a function changes, or gives to one of its module that changes some."""
    filling, given = module.summed(_filling), module.once(_given, node)
    passed_on = frozenset().union(*(given[name] for name in given.keys() & filling))
    return passed_on.union(module.once(contents, node).changed)


def _filling(module: Module) -> frozenset[str]:
    """The names of the functions that change what they are given, or give it to one that does."""
    functions = [each for each in statements(module.tree.body) if isinstance(each, FunctionNode)]
    found = {each.name for each in functions if _changes_arguments(module, each)}
    before = 0
    while before < len(found):
        before = len(found)
        given = ((each, module.once(_given, each)) for each in functions)
        found |= {
            each.name
            for each, calls in given
            if any(calls[name] & _parameters(each) for name in calls.keys() & found)
        }
    return frozenset(found)


def _changes_arguments(module: Module, node: AnyFunction) -> bool:
    return not _parameters(node).isdisjoint(module.once(contents, node).changed)


def _parameters(node: AnyFunction) -> frozenset[str]:
    return frozenset(part.arg for part in walk(node.args) if isinstance(part, ast.arg))


def _given(node: AnyFunction) -> Mapping[str, frozenset[str]]:
    """The names that a function gives to others, by the last name of each of these."""
    found: dict[str, frozenset[str]] = {}
    for part in (inside for statement in node.body for inside in walk(statement)):
        if isinstance(part, ast.Call):
            called = (dotted(part.func) or "").rpartition(".")[2]
            values = [*part.args, *(keyword.value for keyword in part.keywords)]
            names = frozenset(each.id for each in values if isinstance(each, ast.Name))
            found[called] = found.get(called, frozenset()) | names
    return found


def _by_name(module: Module) -> Mapping[str, frozenset[str]]:
    """The attributes that the functions of each name assign, and those that these mention."""
    found: dict[str, frozenset[str]] = {}
    mentioned: dict[str, frozenset[str]] = {}
    for node in statements(module.tree.body):
        if isinstance(node, FunctionNode) and node.name not in _CONSTRUCTORS:
            own = module.once(_written, node)
            found[node.name] = found.get(node.name, frozenset()) | own.attributes
            mentioned[node.name] = mentioned.get(node.name, frozenset()) | own.names
    grows = True
    while grows:
        grows = False
        for name, names in mentioned.items():
            more = found[name].union(*(found[each] for each in found.keys() & names))
            grows |= len(more) > len(found[name])
            found[name] = more
    return found


def _written(node: AnyFunction) -> _Written:
    inside = [part for statement in node.body for part in walk(statement)]
    attributes = [part for part in inside if isinstance(part, ast.Attribute)]
    return _Written(
        frozenset(part.attr for part in attributes if isinstance(part.ctx, ast.Store)),
        frozenset(part.attr for part in attributes)
        | frozenset(part.id for part in inside if isinstance(part, ast.Name)),
    )
