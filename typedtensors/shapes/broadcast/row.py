# SPDX-License-Identifier: Apache-2.0
"""Rows: shapes reduced to what can be compared, and how one lies in another."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from typedtensors.dims import Atom, Dim, Facts
from typedtensors.shapes.axis import Axis, Variadic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typedtensors.shapes.shape import Shape

# The int 1, a resolved dim, a shared variadic.
Size: TypeAlias = int | Dim | Variadic
Row: TypeAlias = tuple[Size, ...]


def row_of(shape: Shape, facts: Facts) -> Row | None:
    """The shape as a row, or None if an axis of it may be 1 or not."""
    sizes: list[Size] = []
    for part in shape.axes:
        if part.flexible:
            return None
        if isinstance(part, Axis):
            dim = facts.resolve(part.dim)
            sizes.append(1 if dim.value == 1 else dim)
        else:
            sizes.append(part)
    return tuple(sizes)


def variadic_of(row: Row) -> tuple[Variadic, int] | None:
    """The row's variadic, and where it stands from the right."""
    found = [(size, at - len(row)) for at, size in enumerate(row) if isinstance(size, Variadic)]
    return found[0] if found else None


def _tail(row: Row, result: Row) -> Row:
    """The part of the result that the row is aligned with."""
    return result[len(result) - len(row) :]


def stretched(row: Row, result: Row) -> list[bool]:
    """For each axis of the row, whether it is a 1 that the result stretches."""
    return [own == 1 and full != 1 for own, full in zip(row, _tail(row, result), strict=True)]


def carries(row: Row, result: Row) -> bool:
    """Whether every axis of the result that is not 1 is in the row, unstretched."""
    missing = result[: len(result) - len(row)]
    return all(size == 1 for size in missing) and not any(stretched(row, result))


def floats(row: Row, result: Row) -> bool:
    """Whether the sizes alone would also fit the padded row at other axes of the result.

    Any order-preserving placement counts; a 1 fits anywhere and occupies its axis. The leftmost
    and the rightmost placement bound all others, so the row is fixed if and only if they agree.
    """
    if len(row) == len(result):
        return False
    leftmost = _place(row, result)
    mirrored = _place(row[::-1], result[::-1])
    rightmost = [len(result) - 1 - at for at in reversed(mirrored)]
    real = [k for k, size in enumerate(row) if size != 1]
    return any(leftmost[k] != rightmost[k] for k in real)


def _place(row: Sequence[Size], result: Sequence[Size]) -> list[int]:
    """The axes of the result that the row takes if each goes as far to the left as it can."""
    at, placed = 0, []
    for size in row:
        while size not in (1, result[at]):
            at += 1
        placed.append(at)
        at += 1
    return placed


def twins(rows: list[Row]) -> Iterator[tuple[Row, Row]]:
    """The operands of which one is the other, but for axes of size 1."""
    for one, two in combinations(rows, 2):
        if one != two and _words(one) == _words(two):
            yield _squeezed(one), _squeezed(two)


def _squeezed(row: Row) -> Row:
    return tuple(size for size in row if size != 1)


def _words(row: Row) -> list[Size | str]:
    """The row without its 1s; what two annotations call by one name is taken to be the same."""
    return [_word(size) for size in _squeezed(row)]


def _word(size: Size) -> Size | str:
    atom = size.factor if isinstance(size, Dim) else None
    named = isinstance(atom, Atom) and (atom.declared or atom.promised)
    return atom.name if isinstance(atom, Atom) and named else size


def certain(rows: list[Row], result: Row) -> bool:
    """Whether no axis that some row lacks could be of size 1."""
    for row in rows:
        lacking = [*[True] * (len(result) - len(row)), *stretched(row, result)]
        for lacks, size in zip(lacking, result, strict=True):
            if lacks and isinstance(size, Dim) and not _is_more_than_one(size):
                return False
    return True


def _is_more_than_one(size: Dim) -> bool:
    """Whether annotations name all that the size is made of, or it counts several things."""
    return all(atom.declared or atom.promised or atom.several for atom in size.atoms)
