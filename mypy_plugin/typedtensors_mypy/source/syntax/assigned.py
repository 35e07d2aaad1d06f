# SPDX-License-Identifier: Apache-2.0
"""Which attributes a call may assign, by the names that the code behind it mentions."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.syntax.walks import statements, walk

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
    return own.attributes.union(*(named[name] for name in own.names & named.keys()))


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
            more = found[name].union(*(found[each] for each in names & found.keys()))
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
