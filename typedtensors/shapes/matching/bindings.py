# SPDX-License-Identifier: Apache-2.0
"""`Bindings`, what the names of a callee's specs stand for in its caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from typedtensors.dims import Atom, Dim
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis, Variadic
from typedtensors.shapes.shape import Shape
from typedtensors.shapes.specs.spec import Spec

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Place:
    """Where a name was bound: Python's `argument.shape[axis]`."""

    argument: str
    axis: int


@dataclass(frozen=True)
class Bound:
    """The axis that a name stands for.

    Invariant: the axis is flexible while only axes that may be 1 were seen. The name is then that
    size or 1, and the next axis that is rigid settles it.
    """

    axis: Axis
    place: Place | None = None

    @property
    def dim(self) -> Dim | None:
        """The size, if it is settled."""
        return None if self.axis.flexible else self.axis.dim


@dataclass(frozen=True)
class BoundRun:
    """The axes that a variadic name stands for.

    Invariant: `flexible` while only `*#name` was seen. The axes are then what the runs seen so far
    broadcast to, and the name is those axes or more.
    """

    axes: Shape
    place: Place | None = None
    flexible: bool = False


@dataclass(frozen=True)
class Bindings:
    """The names of one call's specs, and what each stands for in the caller.

    Names of the callee and dims of the caller are apart: both may say `n`, and mean other sizes.
    """

    axes: Mapping[str, Bound] = field(default_factory=lambda: _NOTHING)
    runs: Mapping[str, BoundRun] = field(default_factory=lambda: _NOTHING)

    @staticmethod
    def declared(specs: Iterable[Spec]) -> Bindings:
        """Each name stands for itself: the bindings inside a function with these parameters."""
        listed = tuple(specs)
        names = sorted(frozenset().union(*(spec.names for spec in listed)))
        variadics = sorted(frozenset().union(*(spec.variadic_names for spec in listed)))
        return Bindings.of(
            {name: Bound(Axis(Dim.name(name))) for name in names},
            {name: BoundRun(Shape((Variadic(name),))) for name in variadics},
        )

    @staticmethod
    def of(axes: Mapping[str, Bound], runs: Mapping[str, BoundRun]) -> Bindings:
        """Bindings that hold copies of the mappings."""
        return Bindings(MappingProxyType(dict(axes)), MappingProxyType(dict(runs)))

    def dim(self, name: str) -> Dim | None:
        """The size that a name stands for, if it is bound and settled."""
        bound = self.axes.get(name)
        return None if bound is None else bound.dim

    def bind(self, name: str, dim: Dim, place: Place | None = None) -> Bindings:
        """These bindings and one more, which replaces an earlier one of that name."""
        return Bindings.of({**self.axes, name: Bound(Axis(dim), place)}, self.runs)

    def beside(self, others: Bindings) -> Bindings:
        """These bindings, and those of other names."""
        return Bindings.of({**others.axes, **self.axes}, {**others.runs, **self.runs})

    def common(self, others: Iterable[Bindings]) -> Bindings:
        """What these bindings and all others say."""
        axes, runs = dict(self.axes), dict(self.runs)
        for other in others:
            axes = {
                n: b for n, b in axes.items() if n in other.axes and other.axes[n].axis == b.axis
            }
            runs = {
                n: b for n, b in runs.items() if n in other.runs and other.runs[n].axes == b.axes
            }
        return Bindings.of(axes, runs)

    def without(self, names: frozenset[str]) -> Bindings:
        """These bindings but for some names, of axes and of runs of them."""
        if not names:
            return self
        axes = {name: bound for name, bound in self.axes.items() if name not in names}
        return Bindings.of(axes, {n: run for n, run in self.runs.items() if n not in names})

    def complete(self, specs: Iterable[Spec], scope: int = 0) -> Bindings:
        """These bindings with unknown sizes for every name of the specs that lacks them.

        In a scope, these are different sizes: those that one object was made with.
        """
        listed = tuple(specs)
        if not listed:
            return self
        names = {name for spec in listed for name in spec.names}.difference(self.axes)
        variadics = {name for spec in listed for name in spec.variadic_names}.difference(self.runs)
        axes = {name: Bound(Axis(Dim.promised(name, scope))) for name in sorted(names)}
        runs = {name: BoundRun(Shape.unknown()) for name in sorted(variadics)}
        return Bindings.of({**axes, **self.axes}, {**runs, **self.runs})

    def settled(self) -> dict[Atom, Dim]:
        """What to substitute for the names in a spec's arithmetic."""
        return {Atom(name): bound.dim for name, bound in self.axes.items() if bound.dim is not None}
