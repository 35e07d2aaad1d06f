# SPDX-License-Identifier: Apache-2.0
"""What an annotation says, as far as shapes go."""

from __future__ import annotations

import ast
from typing import TypeAlias

from typedtensors.dims.quick import dataclass
from typedtensors.ops import Framework
from typedtensors.shapes import Spec
from typedtensors_mypy.source.modules import AnyFunction, Module
from typedtensors_mypy.source.scope import Scope


@dataclass(frozen=True)
class ArrayType:
    """`Float[Tensor, "b d"]`: a spec, the name of the dtype it was written with, a framework."""

    spec: Spec
    dtype: str
    framework: Framework = Framework.TORCH


@dataclass(frozen=True)
class BareArrayType:
    """`Tensor` alone: an array of any shape."""

    framework: Framework = Framework.TORCH


@dataclass(frozen=True)
class TupleType:
    """`tuple[A, B]`: one type per position."""

    items: tuple[AnnotationType, ...]


@dataclass(frozen=True)
class StreamType:
    """`list[A]`, `Iterator[A]`: any number of `A`, one after the other."""

    item: AnnotationType


@dataclass(frozen=True)
class MappingType:
    """`dict[str, A]`: any keys, each with an `A`."""

    item: AnnotationType


@dataclass(frozen=True)
class CallableType:
    """`Callable[[A], B]`: a function that is known by its annotations only."""

    node: AnyFunction
    scope: Scope


@dataclass(frozen=True)
class UnionType:
    """`A | B`, `Optional[A]`."""

    items: tuple[AnnotationType, ...]


@dataclass(frozen=True)
class ScalarType:
    """`int`, `float`, `bool`, `str` or `None`."""

    name: str


@dataclass(frozen=True)
class ObjectType:
    """A class of a library's whose methods are ops: `np.random.Generator`."""

    name: str


@dataclass(frozen=True)
class ClassType:
    """A class of the user's."""

    module: Module
    node: ast.ClassDef


@dataclass(frozen=True)
class OpaqueType:
    """Anything else. Always silent; `is_unreadable` tells a spec whose text is not known."""

    reason: str
    is_unreadable: bool = False


UNANNOTATED = OpaqueType("not annotated")

AnnotationType: TypeAlias = (
    ArrayType
    | BareArrayType
    | TupleType
    | StreamType
    | MappingType
    | CallableType
    | UnionType
    | ScalarType
    | ObjectType
    | ClassType
    | OpaqueType
)


def specs_of(kind: AnnotationType) -> tuple[Spec, ...]:
    """Every spec in an annotation."""
    if isinstance(kind, ArrayType):
        return (kind.spec,)
    if isinstance(kind, (TupleType, UnionType)):
        return tuple([spec for item in kind.items for spec in specs_of(item)])
    return specs_of(kind.item) if isinstance(kind, (StreamType, MappingType)) else ()
