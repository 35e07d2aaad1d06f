# SPDX-License-Identifier: Apache-2.0
"""Ways to bend one argument of a call, so that it disagrees with the others or shows less."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.ops.scenes import DrawnArray, DrawnAxis, Run
from typedtensors.dims import Dim
from typedtensors.shapes import Axis, Variadic

if TYPE_CHECKING:
    from tests.ops.stage import Stage

DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool", "complex64")
OPAQUE = (Dim.opaque("self.a"), Dim.opaque("self.b"))


def _resize(stage: Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: (stage.axis(stage.any_dim()),))


def _squash(stage: Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: (stage.axis(Dim.of(1)),))


def _obscure(stage: Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: (stage.axis(stage.rng.choice(OPAQUE)),))


def _loosen(stage: Stage, array: DrawnArray) -> DrawnArray:
    def flexible(part: DrawnAxis) -> tuple[DrawnAxis]:
        size = stage.rng.choice((1, part.size))
        return (DrawnAxis(Axis(part.axis.dim, flexible=True), size),)

    return _at_axis(stage, array, flexible)


def _drop(stage: Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: ())


def _insert(stage: Stage, array: DrawnArray) -> DrawnArray:
    at = stage.rng.randint(0, len(array.parts))
    new = stage.axis(stage.any_dim())
    return replace(array, parts=(*array.parts[:at], new, *array.parts[at:]))


def _swap(stage: Stage, array: DrawnArray) -> DrawnArray:
    parts = list(array.parts)
    stage.rng.shuffle(parts)
    return replace(array, parts=tuple(parts))


def _blur(stage: Stage, array: DrawnArray) -> DrawnArray:
    """A variadic in place of some axes."""
    if any(isinstance(part, Run) for part in array.parts):
        return array
    first, last = sorted(stage.rng.choices(range(len(array.parts) + 1), k=2))
    if stage.rng.random() < 0.3:
        run = Run(Variadic("v"), stage.run("v"))
    else:
        run = Run(Variadic.fresh(), array.sizes[first:last])
    return replace(array, parts=(*array.parts[:first], run, *array.parts[last:]))


def _retype(stage: Stage, array: DrawnArray) -> DrawnArray:
    return replace(array, dtype=stage.rng.choice(DTYPES))


def _vague(_stage: Stage, array: DrawnArray) -> DrawnArray:
    return replace(array, vague=True)


def _hide(_stage: Stage, array: DrawnArray) -> DrawnArray:
    return replace(array, hidden=True)


def _shift(stage: Stage, value: int) -> int:
    """Another integer, none that a name's size equals by accident."""
    taken = () if stage.literal else stage.sizes.values()
    free = [value + by for by in (-3, -2, -1, 1, 2) if value + by not in taken]
    return stage.rng.choice(free or [value])


def _flip(_stage: Stage, value: bool) -> bool:  # noqa: FBT001 - a leaf like any other
    return not value


def _at_axis(stage: Stage, array: DrawnArray, change: Any) -> DrawnArray:
    fixed = [at for at, part in enumerate(array.parts) if isinstance(part, DrawnAxis)]
    if not fixed:
        return array
    at = stage.rng.choice(fixed)
    return replace(
        array, parts=(*array.parts[:at], *change(array.parts[at]), *array.parts[at + 1 :])
    )


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, DrawnArray)


BENDS: dict[str, tuple[Any, Any]] = {
    "resize": (_is_array, _resize),
    "squash": (_is_array, _squash),
    "drop": (_is_array, _drop),
    "insert": (_is_array, _insert),
    "swap": (_is_array, _swap),
    "shift": (lambda leaf: type(leaf) is int, _shift),
    "flip": (lambda leaf: type(leaf) is bool, _flip),
    "opaque": (_is_array, _obscure),
    "flexible": (_is_array, _loosen),
    "variadic": (_is_array, _blur),
    "dtype": (_is_array, _retype),
    "vague": (_is_array, _vague),
    "hide": (_is_array, _hide),
}
