# SPDX-License-Identifier: Apache-2.0
"""What a scope knows of dims whose size no array has told yet.

jaxtyping keeps the sizes of a scope in a dict, and puts back an earlier copy of it where a check
has failed. What is known of other dims lies in that dict too, as one frozen value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from typedtensors.dims import Dim, Facts
from typedtensors.runtime.scope import UNSETTLED, current_runs, current_sizes
from typedtensors.shapes import Axis, Bindings, Bound, BoundRun, Match, Shape


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What the names of a scope stand for, and the equations between unknown sizes."""

    bindings: Bindings = field(default_factory=Bindings)
    facts: Facts = field(default_factory=Facts)


def has_unsettled() -> bool:
    """Say whether the current scope has dims whose size is not known."""
    return UNSETTLED in current_sizes()


def current() -> Unsettled:
    """Return what the current scope knows, sizes that are known included."""
    found = unsettled_in(current_sizes())
    axes, runs = bound_sizes(current_sizes()), bound_runs(current_runs())
    known = found.bindings
    return Unsettled(Bindings.of({**axes, **known.axes}, {**runs, **known.runs}), found.facts)


def unsettled_in(sizes: Mapping[str, Any]) -> Unsettled:
    """Return what lies in a dict of sizes beside the sizes."""
    found = sizes.get(UNSETTLED)
    return found if isinstance(found, Unsettled) else Unsettled()


def bound_sizes(sizes: Mapping[str, Any]) -> dict[str, Bound]:
    """Return known sizes as the solver takes them."""
    return {
        name: Bound(Axis(Dim.of(size))) for name, size in sizes.items() if isinstance(size, int)
    }


def bound_runs(runs: Mapping[str, tuple[bool, Any]]) -> dict[str, BoundRun]:
    """Return runs as the solver takes them; those that jaxtyping has bound in a graph are open."""
    return {
        name: BoundRun(Shape.of(*shape), None, flexible)
        for name, (flexible, shape) in runs.items()
        if None not in tuple(shape)
    }


def keep(found: Match) -> None:
    """Bind what has become known in the current scope, and keep what has not."""
    sizes, runs, open_ended = current_sizes(), current_runs(), False
    for name in found.bindings.axes:
        dim = found.bindings.dim(name)
        size = None if dim is None else found.facts.resolve(dim).value
        if size is None:
            open_ended = True
        else:
            sizes[name] = size
    for name, run in found.bindings.runs.items():
        shape = _settled(run.axes, found.facts)
        if shape is None:
            open_ended = True
        else:
            runs[name] = run.flexible, shape
    if open_ended:
        kept: Any = Unsettled(found.bindings, found.facts)
        sizes[UNSETTLED] = kept
    else:
        sizes.pop(UNSETTLED, None)


def _settled(run: Shape, facts: Facts) -> tuple[int, ...] | None:
    values = [facts.resolve(dim).value for dim in run.dims] if run.dims is not None else [None]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None
