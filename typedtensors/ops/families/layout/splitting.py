# SPDX-License-Identifier: Apache-2.0
"""One array in several: split, chunk, unbind."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, divide
from typedtensors.ops.layers import replace_arguments
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.elements import agree
from typedtensors.ops.steps.axes.positions import literal, position
from typedtensors.ops.value import Many, Rounds
from typedtensors.shapes import Axis, Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N, _M = Dim.name("n"), Dim.name("m")


@rule(
    *torch_names("split", "unsafe_split"),
    "torch.split_copy",
    params="input, split_size=None, dim=0, split_size_or_sections=None",
    examples=(
        example(Array("b 7"), 3, 1),
        example(Array("b 6"), 3, dim=-1),
        example(Array("b 3*n"), _N, 1),
        example(Array("b n+m"), [_N, _M], 1),
        example(Array("b 5"), [2, 3], 1),
        example(Array("b 5"), [2, 2], 1),
        example(Array("b n"), [_N], 2),
        example(Array("b 5"), 0, 1),
    ),
)
def split(call: Call) -> Value:
    """Pieces of the given size, or of the given sizes, which must add up."""
    array, given = call.tensor("input"), call["split_size"]
    given = call["split_size_or_sections"] if given is None else given
    at = position(call, array.shape, call["dim"])
    size = _size(array, at)
    if isinstance(given, Dim):
        equal = _equal(call, size, given)
        return _any_pieces(array, at) if equal is None else _pieces(array, at, equal)
    if not isinstance(given, (list, tuple)):
        return _any_pieces(array, at)
    sizes = [each if isinstance(each, Dim) else Dim.fresh() for each in given]
    if any(each.value is not None and each.value < 0 for each in sizes):
        raise Conflicting(wording.misused(call.name, "a size is negative"))
    total = sum(sizes, Dim.of(0))
    text = " + ".join(map(str, sizes))
    agree(call, size, total, wording.sizes_misused(call.name, f"{text} is not {size}"))
    return _pieces(array, at, sizes)


def _size(array: Tensor, at: int) -> Dim:
    part = array.shape.axes[at]
    if not isinstance(part, Axis) or part.flexible:
        raise Undetermined("the size of the axis is not known")
    return part.dim


def _pieces(array: Tensor, at: int, sizes: Sequence[Dim]) -> tuple[Tensor, ...]:
    return tuple(array.with_shape(array.shape.replace(at, Axis(size))) for size in sizes)


def _any_pieces(array: Tensor, at: int) -> Many:
    """Any number of pieces; the last one may be smaller than the others."""
    piece, part = Dim.fresh("piece"), array.shape.axes[at]
    whole = part.dim if isinstance(part, Axis) and not part.flexible else None
    pieces = array.with_shape(array.shape.replace(at, Axis(piece)))
    return Many(pieces, Rounds(Dim.several("len"), piece, whole))


def _equal(call: Call, size: Dim, piece: Dim) -> list[Dim] | None:
    """Sizes of pieces, all equal but for the last one; None if their number is not known."""
    if piece.value is not None and piece.value <= 0:
        if size.value == 0:
            raise Undetermined("an empty axis")
        raise Conflicting(wording.misused(call.name, f"pieces of size {piece}"))
    resolved = call.facts.resolve(size)
    exact = divide(resolved, call.facts.resolve(piece))
    if exact is not None and exact.value is not None and exact.value > 0:
        return [piece] * exact.value
    if resolved.value is None or piece.value is None:
        return None
    whole, rest = divmod(resolved.value, piece.value)
    return [piece] * whole + ([Dim.of(rest)] if rest or not whole else [])


@rule(
    *torch_names("chunk", "unsafe_chunk"),
    params="input, chunks, dim=0",
    examples=(
        example(Array("b 6"), 3, 1),
        example(Array("b 7"), 3, dim=-1),
        example(Array("b 4"), 3, 1),
        example(Array("b 3*n"), 3, -1),
        example(Array("b n"), 2, 1),
        example(Array("b n"), 2, 2),
        example(Array("b n"), 0, 1),
        example(Array("b n"), 1, 1),
    ),
)
def chunk(call: Call) -> Value:
    """At most the given number of pieces, equal but for the last one."""
    array, chunks = call.tensor("input"), call["chunks"]
    at = position(call, array.shape, call["dim"])
    count = chunks.value if isinstance(chunks, Dim) else None
    if count is None:
        return _any_pieces(array, at)
    if count <= 0:
        raise Conflicting(wording.misused(call.name, f"{count} pieces"))
    size = call.facts.resolve(_size(array, at))
    exact = divide(size, Dim.of(count))
    if exact is not None and exact.value != 0:
        return _pieces(array, at, [exact] * count)
    piece = (size + (count - 1)) // count
    if size.value:
        return _pieces(array, at, _equal(call, size, piece) or [])
    if count > 2 or size.value == 0:
        # Three pieces of 4 elements are two: the number depends on the size.
        return _any_pieces(array, at)
    return _pieces(array, at, [piece, size - piece])


@rule(
    *torch_names("tensor_split"),
    "numpy.array_split",
    "numpy.split",
    params="input, sections=None, dim=0, axis=None, indices_or_sections=None",
    examples=(
        example(Array("b 6"), 3, 1),
        example(Array("6 n"), 2),
        example(Array("b n"), 2, 2),
        example(Array("b 3*n"), 3, 1),
        example(Array("7 n"), (2, 5)),
    ),
)
def tensor_split(call: Call) -> Value:
    """The given number of pieces that divide the axis."""
    array = call.tensor("input")
    given = call["sections"] if call["sections"] is not None else call["indices_or_sections"]
    number = call["dim"] if call["axis"] is None else call["axis"]
    at = position(call, array.shape, number)
    size = call.facts.resolve(_size(array, at))
    if isinstance(given, (tuple, list)) and size.value is not None:
        return _pieces(array, at, _between(given, size.value))
    if not isinstance(given, Dim) or given.value is None or given.value <= 0:
        return _any_pieces(array, at)
    exact = divide(size, given)
    if exact is not None:
        return _pieces(array, at, [exact] * given.value)
    if size.value is None or call.op == "numpy.split":
        return _any_pieces(array, at)
    whole, rest = divmod(size.value, given.value)
    return _pieces(array, at, [Dim.of(whole + (piece < rest)) for piece in range(given.value)])


def _between(bounds: Sequence[Value], size: int) -> list[Dim]:
    """The sizes of the slices between literal bounds."""
    found = [0, *map(literal, bounds), size]
    places = [max(0, min(size, each if each >= 0 else size + each)) for each in found]
    return [Dim.of(max(0, stop - start)) for start, stop in pairwise(places)]


@rule(
    *torch_names("unbind"),
    "torch.unbind_copy",
    params="input, dim=0",
    examples=(
        example(Array("3 n")),
        example(Array("b 2"), 1),
        example(Array("b 2"), dim=-1),
        example(Array("b 2"), 2),
    ),
)
def unbind(call: Call) -> Value:
    """One array per position of an axis."""
    array = call.tensor("input")
    at = position(call, array.shape, call["dim"])
    size = call.facts.resolve(_size(array, at))
    one = array.with_shape(array.shape.replace(at))
    return Many(one, Rounds(size)) if size.value is None else (one,) * size.value


@rule(
    *torch_names("split_with_sizes", "unsafe_split_with_sizes"),
    "torch.split_with_sizes_copy",
    params="input, split_sizes, dim=0",
    examples=(
        example(Array("b n+m"), [_N, _M], 1),
        example(Array("5 b"), [2, 3]),
        example(Array("b 5"), [2, 2], 1),
    ),
)
def split_with_sizes(call: Call) -> Value:
    """Pieces of the given sizes, which must add up."""
    given = call["split_sizes"]
    if not isinstance(given, (list, tuple)):
        raise Undetermined("the sizes of the pieces are not known")
    more = {"split_size": given, "split_size_or_sections": None}
    return split(replace_arguments(call, {**call.arguments, **more}))


# The axis that each splits: the first one of a vector for `hsplit`.
_AXES = {"vsplit": 0, "hsplit": 1, "dsplit": 2}


@rule(
    *torch_names("vsplit", "dsplit"),
    params="input, indices_or_sections",
    examples=(example(Array("6 4 6"), 3), example(Array("6 4 6"), 2), example(Array("n"), 2)),
)
@rule(
    *torch_names("hsplit"),
    params="input, indices_or_sections",
    examples=(example(Array("4 6"), 3), example(Array("6"), 2), example(Array("b 5"), 2)),
)
def split_named(call: Call) -> Value:
    """The given number of pieces, which must divide the axis that the op names."""
    array, count = call.tensor("input"), call["indices_or_sections"]
    rank = array.shape.rank
    if rank is None or not isinstance(count, Dim) or count.value is None or count.value < 1:
        raise Undetermined("the pieces are not known")
    at = 0 if call.name == "hsplit" and rank == 1 else _AXES[call.name]
    least = max(at + 1, 2 if call.name == "vsplit" else 1)
    if rank < least:
        where = f"`{call.name}`"
        raise Conflicting(wording.rank_differs(where, " ".join("nmk"[:least]), array.shape.text))
    size = call.facts.resolve(_size(array, at))
    exact = divide(size, count)
    if exact is None and size.value is not None:
        raise Conflicting(wording.sizes_misused(call.name, f"{count} do not divide {size}"))
    if exact is None:
        raise Undetermined("the pieces may not divide the axis")
    return _pieces(array, at, [exact] * count.value)
