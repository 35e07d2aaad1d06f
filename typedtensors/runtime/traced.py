# SPDX-License-Identifier: Apache-2.0
"""What `matches` says while `torch.compile` traces: all that a value shows by itself.

jaxtyping's `isinstance` is False there, whatever the value. Dynamo runs the questions below when it
traces, and keeps their answers as constants; only sizes are compared by the program that it makes.
What the arguments of the call have bound is not known there, so no size is compared with it.
"""

from __future__ import annotations

import typing
from functools import lru_cache
from typing import Any, Final

from typedtensors.shapes.arrays.tracing import asked_once

_NO, _YES, _IF_ARRAY_FITS = range(3)
_NONE: Final = -1


def matches_traced(value: Any, annotation: Any) -> bool:
    """Say whether a value fits an annotation, as far as the value itself tells."""
    for option in range(_count_options(annotation)):
        verdict = _verdict_on_class(annotation, option, type(value))
        if verdict == _YES:
            return True
        if verdict == _IF_ARRAY_FITS and _array_fits(value, annotation, option):
            return True
    return False


def _array_fits(value: Any, annotation: Any, option: int) -> bool:
    if not _accepts(annotation, option, value.dtype):
        return False
    shape = value.shape
    if not _accepts_rank(annotation, option, len(shape)):
        return False
    return all(
        _axis_fits(shape, annotation, option, position)
        for position in range(_count_axes(annotation, option))
    )


def _axis_fits(shape: Any, annotation: Any, option: int, position: int) -> bool:
    size = shape[_index(annotation, option, position)]
    wanted = _fixed(annotation, option, position)
    # Each comparison with a size is a guard, so there is to be none with what is no size.
    if wanted != _NONE and size != wanted:  # noqa: PLR1714
        return bool(size == 1) and _is_flexible(annotation, option, position)
    twin = _first_of_name(annotation, option, position)
    return twin == _NONE or bool(size == shape[_index(annotation, option, twin)])


@lru_cache(maxsize=256)
def _options(annotation: Any) -> tuple[Any, ...]:
    from typedtensors.runtime.hints.containers import UnionHint
    from typedtensors.runtime.hints.parse import parse_hint

    def flat(hint: Any) -> tuple[Any, ...]:
        if not isinstance(hint, UnionHint):
            return (hint,)
        return tuple(each for option in hint.options for each in flat(option))

    return flat(parse_hint(annotation))


@lru_cache(maxsize=256)
def _axes(annotation: Any, option: int) -> tuple[tuple[int, Any], ...]:
    """Return the axes that are one each, with the index of each: from the end after a variadic."""
    from typedtensors.shapes import parse_spec

    spec = parse_spec(_options(annotation)[option].annotation.dim_str)
    cut = len(spec.axes) if spec.variadic is None else spec.variadic
    return tuple(
        (place if place < cut else place - len(spec.axes), axis)
        for place, axis in enumerate(spec.axes)
        if not axis.variadic
    )


@asked_once
def _count_options(annotation: Any) -> int:
    return len(_options(annotation))


@asked_once
def _verdict_on_class(annotation: Any, option: int, kind: type) -> int:
    from typedtensors.runtime.hints.containers import PartsHint
    from typedtensors.runtime.hints.nodes import ArrayHint, ClassHint

    hint = _options(annotation)[option]
    if isinstance(hint, ArrayHint):
        wanted = hint.annotation.array_type
        return _IF_ARRAY_FITS if wanted is Any or issubclass(kind, wanted) else _NO
    if isinstance(hint, ClassHint):
        return _YES if issubclass(kind, hint.accepted) else _NO
    if isinstance(hint, PartsHint):
        return _YES if issubclass(kind, hint.origin) else _NO
    wanted = getattr(hint, "annotation", object)
    wanted = typing.get_origin(wanted) or wanted
    return _YES if not isinstance(wanted, type) or issubclass(kind, wanted) else _NO


@asked_once
def _accepts(annotation: Any, option: int, dtype: Any) -> bool:
    from typedtensors.runtime.codegen.support import dtype_table

    dtypes = _options(annotation)[option].annotation.dtypes
    return not isinstance(dtypes, tuple) or dtype_table(dtypes)[dtype]


@asked_once
def _accepts_rank(annotation: Any, option: int, rank: int) -> bool:
    from typedtensors.shapes import parse_spec

    spec = parse_spec(_options(annotation)[option].annotation.dim_str)
    return rank == spec.least_rank or (rank > spec.least_rank and spec.variadic is not None)


@asked_once
def _count_axes(annotation: Any, option: int) -> int:
    return len(_axes(annotation, option))


@asked_once
def _index(annotation: Any, option: int, position: int) -> int:
    return _axes(annotation, option)[position][0]


@asked_once
def _fixed(annotation: Any, option: int, position: int) -> int:
    """Return the size that an axis has to have, if that is a number."""
    _, axis = _axes(annotation, option)[position]
    value = None if axis.dim is None else axis.dim.value
    return _NONE if value is None else int(value)


@asked_once
def _is_flexible(annotation: Any, option: int, position: int) -> bool:
    """Say whether an axis may be 1 as well."""
    return bool(_axes(annotation, option)[position][1].flexible)


@asked_once
def _first_of_name(annotation: Any, option: int, position: int) -> int:
    """Return the first axis of the same name, if there is one before."""
    axes = [axis for _, axis in _axes(annotation, option)]
    name = axes[position].name
    named = [place for place, axis in enumerate(axes) if axis.name == name and not axis.flexible]
    known = name is not None and position in named and named[0] != position
    return named[0] if known else _NONE
