# SPDX-License-Identifier: Apache-2.0
"""Writing the shape of a spec whose names are bound."""

from __future__ import annotations

from dataclasses import replace

from typedtensors.dims import Dim
from typedtensors.shapes.axis import Axis, Variadic
from typedtensors.shapes.matching.bindings import Bindings
from typedtensors.shapes.shape import Part, Shape
from typedtensors.shapes.specs.spec import Reader, Spec, SpecAxis, look_up, to_axis


def evaluate(size: Dim, bindings: Bindings, read: Reader | None) -> Dim | None:
    """A spec's size in the caller's dims; None if it divides by zero there."""
    known = {
        atom: Dim.fresh(atom.name) if atom.declared else look_up(atom, read) for atom in size.atoms
    }
    try:
        return size.substitute(known | bindings.settled())
    except ZeroDivisionError:
        return None


def instantiate(spec: Spec, bindings: Bindings, read: Reader | None = None) -> Shape:
    """The shape that a spec writes once its names are bound, such as what a call returns.

    A name that nothing settled becomes an unknown size. For specs that share such names, as in
    a returned tuple, complete the bindings first: `bindings.complete(specs)`.
    """
    full = bindings.complete([spec])
    parts: list[Part] = []
    for wanted in spec.axes:
        if wanted.variadic:
            parts += _instantiate_run(wanted, full)
        else:
            parts.append(_instantiate_axis(wanted, full, read))
    return Shape(tuple(parts))


def _instantiate_axis(wanted: SpecAxis, bindings: Bindings, read: Reader | None) -> Axis:
    if wanted.dim is None or wanted.tree:
        return Axis(Dim.fresh(wanted.text))
    if wanted.name is not None:
        axis = bindings.axes[wanted.name].axis
        return replace(axis, flexible=True) if wanted.flexible else axis
    size = evaluate(wanted.dim, bindings, read)
    return to_axis(wanted, Dim.fresh(wanted.text) if size is None else size)


def _instantiate_run(wanted: SpecAxis, bindings: Bindings) -> tuple[Part, ...]:
    bound = None if wanted.name is None or wanted.tree else bindings.runs.get(wanted.name)
    if bound is None or wanted.flexible:
        return (Variadic.fresh(written=wanted.name is None),)
    if not bound.flexible:
        return bound.axes.axes
    # Only runs that broadcast to it were seen: where all had a 1, it may have any size.
    return tuple(Axis(Dim.fresh()) if _is_one(part) else part for part in bound.axes.axes)


def _is_one(part: Part) -> bool:
    return isinstance(part, Axis) and part.is_one
