# SPDX-License-Identifier: Apache-2.0
"""Annotations to types, whatever they are spelled like."""

from __future__ import annotations

import ast

import pytest

from tests.typedtensors_mypy.programs import Sources
from typedtensors_mypy.source.annotations.specs import SpecReader
from typedtensors_mypy.source.annotations.types import (
    ArrayType,
    CallableType,
    MappingType,
    OpaqueType,
    StreamType,
    TupleType,
    UnionType,
)
from typedtensors_mypy.source.scope import Scope

HEADER = """
import jaxtyping as jt
import numpy as np
import torch
import typing as t
from collections.abc import Callable, Iterator
from jaxtyping import Bool, Float, Float32 as F32
from typing import Annotated, Optional, Union
from torch import Tensor
SPEC = "b d"
NUMBER = 3
PREFIX = f"t {NUMBER}"
Batch = Float[Tensor, "b d"]
Loop = Optional["Loop"]
"""


def read(annotation: str) -> tuple[str, list[str]]:
    """The type in short, and the words of each problem."""
    program = Sources({"m": HEADER})
    module = program.module("m")
    assert module is not None
    reader = SpecReader(Scope(program, module))
    kind = reader.read(ast.parse(annotation, mode="eval").body)
    return short(kind), [problem.diagnostic.text for problem in reader.problems]


def short(kind: object) -> str:
    if isinstance(kind, ArrayType):
        return f"{kind.dtype} {kind.framework.value} {kind.spec.text}".strip()
    if isinstance(kind, StreamType):
        return f"many({short(kind.item)})"
    if isinstance(kind, MappingType):
        return f"named({short(kind.item)})"
    if isinstance(kind, CallableType):
        return short_call(kind)
    if isinstance(kind, TupleType):
        return f"({', '.join(map(short, kind.items))})"
    if isinstance(kind, UnionType):
        return " | ".join(map(short, kind.items))
    return "?" if isinstance(kind, OpaqueType) else type(kind).__name__


def short_call(kind: CallableType) -> str:
    read, args = SpecReader(kind.scope).read, kind.node.args
    taken = [short(read(arg.annotation)) for arg in args.posonlyargs]
    taken += ["*"] * bool(args.vararg) + ["**"] * bool(args.kwarg)
    return f"call({', '.join(taken)} -> {short(read(kind.node.returns))})"


@pytest.mark.parametrize(
    ("annotation", "meaning"),
    [
        ('Float[Tensor, "b d"]', "Float torch b d"),
        ('jt.Int[torch.Tensor, " n"]', "Int torch n"),
        ('F32[np.ndarray, ""]', "Float32 numpy"),
        ("Float[Tensor, SPEC]", "Float torch b d"),
        ("\"Float[Tensor, 'b']\"", "Float torch b"),
        ('Float[Batch, "t"]', "Float torch t b d"),
        ('F32[Batch, "t"]', "Float32 torch t b d"),
        ('Float[Tensor, f"{PREFIX} d"]', "Float torch t 3 d"),
        ('Float[Tensor, PREFIX + " d"]', "Float torch t 3 d"),
        ('Float[Tensor, "t" " d"]', "Float torch t d"),
        ("Optional[Batch]", "Float torch b d | ScalarType"),
        ("Batch | None", "Float torch b d | ScalarType"),
        ('Union[Batch, Float[Tensor, "b"]]', "Float torch b d | Float torch b"),
        ("tuple[Batch, int]", "(Float torch b d, ScalarType)"),
        ("t.Tuple[Batch, ...]", "many(Float torch b d)"),
        ("Iterator[list[Batch]]", "many(many(Float torch b d))"),
        ("Loop", "? | ScalarType"),
        ("Float", "?"),
        ('Float[Float, "..."]', "?"),
        ('Float[LinearOperator, "..."]', "?"),
        ('Annotated[Tensor, "b d"]', "?"),
        ('Float[Tensor, make("n")]', "?"),
        ('Float[Tensor, f"{make()} d"]', "?"),
        ('Float[Tensor, f"{SPEC!r} d"]', "?"),
        ("Callable[[Batch, int], Batch]", "call(Float torch b d, ScalarType -> Float torch b d)"),
        ("Callable[..., Batch]", "call(*, ** -> Float torch b d)"),
        ("Callable", "?"),
        ("dict[str, Batch]", "named(Float torch b d)"),
        ("t.Mapping[str, list[Batch]]", "named(many(Float torch b d))"),
        ('"not python ("', "?"),
        ("3", "?"),
    ],
)
def test_an_annotation_is_read(annotation: str, meaning: str) -> None:
    assert read(annotation) == (meaning, [])


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ('Float[Tensor, "b 3.5"]', "3.5"),
        ('Float[Float[Tensor, "... d"], "..."]', "both hold a variadic"),
        ('dict[str, Float[Tensor, "a=b=c"]]', "a=b=c"),
        ('Callable[[Float[Tensor, "3.5"]], int]', "3.5"),
    ],
)
def test_a_spec_that_cannot_be_meant_is_a_problem(annotation: str, words: str) -> None:
    meaning, problems = read(annotation)
    assert meaning in {"?", "named(?)", "call(? -> ScalarType)"}
    assert len(problems) == 1
    assert words in problems[0]
