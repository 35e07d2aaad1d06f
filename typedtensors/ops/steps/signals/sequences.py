# SPDX-License-Identifier: Apache-2.0
"""Sequences of vectors, alone or in a batch, and the masks that hide parts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.dims.quick import dataclass
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.shapes import Axis, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Shape


@dataclass(frozen=True)
class Sequences:
    """The axes of an array of sequences but for the vectors'; `batch` is None for one sequence."""

    batch: Axis | None
    length: Axis


def sequences(call: Call, name: str) -> Sequences:
    """The axes of an argument of known rank, in the order that `batch_first` says."""
    shape = call.tensor(name).shape
    if shape.rank not in (None, 2, 3):
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, "seq batch d", shape.text))
    if shape.fixed is None:
        raise Undetermined("whether there is a batch axis is not known")
    first, second, *more = shape.fixed
    if not more:
        return Sequences(None, first)
    return Sequences(first, second) if call.flag("batch_first") else Sequences(second, first)


def agree(call: Call, name: str, one: tuple[Shape, int], other: tuple[Shape, int]) -> None:
    """Require that an axis of the argument `name` has the size of another's; learn from it.

    Raises Conflicting if it has another one.
    """
    wanted, found = one[0].axis(one[1]), other[0].axis(other[1])
    if wanted is None or found is None or wanted.flexible or found.flexible:
        return
    if call.same(wanted.dim, found.dim) is Verdict.DIFFERENT:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.axis_differs(where, other[1], str(wanted), str(found)))


def require_batch(call: Call, name: str, one: Sequences, other: Sequences) -> None:
    """Require that sequences come in the same batch, or that both are alone."""
    if (one.batch is None) != (other.batch is None):
        where, rank = wording.argument(name, call.name), call.tensor(name).shape.text
        wanted = "seq d" if one.batch is None else "seq batch d"
        raise Conflicting(wording.rank_differs(where, wanted, rank))
    if one.batch is not None and other.batch is not None:
        at = 0 if call.flag("batch_first") else 1
        _require(call, name, [(at, other.batch, one.batch)])


def require_padding(call: Call, name: str, of: Sequences) -> None:
    """A mask that says of each sequence which elements to leave out: `batch seq`."""
    mask = call.arguments.get(name)
    if not isinstance(mask, Tensor):
        return
    wanted = [part for part in (of.batch, of.length) if part is not None]
    _require_shape(call, name, mask, wanted)


def require_mask(call: Call, name: str, rows: Sequences, columns: Sequences, heads: str) -> None:
    """A mask that says of each element which others it sees: `rows columns`.

    With a third axis in front there is one for each head of each sequence.
    """
    mask = call.arguments.get(name)
    if not isinstance(mask, Tensor):
        return
    axes = mask.shape.fixed
    if axes is not None and len(axes) == 3:
        _require_heads(call, axes[0], rows.batch, call.arguments.get(heads))
        _require(call, name, zip(range(1, 3), axes[1:], (rows.length, columns.length), strict=True))
    else:
        _require_shape(call, name, mask, (rows.length, columns.length))


def _require_heads(call: Call, first: Axis, batch: Axis | None, heads: Value) -> None:
    one = Axis(Dim.of(1)) if batch is None else batch
    if not isinstance(heads, Dim) or first.flexible or one.flexible:
        raise Undetermined("the number of heads is not known")
    if call.same(first.dim, one.dim * heads) is not Verdict.EQUAL:
        raise Undetermined("the mask may not be one for each head")


def _require_shape(call: Call, name: str, mask: Tensor, wanted: Sequence[Axis]) -> None:
    axes = mask.shape.fixed
    if axes is None:
        return
    if len(axes) != len(wanted):
        where, text = wording.argument(name, call.name), " ".join(map(str, wanted))
        raise Conflicting(wording.rank_differs(where, text, mask.shape.text))
    _require(call, name, zip(range(len(axes)), axes, wanted, strict=True))


def _require(call: Call, name: str, pairs: Iterable[tuple[int, Axis, Axis]]) -> None:
    """Require that each axis has the size of the one beside it. Raises Conflicting otherwise."""
    for at, own, needed in pairs:
        if own.flexible or needed.flexible:
            continue
        if call.same(own.dim, needed.dim) is Verdict.DIFFERENT:
            where = wording.argument(name, call.name)
            raise Conflicting(wording.axis_differs(where, at, str(needed), str(own)))
