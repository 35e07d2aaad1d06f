# SPDX-License-Identifier: Apache-2.0
"""Factorizations packed into one matrix, and what is made of them.

Source: https://docs.pytorch.org/docs/stable/linalg.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.families.algebra.solving import solved
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import Signature, results
from typedtensors.ops.steps.matrices import matrices, squares
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.dims import Dim
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_INT32 = DType.exactly("int32")
_ANY = (example(Array("m n")), example(Array("*a m n")), example(Array("b 4 3")))
_SQUARE = (example(Array("n n")), example(Array("*a n n")), example(Array("b n m")))
_PIVOTED = Signature.parse("*a n n, *a n -> *a n n")


def _pivots(spec: str) -> Array:
    return Array(spec, "Int32")


@rule(*torch_names("geqrf"), params="input, *, out=None", examples=_ANY)
def geqrf(call: Call) -> Value:
    """Reflectors packed into the matrix, and a factor for each."""
    found, array = matrices(call, "input"), call.tensor("input")
    return Fields.of(a=array, tau=array.with_shape(found.shape(found.smaller)))


@rule(
    *torch_names("lu"),
    params="A, pivot=True, get_infos=False, out=None",
    examples=(*_ANY, example(Array("b 3 3"), get_infos=True)),
)
def lu(call: Call) -> Value:
    """Both triangles in one matrix, which rows were swapped, and how it went if that is asked."""
    packed = _packed(call)
    return tuple(packed.values()) if call.flag("get_infos") else tuple(packed.values())[:2]


def _packed(call: Call) -> dict[str, Tensor]:
    found = matrices(call, "A")
    return {
        "LU": call.tensor("A").with_shape(found.shape(found.rows, found.columns)),
        "pivots": Tensor(found.shape(found.smaller), _INT32),
        "info": Tensor(found.shape(), _INT32),
    }


@rule(
    "torch.linalg.lu_factor_ex",
    params="A, *, pivot=True, check_errors=False, out=None",
    examples=_ANY,
)
def lu_factor(call: Call) -> Value:
    """Both triangles in one matrix, which rows were swapped, and how it went."""
    return Fields.of(**_packed(call))


@rule(
    *("torch.linalg.ldl_factor", "torch.linalg.ldl_factor_ex"),
    params="A, *, hermitian=False, check_errors=False, out=None",
    examples=_SQUARE,
)
def ldl_factor(call: Call) -> Value:
    """A triangle and a block diagonal in one matrix, and which rows were swapped."""
    found = squares(call, "A")
    packed = {"LD": call.tensor("A"), "pivots": Tensor(found.shape(found.rows), _INT32)}
    if call.name == "ldl_factor_ex":
        packed["info"] = Tensor(found.shape(), _INT32)
    return Fields.of(**packed)


@rule(
    "torch.linalg.ldl_solve",
    params="LD, pivots, B, *, hermitian=False, out=None",
    examples=(
        example(Array("n n"), _pivots("n"), Array("n k")),
        example(Array("b n n"), _pivots("b n"), Array("n k")),
        example(Array("n n"), _pivots("n"), Array("m k")),
        example(Array("n n"), _pivots("m"), Array("n k")),
    ),
)
def ldl_solve(call: Call) -> Value:
    """The unknowns, given the factors of the matrix."""
    _require_pivots(call, "LD", "pivots")
    call.arguments = {**call.arguments, "left": True}
    return solved(call, "LD", "B", squares(call, "LD"))


def _require_pivots(call: Call, factors: str, pivots: str) -> None:
    """Positions for each row. Raises Conflicting for others."""
    if call.tensor(pivots).dtype != _INT32:
        raise Undetermined("positions of rows are int32")
    results(call, _PIVOTED, (factors, pivots))


@rule(
    "torch.linalg.lu_solve",
    params="LU, pivots, B, *, left=True, adjoint=False, out=None",
    examples=(
        example(Array("n n"), _pivots("n"), Array("n k")),
        example(Array("b n n"), _pivots("b n"), Array("n k")),
        example(Array("n n"), _pivots("n"), Array("k n"), left=False),
        example(Array("b n n"), _pivots("n"), Array("n k")),
    ),
)
def lu_solve(call: Call) -> Value:
    """The unknowns, given the factors of the matrix."""
    _require_pivots(call, "LU", "pivots")
    return solved(call, "LU", "B", squares(call, "LU"))


@rule(
    *torch_names("lu_solve"),
    params="b, LU_data, LU_pivots, *, out=None",
    examples=(
        example(Array("n k"), Array("n n"), _pivots("n")),
        example(Array("n k"), Array("b n n"), _pivots("b n")),
        example(Array("m k"), Array("n n"), _pivots("n")),
    ),
)
def lu_solve_of_old(call: Call) -> Value:
    """As `linalg.lu_solve`, given the right side first."""
    _require_pivots(call, "LU_data", "LU_pivots")
    call.arguments = {**call.arguments, "left": True}
    return solved(call, "LU_data", "b", squares(call, "LU_data"))


@rule(
    "torch.linalg.solve_ex",
    params="A, B, *, left=True, check_errors=False, out=None",
    examples=(
        example(Array("n n"), Array("n k")),
        example(Array("b n n"), Array("b n k")),
        example(Array("b n n"), Array("b m k")),
    ),
)
def solve_ex(call: Call) -> Value:
    """The unknowns, and for each matrix whether there are any."""
    found = squares(call, "A")
    right = call.tensor("B").shape
    if call.tensor("A").shape.rank is None or right.rank != call.tensor("A").shape.rank:
        raise Undetermined("whether the right side is a vector is not known")
    unknowns = solved(call, "A", "B", found)
    return Fields.of(result=unknowns, info=Tensor(found.shape(), _INT32))


@rule(
    *torch_names("triangular_solve"),
    params="b, A, upper=True, transpose=False, unitriangular=False, *, out=None",
    examples=(
        example(Array("n k"), Array("n n")),
        example(Array("n k"), Array("b n n")),
        example(Array("m k"), Array("n n")),
    ),
)
def triangular_solve(call: Call) -> Value:
    """The unknowns, and the matrix."""
    call.arguments = {**call.arguments, "left": True}
    found = squares(call, "A")
    unknowns = solved(call, "A", "b", found)
    lead = unknowns.shape.axes[:-2]
    matrix = Shape((*lead, Axis(found.rows), Axis(found.columns)))
    return Fields.of(solution=unknowns, cloned_coefficient=unknowns.with_shape(matrix))


@rule(
    *("torch.linalg.householder_product", *torch_names("orgqr")),
    params="A, tau, *, out=None",
    examples=(
        example(Array("5 3"), Array("3")),
        example(Array("b 4 4"), Array("b 2")),
        example(Array("3 5"), Array("3")),
        example(Array("5 3"), Array("4")),
    ),
)
def householder_product(call: Call) -> Value:
    """The first columns of a product of reflectors: no more of them than rows."""
    found, array = matrices(call, "A"), call.tensor("A")
    if call.tensor("tau").dtype != array.dtype:
        raise Undetermined("torch takes factors of the matrix's dtype")
    (factors,) = results(call, Signature.parse("*a m n, *a k -> *a k"), ("A", "tau"))
    count = factors.shape.axes[-1]
    if not isinstance(count, Axis) or count.flexible:
        raise Undetermined("the number of reflectors is not known")
    _require_most(call, found.columns, found.rows, "columns")
    _require_most(call, count.dim, found.columns, "reflectors")
    return array


def _require_most(call: Call, count: Dim, most: Dim, what: str) -> None:
    small, large = call.facts.resolve(count), call.facts.resolve(most)
    if small.value is None or large.value is None:
        if call.facts.compare(small, large) is not Verdict.EQUAL:
            raise Undetermined(f"there may be too many {what}")
    elif small.value > large.value:
        raise Conflicting(wording.misused(call.name, f"{small} {what} for {large}"))


@rule(
    *torch_names("ormqr"),
    params="input, tau, other, left=True, transpose=False, *, out=None",
    examples=(
        example(Array("5 3"), Array("3"), Array("5 k")),
        example(Array("b 5 5"), Array("b 5"), Array("b k 5"), False),
        example(Array("5 3"), Array("3"), Array("4 k")),
        example(Array("5 3"), Array("2"), Array("5 k")),
    ),
)
def ormqr(call: Call) -> Value:
    """The other matrix, multiplied by a product of reflectors."""
    array, other = call.tensor("input"), call.tensor("other")
    if {call.tensor("tau").dtype, array.dtype} != {other.dtype}:
        raise Undetermined("torch takes arrays of one dtype")
    sides = "*a m k" if call.flag("left") else "*a k m"
    together = Signature.parse(f"*a m n, *a t, {sides} -> *a t")
    (factors,) = results(call, together, ("input", "tau", "other"))
    count, found = factors.shape.axes[-1], matrices(call, "input")
    if not isinstance(count, Axis) or count.flexible:
        raise Undetermined("the number of reflectors is not known")
    if call.same(count.dim, found.smaller) is Verdict.DIFFERENT:
        problem = f"{count} factors for {found.smaller} columns"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    return other
