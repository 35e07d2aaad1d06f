# SPDX-License-Identifier: Apache-2.0
"""How many elements a slice takes of an axis, with symbolic bounds."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from typedtensors.dims import Atom, Dim, at_most, larger, nonnegative, smaller
from typedtensors.shapes import Axis, Intent

if TYPE_CHECKING:
    from typedtensors.dims import Facts
    from typedtensors.ops.value import Value

_ZERO, _ONE = Dim.of(0), Dim.of(1)


def sliced(axis: Axis, part: slice, facts: Facts) -> Axis:
    """The axis that `x[start:stop:step]` leaves of one.

    Its size is not known where a bound is not, or may count from either end; but the same bounds
    take as many of two axes of one size, so that a batch `x[i : i + n], y[i : i + n]` agrees. A
    size of 1 that the bounds ask for is meant to broadcast: `x[:, :1]` keeps the axis on purpose.
    """
    step = _ONE if part.step is None else part.step
    if part.start is None and part.stop is None and step == _ONE:
        return axis
    if axis.flexible:
        return Axis(Dim.fresh())
    size = facts.resolve(axis.dim)
    start = _bound(part.start, size, _ZERO, facts)
    stop = _bound(part.stop, size, size, facts)
    reverse = step == Dim.of(-1) and part.start is None and part.stop is None
    if reverse:
        return axis
    if start is None or stop is None or not isinstance(step, Dim) or not at_most(_ONE, step):
        return Axis(_undetermined(part, size, facts))
    length = stop - start if at_most(start, stop) else larger(stop - start, _ZERO)
    if length == size and step == _ONE:
        return axis
    length = (length + step - 1) // step
    return Axis(length, intent=Intent.INDEX if length == _ONE else None)


def _undetermined(part: slice, size: Dim, facts: Facts) -> Dim:
    bounds = (part.start, part.stop, part.step)
    if not all(bound is None or isinstance(bound, Dim) for bound in bounds):
        return Dim.fresh()
    start, stop, step = (facts.resolve(b) if isinstance(b, Dim) else None for b in bounds)
    return taken(size, start, stop, step)


@lru_cache(maxsize=1024)
def taken(_size: Dim, start: Dim | None, _stop: Dim | None, _step: Dim | None) -> Dim:
    """What a slice takes of an axis: a size of its own, but one for equal arguments.

    `x[i : i + n]`, from where a loop is, is a piece.
    """
    inside = start is not None and isinstance(start.factor, Atom) and not start.declared
    return Dim.fresh("piece") if inside else Dim.fresh()


def _bound(given: Value, size: Dim, default: Dim, facts: Facts) -> Dim | None:
    """The bound as an index from the left, within the axis; None if it is not known."""
    if given is None:
        return default
    if not isinstance(given, Dim):
        return None
    bound = facts.resolve(given)
    # An opaque integer may be negative, unless the size itself is made of it.
    if any(not atom.declared and atom not in size.atoms for atom in bound.atoms):
        return None
    if nonnegative(bound):
        return smaller(bound, size)
    if at_most(bound, Dim.of(-1)):
        return size - smaller(-bound, size)
    return None
