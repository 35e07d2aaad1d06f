# SPDX-License-Identifier: Apache-2.0
"""Our own helpers, which line axes up by name: `align`, `expand`, `expand_as`, `sizes`.

Their names are local to the call: `"batch d"` there says which axis is which, and not that the
axes are of the sizes that the function around it calls `batch` and `d`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import with_rank
from typedtensors.shapes import Axis, Intent, Shape, SpecError
from typedtensors.shapes.specs.names import Names, parse_names, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_ONE = Axis(Dim.of(1), intent=Intent.ALIGN)


@rule(
    "typedtensors.align",
    params="x, spec, *, to",
    examples=(
        example(Array("d"), "d", to="b t d"),
        example(Array("d b"), "d b", to="b t d"),
        example(Array("b d"), "b d", to="b d"),
        example(Array("*s d"), "*s d", to="*s h d"),
        example(Array("d"), "d", to="*s h d"),
        example(Array("b d"), "d", to="b d"),
        example(Array("d"), "d", to="b t"),
        example(Array("d"), "d", to="b *s d"),
        example(Array("d"), "2*d", to="b t d"),
    ),
)
def align(call: Call) -> Value:
    """Axes in another order, and new ones of size 1 that are meant to broadcast."""
    array = call.tensor("x")
    with _reported():
        source, target = parse_names(_text(call, "spec")), parse_names(_text(call, "to"))
        runs, places = _runs(call, "x", source), source.placed_in(target)
    return array.with_shape(_joined([_ONE] if at is None else runs[at] for at in places))


@rule(
    "typedtensors.expand_as",
    params="x, spec, other, other_spec",
    examples=(
        example(Array("d"), "d", Array("b t d"), "b t d"),
        example(Array("t b"), "t b", Array("b t d"), "b t d"),
        example(Array("*s d"), "*s d", Array("*s h d"), "*s h d"),
        example(Array("d"), "k", Array("b t d"), "b t d"),
    ),
)
def expand_as(call: Call) -> Value:
    """The other's shape, if the names that both have are of one size."""
    array, other = call.tensor("x"), call.tensor("other")
    with _reported():
        source, target = parse_names(_text(call, "spec")), parse_names(_text(call, "other_spec"))
        mine, theirs = _runs(call, "x", source), _runs(call, "other", target)
        source.placed_in(target)
    for position, word in enumerate(source.words):
        wanted = theirs[target.words.index(word)]
        _agree(call, position, mine[position], wanted, word)
    return array.with_shape(other.shape)


@rule(
    "typedtensors.expand",
    params="x, pattern, **sizes",
    examples=(
        example(Array("d"), "d -> b t d", b=2, t=Dim.name("t")),
        example(Array("d b"), "d b -> b t d", t=4, d=Dim.name("d")),
        example(Array("*s d"), "*s d -> *s h d", h=3),
        example(Array("d"), "d -> b d"),
        example(Array("d"), "d -> b d", b=2, c=3),
        example(Array("d"), "d b"),
    ),
)
def expand(call: Call) -> Value:
    """New axes of the sizes that are given by name."""
    array, pattern, given = call.tensor("x"), _text(call, "pattern"), call["sizes"]
    if not isinstance(given, dict):
        raise Undetermined("the sizes are not known")
    with _reported():
        source, target = parse_pattern(pattern)
        runs, places = _runs(call, "x", source), source.placed_in(target)
    for name in given:
        if name not in target.words:
            problem = f"a size is given for `{name}`, which is not on the right-hand side"
            raise Conflicting(wording.bad_spec(pattern, problem))
    if len(places) < len(target.words):
        raise Undetermined("the new axes of a variadic have no sizes")
    for word, at in zip(target.words, places, strict=True):
        if at is not None and word in given:
            _require(call, at, runs[at], _sized(pattern, word, given).dim, f"`{word}`")
    return array.with_shape(
        _joined(
            [_sized(pattern, word, given)] if at is None else runs[at]
            for word, at in zip(target.words, places, strict=True)
        )
    )


