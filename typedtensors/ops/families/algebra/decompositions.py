# SPDX-License-Identifier: Apache-2.0
"""Matrices as products of others, alone or in batches.

Source: https://docs.pytorch.org/docs/stable/linalg.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.fields import Fields
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import Signature, results
from typedtensors.ops.steps.matrices import complexed, matrices, numbered_alike, squares
from typedtensors.shapes import DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_EIGH = "*batch n n -> *batch n, *batch n n"
_INT32 = DType.exactly("int32")
_ANY = (
    example(Array("m n")),
    example(Array("*a m n")),
    example(Array("b 4 3")),
    example(Array("n")),
)
_SQUARE = (
    example(Array("n n")),
    example(Array("*a n n")),
    example(Array("b n m")),
    example(Array("n")),
)


@rule(
    "torch.linalg.svd",
    params="A, full_matrices=True, *, driver=None, out=None",
    examples=(*_ANY, example(Array("m n"), False), example(Array("b 4 3"), full_matrices=False)),
)
def svd(call: Call) -> Value:
    """Unitary matrices on both sides, whole or as thin as there are singular values."""
    found, dtype = matrices(call, "A"), call.tensor("A").dtype
    whole, least = call.flag("full_matrices"), found.smaller
    left = Tensor(found.shape(found.rows, found.rows if whole else least), dtype)
    right = Tensor(found.shape(found.columns if whole else least, found.columns), dtype)
    values = Tensor(found.shape(least), promotion.real(dtype))
    left, values, right = numbered_alike((left, -1), (values, -1), (right, -2))
    return Fields.of(U=left, S=values, Vh=right)


@rule(
    *torch_names("svd"),
    params="input, some=True, compute_uv=True, *, out=None",
    examples=(*_ANY, example(Array("m n"), False), example(Array("b 4 3"), some=False)),
)
def svd_of_old(call: Call) -> Value:
    """As `linalg.svd`, with the right side not transposed."""
    found, dtype = matrices(call, "input"), call.tensor("input").dtype
    if call["compute_uv"] is not True:
        raise Undetermined("the sides may be empty")
    some, least = call.flag("some"), found.smaller
    left = Tensor(found.shape(found.rows, least if some else found.rows), dtype)
    right = Tensor(found.shape(found.columns, least if some else found.columns), dtype)
    values = Tensor(found.shape(least), promotion.real(dtype))
    left, values, right = numbered_alike((left, -1), (values, -1), (right, -1))
    return Fields.of(U=left, S=values, V=right)


@rule(
    "torch.linalg.svdvals",
    params="A, *, driver=None, out=None",
    examples=_ANY,
)
def singular_values(call: Call) -> Value:
    """The singular values."""
    found = matrices(call, "A")
    return Tensor(found.shape(found.smaller), promotion.real(call.tensor("A").dtype))


@rule(
    "torch.linalg.qr",
    params="A, mode='reduced', *, out=None",
    examples=(*_ANY, example(Array("m n"), "complete"), example(Array("4 3"), mode="r")),
)
def qr(call: Call) -> Value:
    """A unitary matrix and a triangular one."""
    found, dtype, mode = matrices(call, "A"), call.tensor("A").dtype, call["mode"]
    if mode not in ("reduced", "complete", "r"):
        raise Undetermined("the mode is not known")
    inner = found.rows if mode == "complete" else found.smaller
    # Without its unitary matrix there is an empty array in its place.
    left = Shape.of(0) if mode == "r" else found.shape(found.rows, inner)
    return Fields.of(Q=Tensor(left, dtype), R=Tensor(found.shape(inner, found.columns), dtype))


@rule(
    *torch_names("qr"),
    params="input, some=True, *, out=None",
    examples=(*_ANY, example(Array("m n"), False)),
)
def qr_of_old(call: Call) -> Value:
    """As `linalg.qr`, reduced or complete."""
    found, dtype = matrices(call, "input"), call.tensor("input").dtype
    inner = found.smaller if call.flag("some") else found.rows
    factors = found.shape(found.rows, inner), found.shape(inner, found.columns)
    return Fields.of(Q=Tensor(factors[0], dtype), R=Tensor(factors[1], dtype))


@rule("torch.linalg.eig", params="A, *, out=None", examples=_SQUARE)
def eig(call: Call) -> Value:
    """Complex eigenvalues and eigenvectors."""
    found, dtype = squares(call, "A"), complexed(call.tensor("A").dtype)
    values = Tensor(found.shape(found.rows), dtype)
    vectors = Tensor(found.shape(found.rows, found.columns), dtype)
    values, vectors = numbered_alike((values, -1), (vectors, -1))
    return Fields.of(eigenvalues=values, eigenvectors=vectors)


@rule(
    "torch.linalg.eigh",
    params="input, UPLO='L', *, out=None",
    examples=(example(Array("n n")), example(Array("*a n n")), example(Array("b n m"))),
    signature=_EIGH,
)
def eigh(call: Call) -> Value:
    """Real eigenvalues, and eigenvectors in columns."""
    found = results(call, Signature.parse(_EIGH), ("input",), promotion.unless_complex)
    values, vectors = numbered_alike(*((each, -1) for each in found))
    return Fields.of(eigenvalues=values, eigenvectors=vectors)


@rule("torch.linalg.eigvals", params="A, *, out=None", examples=_SQUARE)
def eigenvalues(call: Call) -> Value:
    """Complex eigenvalues."""
    found = squares(call, "A")
    return Tensor(found.shape(found.rows), complexed(call.tensor("A").dtype))


@rule(
    *("torch.linalg.cholesky_ex", "torch.linalg.inv_ex"),
    params="A, *, upper=False, check_errors=False, out=None",
    examples=_SQUARE,
)
def with_info(call: Call) -> Value:
    """A matrix of the same shape, and for each whether it could be made."""
    found, array = squares(call, "A"), call.tensor("A")
    name = "L" if call.name == "cholesky_ex" else "inverse"
    return Fields.of(**{name: array, "info": Tensor(found.shape(), _INT32)})


@rule(
    "torch.linalg.lu",
    params="A, *, pivot=True, out=None",
    examples=_ANY,
)
def lu(call: Call) -> Value:
    """A permutation, a lower and an upper triangle."""
    found, dtype = matrices(call, "A"), call.tensor("A").dtype
    if call["pivot"] is not True:
        raise Undetermined("the permutation may be empty")
    shapes = {
        "P": found.shape(found.rows, found.rows),
        "L": found.shape(found.rows, found.smaller),
        "U": found.shape(found.smaller, found.columns),
    }
    return Fields.of(**{name: Tensor(shape, dtype) for name, shape in shapes.items()})


@rule(
    "torch.linalg.lu_factor",
    params="A, *, pivot=True, out=None",
    examples=_SQUARE,
)
def lu_factor(call: Call) -> Value:
    """Both triangles in one matrix, and which rows were swapped."""
    found, array = matrices(call, "A"), call.tensor("A")
    whole = Tensor(found.shape(found.rows, found.columns), array.dtype)
    return Fields.of(LU=whole, pivots=Tensor(found.shape(found.smaller), _INT32))


@rule(
    "torch.linalg.matrix_power",
    *torch_names("matrix_power"),
    params="input, n, *, out=None",
    examples=(example(Array("n n"), 2), example(Array("*a n n"), -1), example(Array("b n m"), 3)),
)
def power(call: Call) -> Value:
    """The matrix times itself."""
    found = squares(call, "input")
    return call.tensor("input").with_shape(found.shape(found.rows, found.columns))


@rule(
    "torch.linalg.matrix_rank",
    params="A, *, atol=None, rtol=None, hermitian=False, out=None",
    examples=_ANY,
)
def rank(call: Call) -> Value:
    """A number for each matrix."""
    return Tensor(matrices(call, "A").shape(), promotion.INT64)


@rule(
    "torch.linalg.cond",
    params="A, p=None, *, out=None",
    examples=(*_ANY, example(Array("b n n"), "fro"), example(Array("b n m"), "nuc")),
)
def condition(call: Call) -> Value:
    """A number for each matrix; most norms need it to be square."""
    two = call["p"] in (None, Dim.of(2), Dim.of(-2))
    found = (matrices if two else squares)(call, "A")
    return Tensor(found.shape(), promotion.real(call.tensor("A").dtype))
