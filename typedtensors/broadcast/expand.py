# SPDX-License-Identifier: Apache-2.0
"""`expand` and `expand_as`: align an array, then give each new axis its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from typedtensors.broadcast.array import Array, ArrayT, place, stretch
from typedtensors.broadcast.errors import AxisError, require_array, require_rank
from typedtensors.broadcast.graphs import (
    Axes,
    assert_equal,
    axes_of,
    axes_text,
    differ,
    of_known_rank,
)
from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.diagnostics.suggestion import did_you_mean
from typedtensors.shapes import SpecError
from typedtensors.shapes.arrays.intended import mark
from typedtensors.shapes.arrays.sizes import is_tensorflow
from typedtensors.shapes.arrays.tracing import unconverted
from typedtensors.shapes.specs.names import Names, parse_names, parse_pattern

# Not the other way around: a size may be a symbolic integer of a compiler.
_NO_SIZES = (bool, float, str, type(None))


class _Axes(NamedTuple):
    """The axes of an array that one word of a helper's spec stands for."""

    op: str
    word: str
    start: int
    sizes: Axes


@unconverted
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
        x = of_known_rank("expand_as", "x", x, source)
        other = of_known_rank("expand_as", "other", other, target)
        require_rank("expand_as", "x", source, x.shape)
        require_rank("expand_as", "other", target, other.shape)
        aligned = place(x, source, target)
    except SpecError as error:
        raise AxisError(error.diagnostic) from None
    own, sizes = axes_of(x), axes_of(other)
    wanted = target.spans(len(sizes))
    for word, (start, stop) in zip(source.words, source.spans(len(own)), strict=True):
        first, last = wanted[target.words.index(word)]
        axes = _Axes("expand_as", word, start, own[start:stop])
        aligned = _require_same(aligned, axes, sizes[first:last])
    return mark(stretch(aligned, sizes, like=other))


@unconverted
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
        x = of_known_rank("expand", "x", x, source)
        require_rank("expand", "x", source, x.shape)
        aligned = place(x, source, target)
    except SpecError as error:
        raise AxisError(error.diagnostic) from None
    _require_sizes(pattern, target, sizes)
    own = axes_of(x)
    spans = dict(zip(source.words, source.spans(len(own)), strict=True))
    result: list[Any] = []
    for word in target.words:
        if word not in spans:
            result.append(_given(pattern, word, sizes))
            continue
        start, stop = spans[word]
        if word in sizes:
            axes = _Axes("expand", word, start, own[start:stop])
            aligned = _require_same(aligned, axes, (sizes[word],))
        result.extend(own[start:stop])
    return mark(stretch(aligned, result))


def _require_sizes(pattern: str, target: Names, sizes: Mapping[str, Any]) -> None:
    for name, size in sizes.items():
        if name not in target.words:
            slip = did_you_mean(name, target.words)
            problem = f"a size is given for `{name}`, which is not on the right-hand side{slip}"
            raise AxisError(wording.bad_spec(pattern, problem))
        if isinstance(size, _NO_SIZES) or (not is_tensorflow(type(size)) and size < 0):
            raise AxisError(wording.bad_spec(pattern, f"`{name}={size!r}` is no size"))


def _given(pattern: str, word: str, sizes: Mapping[str, Any]) -> Any:
    if word in sizes:
        return sizes[word]
    problem = f"the size of `{word}` is not given"
    raise AxisError(wording.bad_spec(pattern, problem, hint=f"pass `{word}=...`"))


def _require_same(array: ArrayT, axes: _Axes, wanted: Axes) -> ArrayT:
    """Return the array if its axes agree; in a graph, one that is handed on only if they do.

    Raises:
        AxisError: they do not.
    """
    if differ(axes.sizes, wanted):
        raise AxisError(_disagree(axes, wanted))
    problem = f"{wording.argument('x', axes.op)}: axes of `{axes.word}` have the sizes"
    return assert_equal(array, axes.sizes, wanted, problem)  # type: ignore[no-any-return]


def _disagree(axes: _Axes, wanted: Axes) -> Diagnostic:
    where, word = wording.argument("x", axes.op), axes.word
    expected, actual = axes_text(wanted), axes_text(axes.sizes)
    if len(axes.sizes) == len(wanted) == 1:
        origin = f"`other` (`{word}`)" if axes.op == "expand_as" else f"`{word}={expected}`"
        return wording.axis_differs(where, axes.start, expected, actual, bound_by=origin)
    return wording.shape_differs(f"{where}: `{word}`", expected, actual)
