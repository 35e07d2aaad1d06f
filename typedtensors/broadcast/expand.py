# SPDX-License-Identifier: Apache-2.0
"""`expand` and `expand_as`: align an array, then give each new axis its size."""

from __future__ import annotations

from collections.abc import Mapping

from typedtensors.broadcast.array import Array, ArrayT, place, stretch
from typedtensors.broadcast.errors import AxisError, require_array, require_rank
from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.diagnostics.suggestion import did_you_mean
from typedtensors.shapes import SpecError
from typedtensors.shapes.intended import mark
from typedtensors.shapes.names import Names, parse_names, parse_pattern

# Not the other way around: a size may be a symbolic integer of a compiler.
_NO_SIZES = (bool, float, str, type(None))


def expand_as(x: ArrayT, spec: str, other: Array, other_spec: str) -> ArrayT:
    """Align an array with another by name, and expand it to the other's sizes.

    Unlike broadcasting, it never stretches an axis that `x` has: a name that both arrays
    have must have the same size in both.

    Args:
        x: the array to expand.
        spec: the names of its axes, such as `"d"`.
        other: the array whose shape the result takes.
        other_spec: the names of the other's axes, such as `"batch seq d"`.

    Returns:
        `x` in the shape of `other`: a view where the framework has views.

    Raises:
        AxisError: sizes disagree, a name occurs twice or is missing, or a rank differs.

    >>> import numpy as np
    >>> from typedtensors import expand_as
    >>> expand_as(np.arange(3), "d", np.zeros((2, 5, 3)), "batch seq d").shape
    (2, 5, 3)
    """
    require_array("expand_as", "x", x)
    require_array("expand_as", "other", other)
    try:
        source, target = parse_names(spec), parse_names(other_spec)
        require_rank("expand_as", "x", source, x.shape)
        require_rank("expand_as", "other", target, other.shape)
        aligned = place(x, source, target)
    except SpecError as error:
        raise AxisError(error.diagnostic) from None
    wanted = target.spans(len(other.shape))
    for word, (start, stop) in zip(source.words, source.spans(len(x.shape)), strict=True):
        first, last = wanted[target.words.index(word)]
        mine, theirs = tuple(x.shape[start:stop]), tuple(other.shape[first:last])
        if mine != theirs:
            raise AxisError(_disagree(word, start, mine, theirs))
    return mark(stretch(aligned, other.shape))


def expand(x: ArrayT, pattern: str, /, **sizes: int) -> ArrayT:
    """Align an array with the right-hand side of a pattern, and give each new axis a size.

    Args:
        x: the array to expand.
        pattern: the names before and after, such as `"d -> batch seq d"`.
        sizes: the size of each new name; that of a name that `x` has is verified.

    Returns:
        The expanded array: a view where the framework has views.

    Raises:
        AxisError: a size is missing, unknown or disagrees, or the pattern is malformed.

    >>> import numpy as np
    >>> from typedtensors import expand
    >>> expand(np.arange(3), "d -> batch d", batch=2).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    require_array("expand", "x", x)
    try:
        source, target = parse_pattern(pattern)
        require_rank("expand", "x", source, x.shape)
        aligned = place(x, source, target)
    except SpecError as error:
        raise AxisError(error.diagnostic) from None
    return mark(stretch(aligned, _sizes_after(pattern, x, source, target, sizes)))


def _sizes_after(
    pattern: str, x: Array, source: Names, target: Names, sizes: Mapping[str, int]
) -> list[int]:
    for name in sizes:
        if name not in target.words:
            slip = did_you_mean(name, target.words)
            problem = f"a size is given for `{name}`, which is not on the right-hand side{slip}"
            raise AxisError(wording.bad_spec(pattern, problem))
        if isinstance(sizes[name], _NO_SIZES) or sizes[name] < 0:
            raise AxisError(wording.bad_spec(pattern, f"`{name}={sizes[name]!r}` is no size"))
    spans = dict(zip(source.words, source.spans(len(x.shape)), strict=True))
    result: list[int] = []
    for word in target.words:
        if word in spans:
            start, stop = spans[word]
            mine = tuple(x.shape[start:stop])
            if word in sizes and mine != (sizes[word],):
                raise AxisError(_disagree(word, start, mine, (sizes[word],), "expand"))
            result.extend(mine)
        elif word in sizes:
            result.append(sizes[word])
        else:
            problem = f"the size of `{word}` is not given"
            raise AxisError(wording.bad_spec(pattern, problem, hint=f"pass `{word}=...`"))
    return result


def _disagree(
    word: str,
    axis: int,
    mine: tuple[int, ...],
    wanted: tuple[int, ...],
    op: str = "expand_as",
) -> Diagnostic:
    where = wording.argument("x", op)
    if len(mine) == len(wanted) == 1:
        origin = f"`other` (`{word}`)" if op == "expand_as" else f"`{word}={wanted[0]}`"
        return wording.axis_differs(where, axis, str(wanted[0]), str(mine[0]), bound_by=origin)
    expected, actual = (" ".join(map(str, sizes)) for sizes in (wanted, mine))
    return wording.shape_differs(f"{where}: `{word}`", expected, actual)
