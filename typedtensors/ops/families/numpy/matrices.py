# SPDX-License-Identifier: Apache-2.0
"""Matrices in `numpy.linalg`: inverses, decompositions, systems of equations.

Source: https://numpy.org/doc/stable/reference/routines.linalg.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops import promotion
from typedtensors.ops.families.algebra.solving import solved, solved_vector
from typedtensors.ops.fields import Fields
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import declare
from typedtensors.ops.steps.axes.reduction import averaged
from typedtensors.ops.steps.matrices import matrices, numbered_alike, squares
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_SQUARE = (example(Array("n n")), example(Array("*a n n")), example(Array("b n m")))
_ANY = (example(Array("m n")), example(Array("*a m n")), example(Array("b 4 3")))
_SYSTEMS = (
    example(Array("n n"), Array("n")),
    example(Array("n n"), Array("n k")),
    example(Array("b n n"), Array("b n k")),
    example(Array("b n n"), Array("n k")),
    example(Array("n n"), Array("m")),
    example(Array("b n n"), Array("b m k")),
)


def _real(dtype: DType) -> DType:
    return promotion.real(averaged(dtype))


for _name, _params in (("inv", "a"), ("cholesky", "a, /, *, upper=False")):
    declare(
        f"numpy.linalg.{_name}",
        sig="*batch n n -> *batch n n",
        params=_params,
        examples=_SQUARE,
        dtype=averaged,
    )
declare(
    "numpy.linalg.det",
    sig="*batch n n -> *batch",
    params="a",
    examples=_SQUARE,
    dtype=averaged,
)
declare(
    "numpy.linalg.slogdet",
    sig="*batch n n -> *batch, *batch",
    params="a",
    examples=_SQUARE,
    dtype=lambda dtype: promotion.unless_complex(averaged(dtype)),
    fields=("sign", "logabsdet"),
)
declare(
    "numpy.linalg.eigvalsh",
    sig="*batch n n -> *batch n",
    params="a, UPLO='L'",
    examples=_SQUARE,
    dtype=_real,
)
declare(
    "numpy.linalg.pinv",
    sig="*batch m n -> *batch n m",
    params="a, rcond=None, hermitian=False, *, rtol=None",
    examples=_ANY[:2],
    dtype=averaged,
)


@rule(
    "numpy.linalg.matrix_power",
    params="a, n",
    examples=(example(Array("n n"), 2), example(Array("*a n n"), 3), example(Array("b n m"), 3)),
)
def power(call: Call) -> Value:
    """The matrix times itself; of integers, unless its inverse is asked for."""
    found = squares(call, "a")
    return Tensor(found.shape(found.rows, found.columns), ANY)


@rule(
    "numpy.linalg.matrix_rank",
    params="A, tol=None, hermitian=False, *, rtol=None",
    examples=_ANY,
)
def rank(call: Call) -> Value:
    """A number for each matrix."""
    if call.tensor("A").shape.least_rank < 2:
        raise Undetermined("NumPy lets vectors pass")
    return Tensor(matrices(call, "A").shape(), promotion.INT64)


@rule(
    "numpy.linalg.svd",
    params="a, full_matrices=True, compute_uv=True, hermitian=False",
    examples=(*_ANY, example(Array("m n"), False), example(Array("m n"), compute_uv=False)),
)
def svd(call: Call) -> Value:
    """Unitary matrices on both sides, whole or as thin as there are singular values."""
    found, dtype = matrices(call, "a"), averaged(call.tensor("a").dtype)
    whole, least = call.flag("full_matrices"), found.smaller
    values = Tensor(found.shape(least), promotion.real(dtype))
    if not call.flag("compute_uv"):
        return values
    left = Tensor(found.shape(found.rows, found.rows if whole else least), dtype)
    right = Tensor(found.shape(found.columns if whole else least, found.columns), dtype)
    left, values, right = numbered_alike((left, -1), (values, -1), (right, -2))
    return Fields.of(U=left, S=values, Vh=right)


@rule("numpy.linalg.svdvals", params="x", examples=_ANY)
def singular_values(call: Call) -> Value:
    """The singular values."""
    found = matrices(call, "x")
    return Tensor(found.shape(found.smaller), _real(call.tensor("x").dtype))


@rule(
    "numpy.linalg.qr",
    params="a, mode='reduced'",
    examples=(*_ANY, example(Array("m n"), "complete"), example(Array("4 3"), mode="r")),
)
def qr(call: Call) -> Value:
    """A unitary matrix and a triangular one, or that alone."""
    found, dtype, mode = matrices(call, "a"), averaged(call.tensor("a").dtype), call["mode"]
    if mode not in ("reduced", "complete", "r"):
        raise Undetermined("the mode is not known")
    inner = found.rows if mode == "complete" else found.smaller
    triangle = Tensor(found.shape(inner, found.columns), dtype)
    if mode == "r":
        return triangle
    return Fields.of(Q=Tensor(found.shape(found.rows, inner), dtype), R=triangle)


@rule("numpy.linalg.eigh", params="a, UPLO='L'", examples=_SQUARE)
def eigh(call: Call) -> Value:
    """Real eigenvalues, and eigenvectors in columns."""
    found, dtype = squares(call, "a"), averaged(call.tensor("a").dtype)
    values = Tensor(found.shape(found.rows), promotion.real(dtype))
    vectors = Tensor(found.shape(found.rows, found.columns), dtype)
    values, vectors = numbered_alike((values, -1), (vectors, -1))
    return Fields.of(eigenvalues=values, eigenvectors=vectors)


@rule("numpy.linalg.eig", params="a", examples=_SQUARE)
def eig(call: Call) -> Value:
    """Eigenvalues and eigenvectors, complex only where they have to be."""
    found = squares(call, "a")
    values = Tensor(found.shape(found.rows), ANY)
    vectors = Tensor(found.shape(found.rows, found.columns), ANY)
    values, vectors = numbered_alike((values, -1), (vectors, -1))
    return Fields.of(eigenvalues=values, eigenvectors=vectors)


@rule("numpy.linalg.eigvals", params="a", examples=_SQUARE)
def eigenvalues(call: Call) -> Value:
    """Eigenvalues, complex only where they have to be."""
    found = squares(call, "a")
    return Tensor(found.shape(found.rows), ANY)


@rule("numpy.linalg.solve", params="a, b", examples=_SYSTEMS)
def solve(call: Call) -> Value:
    """The unknowns: a column for each of the right side, or one if that is a vector."""
    found, right = squares(call, "a"), call.tensor("b").shape
    if right.rank is None or right.rank == 0:
        raise Undetermined("whether the right side is a vector is not known")
    call.arguments = {**call.arguments, "left": True}
    made = solved_vector if right.rank == 1 else solved
    return made(call, "a", "b", found).with_dtype(_solved(call))


def _solved(call: Call) -> DType:
    dtypes = [averaged(call.tensor(name).dtype) for name in ("a", "b")]
    return promotion.combined(call.framework, dtypes)


@rule(
    "numpy.linalg.lstsq",
    params="a, b, rcond=None",
    examples=(
        example(Array("m n"), Array("m")),
        example(Array("m n"), Array("m k")),
        example(Array("m n"), Array("j k")),
    ),
)
def lstsq(call: Call) -> Value:
    """The unknowns that come closest, residuals, the rank and the singular values."""
    found, right = matrices(call, "a"), call.tensor("b").shape
    if right.rank not in (1, 2) or found.lead:
        raise Undetermined("NumPy takes one matrix, and a vector or a matrix")
    call.arguments = {**call.arguments, "left": True}
    made = solved_vector if right.rank == 1 else solved
    others = made(call, "a", "b", found).shape.axes[1:]
    values = Tensor(found.shape(found.smaller), ANY)
    solution = Tensor(Shape((Axis(found.columns), *others)), _solved(call))
    return (solution, Unknown("depends on numbers"), Unknown("depends on numbers"), values)
