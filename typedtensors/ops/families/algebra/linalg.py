# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.names import in_place, methods, torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import Signature, declare, results
from typedtensors.ops.steps.elementwise import meet, overwritten
from typedtensors.ops.steps.loss import dtype_of
from typedtensors.ops.steps.matmul import contract, linear, matmul, require_axes
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call


def added(signature: Signature, *factors: str) -> Callable[[Call], Tensor]:
    """A rule: a product of that signature, and an input that broadcasts to it."""

    def apply(call: Call) -> Tensor:
        array, (product,) = call.tensor("input"), results(call, signature, factors)
        shape = meet(call, {"input": array, "product": product})
        if array.dtype != product.dtype:
            product = product.with_dtype(ANY)
        overwritten(call, product, Tensor(shape))
        return overwritten(call, array, product) if in_place(call.op) else product

    return apply


_PRODUCTS = (
    example(Array("m k"), Array("k n")),
    example(Array("b m k"), Array("b k n")),
    example(Array("b 1 m k"), Array("h k n")),
    example(Array("k"), Array("k n")),
    example(Array("b m k"), Array("k")),
    example(Array("*a m k"), Array("*a k n")),
    example(Array("*a d"), Array("d e")),
    example(Array("n"), Array("n")),
)

rule(
    *torch_names("matmul"),
    *methods("__matmul__"),
    *("torch.linalg.matmul", "numpy.matmul", "numpy.ndarray.__matmul__"),
    params="input, other, *, out=None",
    examples=_PRODUCTS,
)(lambda call: matmul(call, "input", "other"))

rule(
    *methods("__rmatmul__"),
    "numpy.ndarray.__rmatmul__",
    params="input, other",
    examples=(example(Array("k n"), Array("m k")), example(Array("b k n"), Array("m k"))),
)(lambda call: matmul(call, "other", "input"))


@rule(
    *torch_names("mm"),
    params="input, mat2, *, out=None",
    examples=_PRODUCTS[:2],
)
def mm(call: Call) -> Tensor:
    """The product of two matrices, and of nothing else."""
    for name in ("input", "mat2"):
        shape = call.tensor(name).shape
        if shape.rank not in (None, 2):
            where = wording.argument(name, call.name)
            raise Conflicting(wording.rank_differs(where, "n m", shape.text))
    found = matmul(call, "input", "mat2")
    return found if found.shape.rank == 2 else found.with_shape(_matrix())


def _matrix() -> Shape:
    return Shape((Axis(Dim.fresh()), Axis(Dim.fresh())))


declare(
    *torch_names("bmm"),
    sig="b m k, b k n -> b m n",
    params="input, mat2, *, out=None",
    examples=_PRODUCTS[1:2],
)
declare(
    *torch_names("mv"),
    sig="m k, k -> m",
    params="input, vec, *, out=None",
    examples=(example(Array("m k"), Array("k")),),
)
declare(
    *torch_names("dot", "vdot"),
    sig="n, n -> ",
    params="input, tensor, *, out=None",
    examples=(example(Array("n"), Array("n")),),
)
declare(
    *torch_names("outer", "ger"),
    sig="m, n -> m n",
    params="input, vec2, *, out=None",
    examples=(example(Array("m"), Array("n")),),
)


@rule(
    "torch.cdist",
    params="x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary'",
    examples=(
        example(Array("m d"), Array("n d")),
        example(Array("b m d"), Array("b n d")),
        example(Array("*a m d"), Array("n d")),
    ),
)
def cdist(call: Call) -> Tensor:
    """Each row of one array with each row of the other; batches broadcast."""
    arrays = {name: call.tensor(name) for name in ("x1", "x2")}
    for name, array in arrays.items():
        require_axes(call, name, array.shape, 2)
    contract(call, ("x1", -1), ("x2", -1))
    dtype = dtype_of(array.dtype for array in arrays.values())
    if any(len(array.shape.suffix) < 2 for array in arrays.values()):
        return Tensor(Shape.unknown(), dtype)
    batches = {name: Tensor(Shape(array.shape.axes[:-2])) for name, array in arrays.items()}
    rows = (array.shape.suffix[-2] for array in arrays.values())
    return Tensor(Shape((*meet(call, batches).axes, *rows)), dtype)


_ADDBMM = Signature.parse("b m k, b k n -> m n")

# A product added to an array that broadcasts to it.
for _name, _sig, _params in (
    ("addmm", "m k, k n -> m n", "mat1, mat2"),
    ("baddbmm", "b m k, b k n -> b m n", "batch1, batch2"),
    ("addbmm", "b m k, b k n -> m n", "batch1, batch2"),
    ("addmv", "m k, k -> m", "mat, vec"),
    ("addr", "m, n -> m n", "vec1, vec2"),
):
    _wanted, _, _given = _sig.partition(" -> ")
    _factors = tuple(map(Array, _wanted.split(", ")))
    rule(
        # `addbmm_` replaces its input by a larger one.
        *torch_names(_name, in_place=_name != "addbmm"),
        params=f"input, {_params}, *, beta=1, alpha=1, out=None",
        examples=(
            example(Array(_given), *_factors),
            example(Array(_given.rpartition(" ")[2]), *_factors, alpha=2),
            example(Array("x"), *_factors),
        ),
    )(added(Signature.parse(_sig), *_params.split(", ")))


@rule(
    "torch.Tensor.addbmm_",
    params="input, batch1, batch2, *, beta=1, alpha=1",
    examples=(
        example(Array("m n"), Array("b m k"), Array("b k n")),
        example(Array("m n"), Array("b m k"), Array("b j n")),
    ),
)
def add_products(call: Call) -> Tensor:
    """The sum of products added to a matrix of its shape."""
    (product,) = results(call, _ADDBMM, ("batch1", "batch2"))
    array = call.tensor("input")
    if array.shape != product.shape or array.dtype != product.dtype:
        raise Undetermined("the input is not known to be like the products")
    return array


rule(
    "torch.nn.functional.linear",
    params="input, weight, bias=None",
    examples=(
        example(Array("b i"), Array("o i")),
        example(Array("b t i"), Array("o i"), Array("o")),
        example(Array("*a i"), Array("o i"), bias=Array("o")),
    ),
)(linear)
