# SPDX-License-Identifier: Apache-2.0
"""Axes that, by their names, stand where a spec has another one.

A name that only a return annotation has may stand for any size, `batch` among them. But who writes
`"k batch"` and returns `(batch, _)` does not mean that `k` is `batch`, and the other axis too.

>>> from typedtensors.shapes import Argument, Bindings, Shape, crossed, parse_spec
>>> from typedtensors.dims import Dim, Facts
>>> value = Argument("y", parse_spec("k batch"), Shape.of("batch", Dim.fresh()))
>>> crossed(value, Bindings(), Facts()).diagnostic("y").text
'y: axis 0 is batch, expected k'
"""

from __future__ import annotations

from typedtensors.dims import Atom, Dim, Facts, Verdict
from typedtensors.shapes.axis import Axis
from typedtensors.shapes.matching.alignment import Argument, AxisPair, align
from typedtensors.shapes.matching.bindings import Bindings, Place
from typedtensors.shapes.matching.mismatch import AxisMismatch, RankMismatch


def crossed(
    argument: Argument, bindings: Bindings, facts: Facts, sizes: frozenset[Atom] = frozenset()
) -> AxisMismatch | None:
    """The first axis of a value whose name the spec gives to another axis of it.

    Arguments:
        argument: The value, whose sizes are no contradiction to its spec.
        bindings: What the names of the spec stood for before they met the value.
        facts: What is known of the dims.
        sizes: Sizes of one object, each with its name: one is not called by the name of another.
    """
    aligned = align(argument)
    if isinstance(aligned, RankMismatch):
        return None
    pairs = [pair for pair in aligned if isinstance(pair, AxisPair) and _is_plain(pair)]
    places = {pair.wanted.name: pair for pair in pairs}
    if len(places) < len(pairs):
        return None
    for pair in pairs:
        called = _called(pair.given.dim)
        if called is None or called.name == pair.wanted.name or _is_bound(pair, bindings, facts):
            continue
        other = places.get(called.name)
        away = other is not None and not _may_be_there(called, pair, other)
        if not away and not _is_other(called, pair.wanted.name, sizes):
            continue
        expected = Axis(Dim.name(pair.wanted.name or "_"))
        return AxisMismatch(Place(argument.name, pair.index), pair.wanted, expected, pair.given)
    return None


def _is_plain(pair: AxisPair) -> bool:
    """Whether an axis of one name meets one whose size is that of no broadcast."""
    wanted, given = pair.wanted, pair.given
    return wanted.name is not None and not (wanted.flexible or wanted.tree or given.flexible)


def _called(dim: Dim) -> Atom | None:
    """What the code calls an axis: in an annotation, a constructor, a pattern or an unpacking."""
    factor = dim.factor
    return factor if isinstance(factor, Atom) else None


def _may_be_there(name: Atom, pair: AxisPair, other: AxisPair) -> bool:
    """Whether the axis that the spec calls so may well have the size of that name.

    What an annotation declares is the size of no other name; what it promises, or a constructor
    gets, only where the other axis is called something else too; what a pattern or a variable calls
    an axis, only where the two are called by each other's names.
    """
    factor = other.given.dim.factor
    if not isinstance(factor, Atom):
        return not name.declared
    if factor.name == name.name:
        return True
    other_named = factor.declared or factor.promised
    if name.declared or ((name.promised or name.scope) and other_named):
        return False
    return factor.name != pair.wanted.name


def _is_other(called: Atom, name: str | None, sizes: frozenset[Atom]) -> bool:
    """Whether a size is of an object that has another one of that name."""
    named = (size for size in sizes if size.name == name)
    return called in sizes and any(size.scope == called.scope != 0 for size in named)


def _is_bound(pair: AxisPair, bindings: Bindings, facts: Facts) -> bool:
    """Whether the axis was said to have the size of its name in the spec."""
    known = None if pair.wanted.name is None else bindings.dim(pair.wanted.name)
    return known is not None and facts.compare(known, pair.given.dim) is Verdict.EQUAL