@rule(
    "typedtensors.sizes",
    params="x, spec",
    examples=(
        example(Array("b t d"), "b t d"),
        example(Array("b t d"), "_ t _"),
        example(Array("b 3 d"), "b 3 d"),
        example(Array("*s d"), "*s d"),
        example(Array("b d"), "d"),
        example(Array("b 4"), "b 5"),
    ),
)
def sizes(call: Call) -> Value:
    """Each name with the size of its axis."""
    with _reported():
        names = parse_names(_text(call, "spec"), unnamed=True)
    found: dict[str, Value] = {}
    for position, (word, run) in enumerate(zip(names.words, _runs(call, "x", names), strict=True)):
        if word.isdecimal():
            _require(call, position, run, Dim.of(int(word)), None)
        elif word != "_" and position != names.variadic:
            found[word] = next(iter(_rigid(run)), Dim.fresh(word))
    return found


@contextmanager
def _reported() -> Iterator[None]:
    """Turn what is wrong with the names into a conflict."""
    try:
        yield
    except SpecError as error:
        raise Conflicting(error.diagnostic) from None


def _text(call: Call, name: str) -> str:
    value = call[name]
    if not isinstance(value, str):
        raise Undetermined(f"`{name}` is not a literal string")
    return value


def _runs(call: Call, name: str, names: Names) -> list[tuple[Part, ...]]:
    """List for each name the axes it covers: one, or for a variadic any number.

    Raises Conflicting if there are too many axes or too few, Undetermined if the variadics of
    shape and names cover different axes.
    """
    shape = call.tensor(name).shape
    count, variadic = len(names.words), names.variadic
    fitting = shape if shape.rank is not None or variadic is not None else with_rank(shape, count)
    if fitting is None or (fitting.rank is not None and not names.fits(fitting.rank)):
        where = wording.argument(name, call.op.rpartition(".")[2])
        raise Conflicting(wording.rank_differs(where, names.text, shape.text))
    if fitting.rank is not None:
        return [fitting.axes[start:stop] for start, stop in names.spans(fitting.rank)]
    at, behind = variadic or 0, count - (variadic or 0) - 1
    if len(fitting.prefix) < at or len(fitting.suffix) < behind:
        raise Undetermined(f"the axes of {shape} cannot be told apart")
    end = len(fitting.axes) - behind
    before, after = fitting.axes[:at], fitting.axes[end:]
    return [*((part,) for part in before), fitting.axes[at:end], *((part,) for part in after)]


def _agree(
    call: Call, position: int, mine: Sequence[Part], theirs: Sequence[Part], word: str
) -> None:
    """Require the same axes. Raises Conflicting if they certainly differ."""
    left, right = _rigid(mine), _rigid(theirs)
    if len(left) < len(mine) or len(right) < len(theirs):
        return
    if len(left) != len(right):
        where = wording.argument("x", "expand_as")
        expected, actual = (Shape(tuple(parts)).text for parts in (theirs, mine))
        raise Conflicting(wording.shape_differs(f"{where}: `{word}`", expected, actual))
    for offset, (one, other) in enumerate(zip(left, right, strict=True)):
        if call.same(one, other) is Verdict.DIFFERENT:
            raise _conflict(call, position + offset, one, other, f"`other` (`{word}`)")


def _require(call: Call, position: int, run: Sequence[Part], size: Dim, origin: str | None) -> None:
    """Require one axis of a size that the call gives. Raises Conflicting if it is another."""
    for dim in _rigid(run):
        # It documents a name of the caller's, as the size of a layer does.
        if call.requires(dim, size) is Verdict.DIFFERENT:
            raise _conflict(call, position, dim, size, origin)


def _conflict(
    call: Call, position: int, actual: Dim, wanted: Dim, origin: str | None
) -> Conflicting:
    where = wording.argument("x", call.op.rpartition(".")[2])
    sizes = str(wanted), str(actual)
    return Conflicting(wording.axis_differs(where, position, *sizes, bound_by=origin))


def _rigid(run: Sequence[Part]) -> list[Dim]:
    return [part.dim for part in run if isinstance(part, Axis) and not part.flexible]


def _sized(pattern: str, word: str, given: Mapping[str, Value]) -> Axis:
    """The axis of a size that the call gives. Raises Conflicting if it gives none."""
    if word not in given:
        hint = f"pass `{word}=...`"
        problem = f"the size of `{word}` is not given"
        raise Conflicting(wording.bad_spec(pattern, problem, hint=hint))
    size = given[word]
    if not isinstance(size, Dim):
        return Axis(Dim.fresh(word))
    if size.value is not None and size.value < 0:
        raise Conflicting(wording.bad_spec(pattern, f"`{word}={size}` is no size"))
    return Axis(size)


def _joined(runs: Iterable[Sequence[Part]]) -> Shape:
    return Shape(tuple(part for run in runs for part in run))
