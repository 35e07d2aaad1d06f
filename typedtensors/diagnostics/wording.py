# SPDX-License-Identifier: Apache-2.0
"""The words of every finding, so that mypy, run time and pytest speak with one voice.

Builders take text, not shapes: a shape is the text of its spec (`batch d`, `32 1`), a dim is
the text of a dim (`2*d`), and `where` names the value that is wrong (``argument `x` of `f` ``).
Each message says where, what was expected, what was found and what it was compared with.
"""

from __future__ import annotations

import traceback
from typing import Final

from typedtensors.diagnostics import codes
from typedtensors.diagnostics.diagnostic import Diagnostic

BROADCAST_REASONS: Final = {
    "loss": "a loss or metric compares arguments of one shape",
    "rank": "the operands differ in rank and both are stretched",
    "twins": "both operands hold the same axis, so the result holds it twice",
    "ambiguous": "the sizes do not say which axis is meant",
    "names": "axes of different names meet",
    "implicit": "at this level every broadcast is written out",
}


# Of what is quoted from a source, this much is shown.
_LONGEST: Final = 200


def argument(name: str, function: str) -> str:
    """Name an argument of a call, for `where`."""
    return f"argument `{name}` of `{function}`"


def returned(function: str) -> str:
    """Name what a function returns, for `where`."""
    return f"return value of `{function}`"


def yielded(function: str) -> str:
    """Name what a generator yields, for `where`."""
    return f"value yielded by `{function}`"


def shape_text(spec: str) -> str:
    """Write a shape as people do: `(n, 1)`, `(*batch, d)`, `(32,)`, `()`."""
    sizes = spec.split()
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def axis_differs(
    where: str,
    axis: int,
    expected: str,
    actual: str,
    *,
    bound_by: str | None = None,
    hint: str | None = None,
) -> Diagnostic:
    """Two sizes on one axis; `bound_by` says what fixed the expected one."""
    origin = "" if bound_by is None else f" from {bound_by}"
    message = f"{where}: axis {axis} is {actual}, expected {expected}{origin}"
    return Diagnostic(codes.SHAPE, message, hint)


def shape_differs(where: str, expected: str, actual: str, *, hint: str | None = None) -> Diagnostic:
    """A shape of the right rank in which more than one axis is wrong."""
    message = f"{where}: shape is {shape_text(actual)}, expected {shape_text(expected)}"
    return Diagnostic(codes.SHAPE, message, hint)


def rank_differs(where: str, expected: str, actual: str, *, hint: str | None = None) -> Diagnostic:
    """Too many axes or too few; a spec with a variadic needs at least its other axes."""
    message = f"{where}: {_axes(actual)}, expected {_axes(expected)}"
    return Diagnostic(codes.RANK, message, hint)


def axes_unpacked(expression: str, names: int, sizes: str) -> Diagnostic:
    """The sizes of more axes or of fewer than there are names for."""
    message = f"`{expression}`: {_axes(sizes)}, unpacked into {_count(names, 'name')}"
    return Diagnostic(codes.RANK, message)


def never_passes(test: str, shape: str, function: str) -> Diagnostic:
    """A guard on a rank that the annotations rule out."""
    return Diagnostic(codes.RANK, f"`{test}`: {_axes(shape)}, so that `{function}` always raises")


def axis_missing(op: str, axis: int, shape: str) -> Diagnostic:
    """An axis number that the array does not have."""
    return Diagnostic(codes.RANK, f"`{op}`: {shape_text(shape)} has no axis {axis}")


def too_many_indices(indices: str, shape: str) -> Diagnostic:
    """An index that takes more axes than the array has; `indices` counts them in words."""
    return Diagnostic(codes.RANK, f"{indices} for {_axes(shape)}")


def operands_differ(
    expression: str,
    shapes: tuple[str, str],
    dims: tuple[str, str],
    *,
    hint: str | None = None,
) -> Diagnostic:
    """Two sizes that meet on one axis of an elementwise operation and cannot broadcast."""
    left, right = map(shape_text, shapes)
    message = f"`{expression}`: {left} and {right} do not broadcast, {dims[0]} meets {dims[1]}"
    return Diagnostic(codes.SHAPE, message, hint)


