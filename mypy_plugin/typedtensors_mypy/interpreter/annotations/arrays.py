# SPDX-License-Identifier: Apache-2.0
"""The arrays that an annotation speaks of, in a value that has it."""

from __future__ import annotations

from collections.abc import Iterator

from typedtensors.ops import Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.annotations.declared import values_in
from typedtensors_mypy.interpreter.expressions.iteration import known_items
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Either, Items, Stream, options
from typedtensors_mypy.source.annotations.types import (
    UNANNOTATED,
    AnnotationType,
    ArrayType,
    BareArrayType,
    MappingType,
    OpaqueType,
    ScalarType,
    StreamType,
    TupleType,
    UnionType,
)

_INTEGER = ScalarType("int")
# Of a long list one looks at the first items only: the others are like them.
_FEW = 4


def says_enough(kind: AnnotationType) -> bool:
    """Whether a return annotation says all there is to know of the shapes in it."""
    if isinstance(kind, (TupleType, UnionType)):
        return all(says_enough(item) for item in kind.items)
    if isinstance(kind, (StreamType, MappingType)):
        return says_enough(kind.item)
    return isinstance(kind, (ArrayType, ScalarType)) and kind != _INTEGER


def arrays_in(
    frame: Frame, kind: AnnotationType, value: Value
) -> Iterator[tuple[ArrayType, Tensor]]:
    """Each array in a value, with what its annotation asks of it.

    Of alternatives, on either side, no single one is asked for.
    """
    if isinstance(kind, UnionType):
        arrays = [item for item in kind.items if isinstance(item, ArrayType)]
        only = all(isinstance(item, (ArrayType, ScalarType)) for item in kind.items)
        kind = arrays[0] if only and len(arrays) == 1 else UNANNOTATED
    if isinstance(value, Either):
        tensors = [option for option in options(value) if option is not None]
        value = tensors[0] if len(tensors) == 1 else value
    if isinstance(kind, ArrayType) and isinstance(value, Tensor):
        yield kind, value
    elif isinstance(kind, TupleType):
        for item, part in zip(kind.items, known_items(frame, value) or (), strict=False):
            yield from arrays_in(frame, item, part)
    elif isinstance(kind, (StreamType, MappingType)):
        for part in _parts(frame, kind, value):
            yield from arrays_in(frame, kind.item, part)


def brings_shapes(frame: Frame, kind: AnnotationType, value: Value) -> bool:
    """Whether an argument holds an array of known shape of which its annotation says none."""
    now = frame.state.now(value)
    if isinstance(kind, TupleType):
        parts = zip(kind.items, known_items(frame, now) or (), strict=False)
        return any(brings_shapes(frame, item, part) for item, part in parts)
    if isinstance(kind, (StreamType, MappingType)):
        return any(brings_shapes(frame, kind.item, part) for part in _parts(frame, kind, now))
    if not isinstance(kind, (BareArrayType, OpaqueType)):
        return False
    if isinstance(now, Tensor):
        return bool(now.shape.rank)
    return any(brings_shapes(frame, kind, part) for part in _held(now)[:_FEW])


def _held(now: Value) -> tuple[Value, ...]:
    """What a value of any type holds, a loader's batches among it."""
    if isinstance(now, Stream):
        return (now.item,)
    if isinstance(now, Items):
        return now.values
    return now if isinstance(now, tuple) else ()


def choices_in(
    kind: AnnotationType, value: Value
) -> tuple[tuple[ArrayType, ...], tuple[Tensor, ...]]:
    """Of what kinds an array may be, where there are several and nothing else fits; and the array.

    There may be several arrays. What may be None is taken not to be.
    """
    kinds = kind.items if isinstance(kind, UnionType) else ()
    arrays = tuple(item for item in kinds if isinstance(item, ArrayType))
    only = len(arrays) > 1 and all(isinstance(item, (ArrayType, ScalarType)) for item in kinds)
    held = [option for option in options(value) if option is not None] if only else []
    tensors = tuple(option for option in held if isinstance(option, Tensor))
    return arrays, tensors if len(tensors) == len(held) else ()


def _parts(frame: Frame, kind: StreamType | MappingType, value: Value) -> tuple[Value, ...]:
    """What a list or dict holds, as far as it is known."""
    now = frame.state.now(value)
    if isinstance(kind, MappingType):
        return values_in(now)
    return (now.item,) if isinstance(now, Stream) else known_items(frame, now) or ()
