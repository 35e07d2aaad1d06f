# SPDX-License-Identifier: Apache-2.0
"""Whether a view keeps axes what they are, or only keeps their sizes.

A view leaves the elements in their order. An axis that stands in both shapes is the same axis only
if as many elements lie before it, and so behind it: from `(b, c, h, w)` to `(b, h*w, c)` there are
`b` rows before `c`, then `b*h*w`, so what is called `c` afterwards mixes channels and pixels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.dims import Atom, Dim, Verdict, divide, product
from typedtensors.dims.arithmetic import common_factor
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis
from typedtensors.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.dims import Facts
    from typedtensors.shapes.shape import Part


@dataclass(frozen=True)
class Scrambled:
    """An axis of which a view keeps the size only; `order` would have put the axes right first.

    `order` is None if no order of the axes makes the view one that keeps them.
    """

    axis: Axis
    order: tuple[int, ...] | None = None

    @property
    def padded(self) -> bool:
        """Whether the axis is a sum, as `k+1` is: made longer in order to be viewed like that."""
        return len(self.axis.dim.terms) > 1


def scrambled(before: Shape, after: Shape, facts: Facts) -> Scrambled | None:
    """An axis that a view from one shape to another mixes with others, if that is certain."""
    parts = _unmerged(before, facts)
    old, new = _axes(parts, facts), _axes(after, facts)
    if old is None or new is None:
        return _moved(before, after, facts)
    order = _order(old, new) if parts is before else None
    for at, dim in enumerate(new):
        if dim.value is not None or dim not in old:
            continue
        if old.count(dim) == new.count(dim) == 1:
            first, second = product(old[: old.index(dim)]), product(new[:at])
            if _certainly_differ(first, second, [*old, *new], facts):
                return Scrambled((after.fixed or ())[at], order)
    apart = _merged_apart(old, new)
    return None if apart is None else Scrambled((after.fixed or ())[apart], order)


def _moved(before: Shape, after: Shape, facts: Facts) -> Scrambled | None:
    """A named axis that stands elsewhere, where only sizes behind it are not known.

    From `(b, n, c)` to `(b, c, ?, ?)` there are `b*n` rows before `c`, then `b`.
    """
    if before.dims is None or after.dims is None:
        return None
    old, new = ([_by_name(dim, facts) for dim in each] for each in (before.dims, after.dims))
    for at, dim in enumerate(new):
        if not dim.declared:
            return None
        if dim.value is not None or old.count(dim) != 1 or new.count(dim) != 1:
            continue
        rows = old[: old.index(dim)]
        named = all(size.declared for size in rows)
        if named and _certainly_differ(product(rows), product(new[:at]), [*old, *new], facts):
            return Scrambled((after.fixed or ())[at])
    return None


def _by_name(dim: Dim, facts: Facts) -> Dim:
    """What is known of a size, unless that is only what the view itself shows."""
    known = facts.resolve(dim)
    return known if known.declared else dim


def _unmerged(shape: Shape, facts: Facts) -> Shape:
    """The shape with what was merged in axes in their place."""
    if not any(isinstance(part, Axis) and part.merged for part in shape.axes):
        return shape
    axes: list[Part] = []
    for part in shape.axes:
        whole = isinstance(part, Axis) and product(part.merged) == facts.resolve(part.dim)
        axes += map(Axis, part.merged) if isinstance(part, Axis) and whole else [part]
    return Shape(tuple(axes))


def made_of(before: Shape, after: Shape, facts: Facts) -> Shape:
    """The second shape, whose axes remember which neighbors of the first a view merged in them."""
    new = _axes(after, facts)
    if before.fixed is None or new is None or _axes(before, facts) is None:
        return after
    own = [axis for axis in before.fixed if not axis.is_one]
    if sum(size.value != 1 for size in new) >= len(own):
        return after
    found = after
    for at, places in enumerate(_sources([facts.resolve(axis.dim) for axis in own], new) or ()):
        if len(places) > 1 and places == list(range(places[0], places[-1] + 1)):
            sizes = tuple(size for place in places for size in _parts(own[place], facts))
            found = found.replace(at, _remembering(found, at, sizes))
    return found


def _remembering(shape: Shape, at: int, sizes: tuple[Dim, ...]) -> Axis:
    return replace((shape.fixed or ())[at], merged=sizes)


def _parts(axis: Axis, facts: Facts) -> tuple[Dim, ...]:
    return axis.merged or (facts.resolve(axis.dim),)


def shuffled(one: Axis | None, other: Axis | None) -> tuple[str, str] | None:
    """How two axes that meet are made of the same sizes in another order, if they certainly are."""
    if one is None or other is None or not one.merged or not other.merged:
        return None
    left, right = (tuple(size for size in axis.merged if size.value != 1) for axis in (one, other))
    if left == right or len({*left}) < len(left) or sorted(left, key=str) != sorted(right, key=str):
        return None
    return ", ".join(map(str, left)), ", ".join(map(str, right))


def _merged_apart(old: list[Dim], new: list[Dim]) -> int | None:
    """Where the view first makes one axis of two that are no neighbors, if it merges whole ones.

    From `(b, i, j, p, q)` to `(b, i*p, j*q)` the sizes are right, and rows of patches are mixed.
    """
    sizes = [dim for dim in old if dim.value != 1]
    if not all(map(_is_named, sizes)):
        return None
    last = -1
    for at, places in enumerate(_sources(sizes, new) or ()):
        for place in places:
            if place != last + 1:
                return at
            last = place
    return None


def _is_named(dim: Dim) -> bool:
    """Whether a size is one that the author named, or a literal."""
    parts = dim.factors()
    named = all(isinstance(part, Atom) and part.declared for part in parts)
    return dim.value is not None or (named and len(dim.terms) == 1)


def _axes(shape: Shape, facts: Facts) -> list[Dim] | None:
    """The sizes, if all are known by what the code calls them."""
    dims = shape.dims
    if dims is None or any(atom.name == "_" for dim in dims for atom in dim.atoms):
        return None
    return [facts.resolve(dim) for dim in dims]


def _certainly_differ(left: Dim, right: Dim, axes: Sequence[Dim], facts: Facts) -> bool:
    """Whether two counts differ, where a size that has an axis of its own is taken not to be 1.

    What is left after common factors may be two ways to write one size (`c` and `g*(c//g)`), or
    padding that a trick views as it is not meant (`q` and `k+1`): then nothing is certain.
    """
    if len(left.terms) == len(right.terms) == len((left + right).terms) == 1:
        # Multiples of one size, as 2 and 1 are, the rows before `b` in `(2, b, h)` and `(b, 2*h)`.
        return left != right
    common = common_factor(left + right) if len((left + right).terms) > 1 else left
    one, other = divide(left, common), divide(right, common)
    if one is None or other is None or one == other:
        return False
    if any(len(each.terms) != 1 or not _has_axes(each, axes) for each in (one, other)):
        return False
    if Dim.of(1) in (one, other):
        return True
    plain = all(isinstance(part, Atom) for each in (one, other) for part in each.factors())
    return plain and facts.compare(one, other) is Verdict.DIFFERENT


def _has_axes(dim: Dim, axes: Sequence[Dim]) -> bool:
    return all(Dim.atom(factor) in axes for factor in dim.factors())


def _order(old: list[Dim], new: list[Dim]) -> tuple[int, ...] | None:
    """The order of the old axes in which the new ones are made of neighbors, if there is one."""
    sources = _sources(old, new)
    return None if sources is None else tuple(place for places in sources for place in places)


def _sources(old: list[Dim], new: list[Dim]) -> list[list[int]] | None:
    """For each new axis the old ones that it is a product of; None if they are split elsewhere."""
    found: list[list[int]] = []
    taken: set[int] = set()
    for dim in new:
        places, rest = [], dim
        for at, axis in enumerate(old):
            smaller = divide(rest, axis)
            if at not in taken and axis.value != 1 and smaller is not None:
                places.append(at)
                taken.add(at)
                rest = smaller
        if rest != Dim.of(1):
            return None
        found.append(places)
    return found if len(taken) == len(old) else None
