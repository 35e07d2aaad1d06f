# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's matrix products and linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.families.algebra.einsum import einsum
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import Signature, declare, results
from typedtensors.ops.steps.axes.positions import positions
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.matmul import contract, matmul, require_axes, without_last
from typedtensors.ops.steps.matrices import numbered_alike
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_PRODUCTS = (
    *(example(Array("m k"), Array("k n")), example(Array("b m k"), Array("b k n"))),
    *(example(Array("b 1 m k"), Array("h k n")), example(Array("b m k"), Array("k n"))),
    *(example(Array("*a m k"), Array("*a k n")), example(Array("k"), Array("k n"))),
    example(Array("m k"), Array("n k")),
)


def _turned(call: Call, name: str, *flags: str) -> Tensor:
    """A factor, with its last two axes exchanged if a flag says so."""
    array = call.tensor(name)
    require_axes(call, name, array.shape, 2)
    if not any(call.flag(flag) for flag in flags):
        return array
    axes = array.shape.axes
    if len(array.shape.suffix) < 2:
        raise Undetermined("the matrices are not known")
    return array.with_shape(Shape((*axes[:-2], axes[-1], axes[-2])))


@rule(
    *tensorflow_names("matmul", "linalg.matmul"),
    params="a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, "
    "a_is_sparse=False, b_is_sparse=False, output_type=None, name=None",
    examples=(
        *_PRODUCTS,
        example(Array("b q d"), Array("b k d"), transpose_b=True),
        example(Array("k m"), Array("k n"), True),
        example(Array("b m k"), Array("b n k"), adjoint_b=True),
    ),
)
def product(call: Call) -> Value:
    """The product of matrices; a vector is none."""
    factors = {
        "a": _turned(call, "a", "transpose_a", "adjoint_a"),
        "b": _turned(call, "b", "transpose_b", "adjoint_b"),
    }
    call.arguments = {**call.arguments, **factors}
    found = matmul(call, "a", "b")
    asked = call["output_type"] is not None
    return found if not asked else found.with_dtype(promotion.combined(call.framework, ()))


@rule("tensorflow.Tensor.__matmul__", params="a, b", examples=_PRODUCTS)
@rule(
    "tensorflow.Tensor.__rmatmul__",
    params="b, a",
    examples=(example(Array("k n"), Array("m k")), example(Array("b k n"), Array("m k"))),
)
def operator(call: Call) -> Value:
    """As `tf.matmul`."""
    for name in ("a", "b"):
        require_axes(call, name, call.tensor(name).shape, 2)
    return matmul(call, "a", "b")


@rule(
    *tensorflow_names("linalg.matvec"),
    params="a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, "
    "name=None",
    examples=(
        *(example(Array("m k"), Array("k")), example(Array("b m k"), Array("b k"))),
        *(example(Array("k m"), Array("k"), True), example(Array("m k"), Array("m"))),
    ),
)
def matvec(call: Call) -> Value:
    """The product of matrices and vectors; what is in front of both broadcasts."""
    matrix, vector = _turned(call, "a", "transpose_a", "adjoint_a"), call.tensor("b")
    require_axes(call, "b", vector.shape, 1)
    call.arguments = {**call.arguments, "a": matrix}
    contract(call, ("a", -1), ("b", -1))
    dtype = promotion.promoted(call.framework, (matrix, vector))
    if len(matrix.shape.suffix) < 2 or not vector.shape.suffix:
        return Tensor(Shape.unknown(), dtype)
    batches = {
        "a": Tensor(Shape(matrix.shape.axes[:-2])),
        "b": Tensor(without_last(vector.shape)),
    }
    return Tensor(Shape((*meet(call, batches).axes, matrix.shape.axes[-2])), dtype)


@rule(
    *tensorflow_names("einsum", "linalg.einsum"),
    params="equation, *operands, optimize='greedy', name=None",
    examples=(
        example("ij,jk->ik", Array("i j"), Array("j k")),
        example("bhqd,bhkd->bhqk", Array("b h q d"), Array("b h k d")),
        example("...d,ed->...e", Array("*a d"), Array("e d")),
        example("ij->", Array("i j")),
        example("ij->ji", Array("i j")),
        example("ij,jk->ik", Array("i j"), Array("k j")),
        example("ij,jk->ik", Array("i 1"), Array("j k")),
    ),
)
def sum_of_products(call: Call) -> Value:
    """As torch's, but nothing is stretched."""
    found = einsum(call)
    if call.broadcasts:
        arrays = [array for each in call.broadcasts for array in each.operands.values()]
        axes = [axis for array in arrays for axis in array.shape.fixed or ()]
        if any(axis.flexible or not axis.dim.declared for axis in axes):
            raise Undetermined("an axis may be of size 1")
        raise Conflicting(wording.misused(call.name, "stretches no axis of size 1"))
    return found


