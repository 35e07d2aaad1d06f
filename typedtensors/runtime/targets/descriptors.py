# SPDX-License-Identifier: Apache-2.0
"""Objects that hold functions, in classes mostly: how to get at these, and how to replace them."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

Decorate = Callable[[Any], Any]


def functions_of(member: Any) -> list[Any]:
    """Return the functions of a member of a class; none if it is of no kind that is known."""
    if inspect.isfunction(member):
        return [member]
    if isinstance(member, classmethod | staticmethod):
        return [member.__func__]
    if isinstance(member, property):
        return [part for part in (member.fget, member.fset, member.fdel) if part is not None]
    if isinstance(member, functools.cached_property | functools.partialmethod):
        return [member.func]
    if isinstance(member, functools.singledispatchmethod):
        return functions_of(member.func)
    if is_graph_function(member):
        return [member.python_function]
    return []


def is_graph_function(target: Any) -> bool:
    """Say whether this is what `tf.function` makes."""
    types_of_tf = getattr(sys.modules.get("tensorflow"), "types", None)
    kind = getattr(getattr(types_of_tf, "experimental", None), "PolymorphicFunction", ())
    return isinstance(target, kind)


def rebuild(target: Any, decorate: Decorate) -> Any:
    """Return an object of the same kind around decorated functions; None if it is none of these."""
    for kinds, rebuilt in _KINDS:
        if isinstance(target, kinds):
            return rebuilt(target, decorate)
    if _is_dispatcher(target):
        # Others are chosen by the class of the argument: each has a signature of its own.
        target.register(object, decorate(target.registry[object]))
        return target
    # Another one, made like it, so that it is saved and traced as one. Without a way to make it,
    # the calls of this one are checked from outside.
    if is_graph_function(target) and hasattr(target, "_clone"):
        return target._clone(decorate(target.python_function))  # noqa: SLF001
    return None


def _is_dispatcher(target: Any) -> bool:
    """Say whether this is a function of `functools.singledispatch`."""
    return inspect.isfunction(target) and isinstance(
        getattr(target, "registry", None), types.MappingProxyType
    )


def _method_kind(target: Any, decorate: Decorate) -> Any:
    return type(target)(decorate(target.__func__))


def _bound_method(target: Any, decorate: Decorate) -> Any:
    return types.MethodType(decorate(target.__func__), target.__self__)


def _property(target: property, decorate: Decorate) -> property:
    # Its own methods keep the class of the property, and a text that is not the getter's.
    found = target
    if target.fget is not None:
        found = found.getter(decorate(target.fget))
    if target.fset is not None:
        found = found.setter(decorate(target.fset))
    if target.fdel is not None:
        found = found.deleter(decorate(target.fdel))
    return found


def _cached_property(target: Any, decorate: Decorate) -> Any:
    return type(target)(decorate(target.func))


def _partial(target: Any, decorate: Decorate) -> Any:
    return type(target)(decorate(target.func), *target.args, **target.keywords)


def _dispatching_method(target: Any, decorate: Decorate) -> Any:
    target.func = decorate(target.func)
    target.dispatcher.register(object, target.func)
    return target


_KINDS: tuple[tuple[Any, Callable[[Any, Decorate], Any]], ...] = (
    ((classmethod, staticmethod), _method_kind),
    (types.MethodType, _bound_method),
    (property, _property),
    (functools.cached_property, _cached_property),
    ((functools.partial, functools.partialmethod), _partial),
    (functools.singledispatchmethod, _dispatching_method),
)
