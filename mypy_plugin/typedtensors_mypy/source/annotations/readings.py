# SPDX-License-Identifier: Apache-2.0
"""`Reading`, what an annotation says where it stands: each is read once, however often asked."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source.annotations.specs import SpecProblem, SpecReader
from typedtensors_mypy.source.annotations.types import UNANNOTATED, AnnotationType
from typedtensors_mypy.source.scope import Scope


@dataclass(frozen=True)
class Reading:
    """The type that an annotation writes, and the specs in it that cannot be meant."""

    type: AnnotationType
    problems: Sequence[SpecProblem]


def reading_of(scope: Scope, annotation: ast.expr) -> Reading:
    """What an annotation says in a scope."""
    return scope.once(_read, annotation)


def type_of(scope: Scope, annotation: ast.expr | None) -> AnnotationType:
    """The type that an annotation writes in a scope."""
    return UNANNOTATED if annotation is None else reading_of(scope, annotation).type


def _read(scope: Scope, annotation: ast.expr) -> Reading:
    reader = SpecReader(scope)
    return Reading(reader.read(annotation), reader.problems)