@rule(
    *tensorflow_names("tensordot", "linalg.tensordot"),
    params="a, b, axes, name=None",
    examples=(
        *(example(Array("b t d"), Array("d e"), 1), example(Array("b d"), Array("b d"), 2)),
        *(example(Array("b t d"), Array("e d"), [[2], [1]]), example(Array("b"), Array("n"), 0)),
        *(example(Array("b t d"), Array("d t"), axes=[[1, 2], [1, 0]]),),
        *(example(Array("b d"), Array("n d"), 1), example(Array("b d"), Array("d n"), [1, 0])),
    ),
)
def tensordot(call: Call) -> Value:
    """The axes that are named are summed over; those of the first are in front of the second's."""
    one, two = call.tensor("a"), call.tensor("b")
    first, second = _contracted(call, one.shape, two.shape)
    pairs = list(zip(first, second, strict=True))
    sizes = [(one.shape.axes[left], two.shape.axes[right]) for left, right in pairs]
    if len(pairs) > 1 and any(own != other for own, other in sizes):
        raise Undetermined("of several axes only the number of elements has to agree")
    for left, right in pairs:
        contract(call, ("a", left), ("b", right))
    rest = [part for at, part in enumerate(one.shape.axes) if at not in first]
    rest += [part for at, part in enumerate(two.shape.axes) if at not in second]
    return Tensor(Shape(tuple(rest)), promotion.promoted(call.framework, (one, two)))


def _contracted(call: Call, one: Shape, two: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The positions of the axes to sum over, in both arrays."""
    given = call["axes"]
    if one.rank is None or two.rank is None:
        raise Undetermined("the ranks are not known")
    if isinstance(given, Dim) and given.value is not None:
        count = given.value
        if not 0 <= count <= min(one.rank, two.rank):
            raise Conflicting(wording.misused(call.name, f"{count} axes of {one} and {two}"))
        return tuple(range(one.rank - count, one.rank)), tuple(range(count))
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Undetermined("the axes are not known")
    first, second = positions(call, one, given[0]), positions(call, two, given[1])
    if len(first) != len(second):
        raise Conflicting(wording.misused(call.name, "the axes are no pairs"))
    return first, second


_EIGH = "*a n n -> *a n, *a n n"
_SQUARE = (example(Array("n n")), example(Array("*a n n")), example(Array("b n m")))

for _names, _params in (
    (("linalg.inv",), "input, adjoint=False, name=None"),
    (("linalg.cholesky",), "input, name=None"),
):
    declare(*tensorflow_names(*_names), sig="*a n n -> *a n n", params=_params, examples=_SQUARE)
declare(
    *tensorflow_names("linalg.det"),
    sig="*a n n -> *a",
    params="input, name=None",
    examples=_SQUARE,
)
declare(
    *tensorflow_names("linalg.pinv"),
    sig="*a n m -> *a m n",
    params="a, rcond=None, validate_args=False, name=None",
    examples=(example(Array("n m")), example(Array("b n m"))),
)
declare(
    *tensorflow_names("linalg.matrix_transpose"),
    sig="*a n m -> *a m n",
    params="a, name=None, conjugate=False",
    examples=(example(Array("n m")), example(Array("*b n m")), example(Array("n"))),
)
declare(
    *tensorflow_names("linalg.adjoint"),
    sig="*a n m -> *a m n",
    params="matrix, name=None",
    examples=(example(Array("n m")), example(Array("*b n m")), example(Array("n"))),
)
declare(
    *tensorflow_names("linalg.solve"),
    sig="*a n n, *a n k -> *a n k",
    params="matrix, rhs, adjoint=False, name=None",
    examples=(example(Array("n n"), Array("n k")), example(Array("b n n"), Array("b n k"))),
)
declare(
    *tensorflow_names("linalg.diag"),
    sig="*a n -> *a n n",
    params="diagonal, name=None",
    examples=(example(Array("n")), example(Array("*b n"))),
)
declare(
    *tensorflow_names("linalg.band_part"),
    sig="*a n m -> *a n m",
    params="input, num_lower, num_upper, name=None",
    examples=(example(Array("n m"), -1, 0), example(Array("*b n m"), 0, -1)),
)
declare(
    *tensorflow_names("linalg.eigvalsh"),
    sig="*a n n -> *a n",
    params="tensor, name=None",
    examples=_SQUARE[:2],
)


@rule(
    *tensorflow_names("linalg.eigh"),
    params="tensor, name=None",
    examples=_SQUARE[:2],
    signature=_EIGH,
)
def eigh(call: Call) -> Value:
    """Eigenvalues, and eigenvectors in columns."""
    values, vectors = results(call, Signature.parse(_EIGH), ("tensor",))
    return tuple(numbered_alike((values, -1), (vectors, -1)))


declare(
    *tensorflow_names("linalg.cross"),
    sig="*a 3, *a 3 -> *a 3",
    params="a, b, name=None",
    examples=(example(Array("b 3"), Array("b 3")), example(Array("b 2"), Array("b 2"))),
)