def count_differs(where: str, source: str, target: str, *, hint: str | None = None) -> Diagnostic:
    """A view or reshape that does not keep the number of elements."""
    message = f"{where}: {shape_text(source)} and {shape_text(target)} differ in element count"
    return Diagnostic(codes.SHAPE, message, hint)


def scrambles(
    op: str,
    source: str,
    target: str,
    axis: str,
    *,
    order: tuple[int, ...] | None,
    words: str = "`.permute({})` before `.reshape`",
) -> Diagnostic:
    """A view that keeps the size of an axis and not what is in it; `order` would have kept it.

    `words` are how the framework writes that order.
    """
    message = f"`{op}` from {shape_text(source)} to {shape_text(target)} mixes `{axis}` with others"
    hint = None if order is None else words.format(", ".join(map(str, order)))
    return Diagnostic(codes.LAYOUT, message, hint)


def shuffled(op: str, first: str, second: str) -> Diagnostic:
    """Two axes that meet were merged of the same ones in another order."""
    message = f"`{op}`: what was merged of ({first}) meets what was merged of ({second})"
    return Diagnostic(codes.LAYOUT, message, "bring their axes into one order first")


def broadcasts(
    expression: str,
    shapes: tuple[str, ...],
    result: str,
    reason: str,
    *,
    hint: str | None = None,
) -> Diagnostic:
    """A legal broadcast that nobody asked for; `reason` is a key of `BROADCAST_REASONS`."""
    operands = " and ".join(map(shape_text, shapes))
    outcome = f"`{expression}` broadcasts {operands} to {shape_text(result)}"
    return Diagnostic(
        codes.BROADCAST, f"{outcome} ({reason}): {BROADCAST_REASONS[reason]}", hint, reason
    )


def dtype_differs(where: str, expected: str, actual: str, *, hint: str | None = None) -> Diagnostic:
    """One kind of number where another is needed."""
    return Diagnostic(codes.DTYPE, f"{where}: dtype is {actual}, expected {expected}", hint)


def misused(op: str, problem: str, *, hint: str | None = None) -> Diagnostic:
    """An operation or module called in a way that it does not allow."""
    return Diagnostic(codes.OP, f"`{op}`: {problem}", hint)


def chooses_among_one(
    op: str, axis: int, shape: str, result: str, *, hint: str | None = None
) -> Diagnostic:
    """A choice along an axis of one element, of which always the same comes out."""
    problem = f"axis {axis} of {shape_text(shape)} has one element, so the result is {result}"
    return misused(op, problem, hint=hint)


def pieces_differ(op: str, names: int, pieces: int) -> Diagnostic:
    """An array cut into more or fewer pieces than there are names for them."""
    return misused(op, f"gives {_count(pieces, 'array')}, unpacked into {_count(names, 'name')}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def sizes_misused(op: str, problem: str, *, hint: str | None = None) -> Diagnostic:
    """An operation whose arrays have sizes that cannot go together, described in words."""
    return Diagnostic(codes.SHAPE, f"`{op}`: {problem}", hint)


def bad_spec(spec: str, problem: str, *, hint: str | None = None) -> Diagnostic:
    """A spec that cannot be meant as written."""
    return Diagnostic(codes.SPEC, f'spec "{_short(spec)}": {_short(problem)}', hint)


def bad_annotation(annotation: str, problem: str, *, hint: str | None = None) -> Diagnostic:
    """A shape annotation that fails when it is evaluated, whatever its spec says."""
    return Diagnostic(codes.SPEC, f"`{_short(annotation)}`: {_short(problem)}", hint)


def _short(text: str) -> str:
    """A text without its middle, if it is longer than anyone reads."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 4 :]}"


def internal(error: BaseException, doing: str) -> Diagnostic:
    """A bug of ours: what was being done, what went wrong and the line that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    problem = f"{type(error).__name__}: {error}"
    return Diagnostic(
        codes.INTERNAL, f"internal error, please report it: {problem}{place}, while {doing}"
    )


def revealed(annotation: str) -> str:
    """Word the note that `reveal_type` adds for a tensor."""
    return f'Revealed tensor is "{annotation}"'


def _axes(spec: str) -> str:
    sizes = spec.split()
    fixed = [size for size in sizes if not size.startswith(("...", "*", "#*"))]
    least = "at least " if len(fixed) < len(sizes) else ""
    noun = "axis" if len(fixed) == 1 else "axes"
    return f"{least}{len(fixed)} {noun} {shape_text(spec)}"
