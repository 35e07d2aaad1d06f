# SPDX-License-Identifier: Apache-2.0
"""What the names in a class's annotations stand for, of one of its objects."""

from __future__ import annotations

from collections.abc import Iterator

from typedtensors.dims import Atom, Dim
from typedtensors.shapes import Bindings, Spec
from typedtensors_mypy.interpreter.calls.classes import lineage
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.values import Instance, UserClass
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import specs_of
from typedtensors_mypy.source.modules import Assigned


def names_of(run: Run, instance: Instance) -> Bindings:
    """One size for each name that the attributes in the bodies of an object's classes have."""
    if instance.names is None:
        specs = list(_specs(run, instance.cls))
        instance.names = Bindings().complete(specs, scope=Dim.scope()) if specs else Bindings()
    return instance.names


def sizes_of(run: Run, instance: Instance) -> frozenset[Atom]:
    """The sizes of an object that have a name: those in its annotations, its constructor's."""
    dims = (bound.axis.dim for bound in names_of(run, instance).axes.values())
    return instance.sizes.union(*(dim.atoms for dim in dims))


def _specs(run: Run, cls: UserClass) -> Iterator[Spec]:
    for base in lineage(run, cls):
        if isinstance(base, UserClass):
            scope = base.scope.inside(base.node)
            for symbol in base.symbols.values():
                if isinstance(symbol, Assigned) and symbol.annotation is not None:
                    yield from specs_of(type_of(scope, symbol.annotation))
