# SPDX-License-Identifier: Apache-2.0
"""`Spec`, what one annotation string says about a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.dims import Atom, Dim
from typedtensors.dims.quick import cached_property, dataclass
from typedtensors.shapes.axis import Axis, Intent, Variadic
from typedtensors.shapes.shape import Part, Shape

Reader = Callable[[str], "Dim | None"]
"""Reads what only the program knows: `self.d` of `{self.d}`, or None if it cannot tell."""


class SpecError(ValueError):
    """The text is no spec, or cannot be meant as written.

    Args:
        diagnostic: What is wrong, and what to write instead.
        silent: Whether jaxtyping constructs the annotation without a word. Such a spec fails, or
            checks something else than it says, only when an array meets it.
        meant: Of a silent one, a spec with what is certain of it: `b _ 3` for `b (h w) 3`.
    """

    def __init__(
        self, diagnostic: Diagnostic, *, silent: bool = False, meant: str | None = None
    ) -> None:
        super().__init__(diagnostic.text)
        self.diagnostic = diagnostic
        self.silent = silent
        self.meant = meant


@dataclass(frozen=True)
class SpecAxis:
    """One word of a spec: an axis, or any number of axes if it is variadic.

    Invariant: `dim` is the wanted size, over declared atoms for the spec's names and opaque atoms
    for what is read at run time (`{self.d}` is the opaque `self.d`). It is None for an axis of any
    size (`_`) and for a variadic. `name` is what a match binds: the name of a lone name or of a
    variadic, None for the others (`n+1` needs `n`, and binds nothing).
    """

    text: str
    dim: Dim | None = None
    name: str | None = None
    flexible: bool = False
    variadic: bool = False
    tree: bool = False

    @property
    def lookups(self) -> frozenset[Atom]:
        """What must be read from the running program, by its text."""
        atoms = frozenset() if self.dim is None else self.dim.atoms
        return frozenset(atom for atom in atoms if not atom.declared)

    @property
    def names(self) -> frozenset[str]:
        """The names whose sizes this axis needs, its own included."""
        atoms = frozenset() if self.dim is None else self.dim.atoms - self.lookups
        own = () if self.name is None else (self.name,)
        return frozenset((*own, *(atom.name for atom in atoms)))


@dataclass(frozen=True)
class Spec:
    """A parsed spec, such as `batch *rest 2*d`.

    Invariant: at most one axis is variadic. Made by `parse_spec`; equal specs are equal values,
    however they were spaced.
    """

    axes: tuple[SpecAxis, ...]

    @property
    def text(self) -> str:
        """The words, one space apart."""
        return " ".join(axis.text for axis in self.axes)

    @property
    def variadic(self) -> int | None:
        """The position of the variadic, if there is one."""
        for position, axis in enumerate(self.axes):
            if axis.variadic:
                return position
        return None

    @property
    def prefix(self) -> tuple[SpecAxis, ...]:
        """The axes before the variadic; all of them if there is none."""
        return self.axes[: self.variadic]

    @property
    def suffix(self) -> tuple[SpecAxis, ...]:
        """The axes after the variadic; all of them if there is none."""
        return self.axes if self.variadic is None else self.axes[self.variadic + 1 :]

    @property
    def least_rank(self) -> int:
        """The smallest number of axes that a match needs."""
        return sum(not axis.variadic for axis in self.axes)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of single axes, those inside arithmetic included."""
        return frozenset().union(*(axis.names for axis in self.axes if not axis.variadic))

    @cached_property
    def variadic_names(self) -> frozenset[str]:
        """The name of the variadic, if it has one."""
        return frozenset(axis.name for axis in self.axes if axis.variadic and axis.name)

    def inside(self, outer: Spec) -> Spec:
        """The spec of a nested annotation: `Float[Float[Tensor, "c h w"], "b"]` is `b c h w`.

        Raises SpecError if both hold a variadic.
        """
        nested = Spec((*outer.axes, *self.axes))
        if self.variadic is not None and outer.variadic is not None:
            problem = f'"{self.text}" and the "{outer.text}" around it both hold a variadic'
            raise SpecError(wording.bad_spec(nested.text, problem))
        return nested

    def shape(self, read: Reader | None = None) -> Shape:
        """The shape that a value annotated with this spec has inside the annotating function.

        Names become declared dims. What the spec leaves open (`_`, `...`, `?name`, and `{expr}`
        unless `read` knows it) becomes an unknown of its own at every call.
        """
        return Shape(tuple(_parts(self, read)))


def _parts(spec: Spec, read: Reader | None) -> Iterator[Part]:
    known: dict[Atom, Dim] = {}
    for axis in spec.axes:
        if axis.variadic:
            named = axis.name is not None and not axis.tree
            yield Variadic(axis.name, axis.flexible) if named else Variadic.fresh()
            continue
        known |= {atom: look_up(atom, read) for atom in axis.lookups if atom not in known}
        size = None if axis.dim is None or axis.tree else axis.dim.substitute(known)
        yield to_axis(axis, Dim.fresh(axis.text) if size is None else size)


def to_axis(axis: SpecAxis, dim: Dim) -> Axis:
    """The axis of size `dim` that `axis` writes; a literal 1 in a spec is meant."""
    return Axis(dim, axis.flexible, Intent.SPEC if dim.value == 1 else None)


def look_up(atom: Atom, read: Reader | None) -> Dim:
    """What `{expr}` reads, an unknown of its own if nobody knows."""
    found = None if read is None else read(atom.name)
    return Dim.fresh(atom.name) if found is None else found
