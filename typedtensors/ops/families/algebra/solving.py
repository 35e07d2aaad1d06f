# SPDX-License-Identifier: Apache-2.0
"""Systems of linear equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.matrices import Matrices, matrices, squares
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_SYSTEMS = (
    example(Array("n n"), Array("n")),
    example(Array("n n"), Array("n k")),
    example(Array("b n n"), Array("b n k")),
    example(Array("b n n"), Array("n k")),
    example(Array("b n n"), Array("b n")),
    example(Array("b n m"), Array("b n k")),
    example(Array("b n n"), Array("b m k")),
)


@rule(
    "torch.linalg.solve",
    params="A, B, *, left=True, out=None",
    examples=(*_SYSTEMS, example(Array("n n"), Array("k n"), left=False)),
)
def solve(call: Call) -> Value:
    """The unknowns: a column for each of the right side, or one where that is a vector."""
    found = squares(call, "A")
    if _is_vector(call, "A", "B"):
        if call["left"] is not True:
            raise Undetermined("a vector on the other side")
        return solved_vector(call, "A", "B", found)
    return solved(call, "A", "B", found)


def solved_vector(call: Call, name: str, other: str, found: Matrices) -> Tensor:
    """The unknowns where the right side holds vectors."""
    right = call.tensor(other)
    _require_rows(call, other, right.shape.suffix[-1], found.rows)
    lead = _lead(call, {name: found.lead, other: right.shape.axes[:-1]})
    return Tensor(Shape((*lead, right.shape.axes[-1])), _dtype(call, name, other))


def _is_vector(call: Call, name: str, other: str) -> bool:
    """Whether the right side holds vectors: as many axes as the matrices' rows, and their sizes."""
    left, right = call.tensor(name).shape, call.tensor(other).shape
    if right.rank == 1:
        return True
    if left.rank is None or right.rank is None:
        raise Undetermined("whether the right side is a vector is not known")
    if right.rank == 0:
        raise Undetermined("the right side is a number")
    if right.rank != left.rank - 1:
        return False
    pairs = zip(left.fixed or (), right.fixed or (), strict=False)
    verdicts = {_alike(call, *pair) for pair in pairs}
    if Verdict.DIFFERENT in verdicts:
        return False
    if Verdict.UNDECIDED in verdicts:
        raise Undetermined("whether the right side is a vector is not known")
    return True


def _alike(call: Call, one: Axis, other: Axis) -> Verdict:
    if one.flexible or other.flexible:
        return Verdict.UNDECIDED
    return call.facts.compare(one.dim, other.dim)


def solved(call: Call, name: str, other: str, found: Matrices) -> Tensor:
    """The unknowns where the right side holds matrices."""
    left, right = call.flag("left"), matrices(call, other)
    _require_rows(call, other, Axis(right.rows if left else right.columns), found.rows)
    lead = _lead(call, {name: found.lead, other: right.lead})
    return Tensor(Shape((*lead, Axis(right.rows), Axis(right.columns))), _dtype(call, name, other))


def _lead(call: Call, leads: dict[str, tuple[Part, ...]]) -> tuple[Part, ...]:
    return meet(call, {name: Tensor(Shape(lead)) for name, lead in leads.items()}).axes


def _require_rows(call: Call, name: str, axis: Axis, needed: Dim) -> None:
    if axis.flexible:
        return
    if call.same(axis.dim, needed) is Verdict.DIFFERENT:
        where, text = wording.argument(name, call.name), call.tensor(name).shape.text
        problem = f"{where}: {axis} rows in ({text}) for {needed} equations"
        raise Conflicting(wording.sizes_misused(call.name, problem))


def _dtype(call: Call, *names: str) -> DType:
    found = {call.tensor(name).dtype for name in names}
    return found.pop() if len(found) == 1 else ANY


@rule(
    "torch.linalg.solve_triangular",
    params="A, B, *, upper, left=True, unitriangular=False, out=None",
    examples=(
        example(Array("n n"), Array("n k"), upper=True),
        example(Array("b n n"), Array("n k"), upper=False),
        example(Array("b n n"), Array("b k n"), upper=True, left=False),
        example(Array("n n"), Array("n"), upper=True),
    ),
)
def solve_triangular(call: Call) -> Value:
    """The unknowns, with a right side of matrices."""
    return solved(call, "A", "B", squares(call, "A"))


@rule(
    *torch_names("cholesky_solve"),
    params="input, input2, upper=False, *, out=None",
    examples=(
        example(Array("n k"), Array("n n")),
        example(Array("b n k"), Array("b n n")),
        example(Array("n k"), Array("m n")),
    ),
)
def cholesky_solve(call: Call) -> Value:
    """The unknowns, given the right side first."""
    call.arguments = {**call.arguments, "left": True}
    return solved(call, "input2", "input", squares(call, "input2"))


@rule(
    *torch_names("cholesky_inverse"),
    params="input, upper=False, *, out=None",
    examples=(example(Array("n n")), example(Array("*a n n")), example(Array("n m"))),
)
def cholesky_inverse(call: Call) -> Value:
    """The inverse of the matrix of which this is a triangle."""
    found = squares(call, "input")
    return call.tensor("input").with_shape(found.shape(found.rows, found.columns))


@rule(
    "torch.linalg.lstsq",
    params="A, B, rcond=None, *, driver=None",
    examples=(
        example(Array("m n"), Array("m k")),
        example(Array("b m n"), Array("b m k")),
        example(Array("m n"), Array("j k")),
    ),
)
def lstsq(call: Call) -> Value:
    """The unknowns that come closest; what else is returned depends on the numbers."""
    found = matrices(call, "A")
    _require_ranks(call)
    right = matrices(call, "B")
    _require_rows(call, "B", Axis(right.rows), found.rows)
    lead = _lead(call, {"A": found.lead, "B": right.lead})
    solution = Shape((*lead, Axis(found.columns), Axis(right.columns)))
    others = dict.fromkeys(("residuals", "rank", "singular_values"), Unknown("depends on numbers"))
    return Fields.of(solution=Tensor(solution, _dtype(call, "A", "B")), **others)


def _require_ranks(call: Call) -> None:
    """The right side has as many axes as the matrices, or one less."""
    left, right = call.tensor("A").shape, call.tensor("B").shape
    if left.rank is None or right.rank is None or left.rank - right.rank == 1:
        raise Undetermined("whether the right side holds vectors is not known")
    if left.rank != right.rank:
        where, text = wording.argument("B", call.name), " ".join(map(str, left.axes[:-1]))
        raise Conflicting(wording.rank_differs(where, f"{text} k", right.text))
