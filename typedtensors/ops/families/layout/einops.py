# SPDX-License-Identifier: Apache-2.0
"""Axes moved, merged, split, folded and repeated by a pattern: the functions of einops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Atom, Dim, Verdict, product
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.elements import reshaped
from typedtensors.ops.steps.axes.patterns import REST, Pattern, PatternError, parse_pattern
from typedtensors.ops.steps.axes.positions import with_rank
from typedtensors.ops.steps.axes.sizes import MINUS_ONE, is_hole, require_sizes
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Axis, Intent, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typedtensors.diagnostics import Diagnostic
    from typedtensors.ops.call import Call
    from typedtensors.ops.steps.axes.patterns import Group, Side
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_H = Dim.name("h")
_REARRANGE: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("b n d", "b n d -> b d n", {}),
    ("b t 6", "b t (h d) -> b h t d", {"h": 2}),
    ("b t h*d", "b t (h d) -> (b h) t d", {"h": _H}),
    ("b n d", "b n d -> b (n d)", {}),
    ("*batch n d", "... n d -> ... d n", {}),
    ("b n d", "b ... -> ... b", {}),
    ("b n", "b n -> b 1 n", {}),
    ("b 1 n", "b 1 n -> b n", {}),
    ("b n d", "b ... -> b (...)", {}),
    ("b n 6", "b n (h d) -> b n h d", {"h": 4}),
    ("b n 6", "b n (h d) -> b n h d", {}),
    ("b n", "b n d -> b d n", {}),
    ("b n", "b n -> b", {}),
    ("b n", "b b -> b", {}),
    ("b n", "b n -> n b", {"k": 2}),
)


@rule(
    "einops.rearrange",
    params="tensor, pattern, **sizes",
    examples=tuple(example(Array(s), p, **sizes) for s, p, sizes in _REARRANGE),
)
def rearrange(call: Call) -> Value:
    """The same elements, their axes in another order, merged or split."""
    pattern = _pattern(call)
    _reject(call, set(pattern.left.names) ^ set(pattern.right.names), "names on one side only")
    if _numbers(pattern.left) or _numbers(pattern.right):
        raise Conflicting(wording.misused(call.name, "a size that is neither a name nor 1"))
    return _array(call).with_shape(_result(call, pattern, Intent.VIEW))


@rule(
    "einops.reduce",
    params="tensor, pattern, reduction, **sizes",
    examples=(
        example(Array("b n d"), "b n d -> b d", "mean"),
        example(Array("b n d"), "b ... -> b", "sum"),
        example(Array("b c 6 8"), "b c (h 2) (w 2) -> b c h w", "max"),
        example(Array("b n d"), "b n d -> b 1 d", "mean"),
        example(Array("b n d"), "b n d -> ", "sum"),
        example(Array("b n d"), "b n -> b", "sum"),
        example(Array("b n"), "b n -> b k", "sum"),
        example(Array("b 5"), "b (h 2) -> b h", "sum"),
    ),
)
def reduce(call: Call) -> Value:
    """As rearrange; the axes that the right side leaves out are folded."""
    pattern = _pattern(call)
    new = {*pattern.right.names, *_numbers(pattern.right)} - set(pattern.left.names)
    _reject(call, new, "names on the right side only")
    array = _array(call)
    floats = promotion.kinds(array.dtype) == frozenset({"float"})
    shape = _result(call, pattern, Intent.KEEPDIM)
    return Tensor(shape, array.dtype if floats else ANY)


@rule(
    "einops.repeat",
    params="tensor, pattern, **sizes",
    examples=(
        example(Array("n d"), "n d -> b n d", b=3),
        example(Array("n d"), "n d -> b n d", b=_H),
        example(Array("n d"), "n d -> n (h d)", h=2),
        example(Array("n d"), "n d -> n 2 d"),
        example(Array("*batch d"), "... d -> ... k d", k=4),
        example(Array("n d"), "n d -> b n d"),
        example(Array("n d"), "n d -> n", b=3),
    ),
)
def repeat(call: Call) -> Value:
    """As rearrange; the axes that only the right side names repeat the array."""
    pattern = _pattern(call)
    _reject(call, set(pattern.left.names) - set(pattern.right.names), "names on the left side only")
    if _numbers(pattern.left):
        raise Undetermined("a size on the left side")
    return _array(call).with_shape(_result(call, pattern, Intent.VIEW))


layer(
    "einops.layers.torch.Rearrange",
    params="pattern, **sizes",
    inputs="tensor",
    examples=(
        example(Array("b c h w")).on("b c h w -> b (h w) c"),
        example(Array("b 6")).on("b (h d) -> b h d", h=2),
    ),
)(rearrange)
layer(
    "einops.layers.torch.Reduce",
    params="pattern, reduction, **sizes",
    inputs="tensor",
    examples=(
        example(Array("b c h w")).on("b c h w -> b c", "mean"),
        example(Array("b 6")).on("b (h d) -> b d", "max", h=2),
    ),
)(reduce)


def _array(call: Call) -> Tensor:
    """What is rearranged: an array, or several that are as good as one with another axis."""
    given = call["tensor"]
    return Tensor(Shape.unknown(), ANY) if isinstance(given, Unknown) else call.tensor("tensor")


def _pattern(call: Call) -> Pattern:
    """The pattern of the call. Raises Conflicting if it is none."""
    text = call["pattern"]
    if not isinstance(text, str):
        raise Undetermined("the pattern is not a literal string")
    try:
        pattern = parse_pattern(text)
    except PatternError as error:
        raise Conflicting(wording.misused(call.name, f'"{text}": {error}')) from None
    known = {*pattern.left.names, *pattern.right.names}
    unused = sorted(set(_sizes(call)) - known)
    if unused:
        raise Conflicting(wording.misused(call.name, f'"{text}": no axis is named `{unused[0]}`'))
    if pattern.left.merges_rest:
        raise Conflicting(wording.misused(call.name, f'"{text}": `...` cannot be split'))
    rest = [REST in group for group in pattern.left.groups]
    if not any(rest) and any(REST in group for group in pattern.right.groups):
        raise Conflicting(wording.misused(call.name, f'"{text}": `...` on the right side only'))
    return pattern


def _reject(call: Call, names: set[str], problem: str) -> None:
    """Raise Conflicting if there are such names."""
    if names:
        raise Conflicting(wording.misused(call.name, f'"{call["pattern"]}": {problem}'))


def _sizes(call: Call) -> Mapping[str, Value]:
    given = call["sizes"]
    return given if isinstance(given, dict) else {}


def _numbers(side: Side) -> set[str]:
    return {name for group in side.groups for name in group if name.isdecimal()}


def _result(call: Call, pattern: Pattern, intent: Intent) -> Shape:
    found: dict[str, list[Part]] = {n: [Axis(_size(size))] for n, size in _sizes(call).items()}
    for group, matched in _matched(call, pattern.left):
        found |= _bound(call, group, matched)
    missing = [name for name in pattern.right.names if name not in found]
    if missing:
        problem = f'"{call["pattern"]}": the size of `{missing[0]}` is not given'
        raise Conflicting(wording.misused(call.name, problem))
    given = tuple(part for each in found.values() for part in each)
    if any(map(is_hole, given)):
        raise Undetermined("what -1 stands for is left to the framework")
    require_sizes(call, given)
    right = pattern.right
    axes: list[Part] = []
    for at, group in enumerate(right.groups):
        axes += found[REST] if at == right.rest else [_joined(group, found, intent)]
    return Shape(tuple(axes))


def _size(value: Value) -> Dim:
    return value if isinstance(value, Dim) else Dim.fresh()


def _matched(call: Call, side: Side) -> list[tuple[Group, list[Part]]]:
    """Each group of the left side with its axis; `...` with all of its own."""
    shape, rest = _array(call).shape, side.rest
    count = len(side.groups)
    if rest is None:
        names = [group[0] if len(group) == 1 else "_" for group in side.groups]
        filled = with_rank(shape, count, names)
        if filled is None:
            raise Conflicting(_rank(call, side, shape))
        return [(group, [part]) for group, part in zip(side.groups, filled.axes, strict=True)]
    behind = count - rest - 1
    if shape.rank is not None and shape.rank < count - 1:
        raise Conflicting(_rank(call, side, shape))
    shape = _filled(side, shape, rest, behind)
    end = len(shape.axes) - behind
    ones = [[part] for part in (*shape.axes[:rest], *shape.axes[end:])]
    middle = list(shape.axes[rest:end])
    return list(zip(side.groups, [*ones[:rest], middle, *ones[rest:]], strict=True))


def _filled(side: Side, shape: Shape, before: int, behind: int) -> Shape:
    """A shape that has the axes beside `...`, though some of them were not known.

    What is known further in may be one of them.
    """
    if shape.rank is not None or (len(shape.prefix) >= before and len(shape.suffix) >= behind):
        return shape
    names = [group[0] if len(group) == 1 else "_" for group in side.groups]
    first, last = shape.prefix[:before], shape.suffix[max(len(shape.suffix) - behind, 0) :]
    first += tuple(Axis(Dim.fresh(name)) for name in names[len(first) : before])
    missing = names[before + 1 : len(names) - len(last)]
    last = (*(Axis(Dim.fresh(name)) for name in missing), *last)
    return Shape((*first, Variadic.fresh(), *last))


def _rank(call: Call, side: Side, shape: Shape) -> Diagnostic:
    where = wording.argument("tensor", call.name)
    texts = [
        group[0] if len(group) == 1 else "*".join(group) if group else "1" for group in side.groups
    ]
    return wording.rank_differs(where, " ".join(texts), shape.text)


def _bound(call: Call, group: Group, axes: list[Part]) -> dict[str, list[Part]]:
    """What the names of one group stand for."""
    if group == (REST,):
        return {REST: axes}
    axis = axes[0]
    if not isinstance(axis, Axis):
        raise Undetermined("an axis is not known")
    given = _sizes(call)
    if len(group) == 1 and group[0] not in given and not group[0].isdecimal():
        return {group[0]: [_called(call, group[0], axis)]}
    if axis.flexible:
        return {name: [Axis(Dim.fresh())] for name in group}
    sizes = [Dim.of(int(n)) if n.isdecimal() else given.get(n, MINUS_ONE) for n in group]
    wanted = [Axis(_size(size)) for size in sizes]
    if sum(size == MINUS_ONE for size in sizes) > 1:
        problem = f'"{call["pattern"]}": at most one size of `({" ".join(group)})` follows'
        raise Conflicting(wording.misused(call.name, problem))
    if len(group) <= 1:
        return _single(call, group, axis, wanted)
    split = reshaped(call, Shape((axis,)), wanted)
    return {name: [part] for name, part in zip(group, split.axes, strict=True)}


def _called(call: Call, name: str, axis: Axis) -> Axis:
    """An axis of a size that has no name yet, by the name that the pattern gives it."""
    factor = axis.dim.factor
    if not isinstance(factor, Atom) or factor.name != "_" or axis.flexible:
        return axis
    named = axis.with_dim(Dim.fresh(name))
    call.same(axis.dim, named.dim)
    return named


def _single(call: Call, group: Group, axis: Axis, wanted: list[Axis]) -> dict[str, list[Part]]:
    """An axis whose size is given: by name, or as a 1."""
    size = wanted[0].dim if wanted else Dim.of(1)
    if call.same(axis.dim, size) is Verdict.DIFFERENT:
        problem = f'"{call["pattern"]}": an axis of size {axis.dim} for one of size {size}'
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return {name: [axis] for name in group}


def _joined(group: Group, found: Mapping[str, list[Part]], intent: Intent) -> Part:
    """The one axis that a group of the right side is."""
    if not group:
        return Axis(Dim.of(1), intent=intent)
    parts = [part for name in group for part in _named(name, found)]
    if len(parts) == 1 and isinstance(parts[0], Axis):
        return parts[0]
    axes = [part for part in parts if isinstance(part, Axis) and not part.flexible]
    known = len(axes) == len(parts)
    return Axis(product(axis.dim for axis in axes) if known else Dim.fresh())


def _named(name: str, found: Mapping[str, list[Part]]) -> list[Part]:
    return [Axis(Dim.of(int(name)))] if name.isdecimal() else found[name]
