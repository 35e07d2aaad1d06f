# SPDX-License-Identifier: Apache-2.0
"""Arrays that store some of their elements: where those are, and products with other arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import declare
from typedtensors.ops.steps.loss import require_same_shape
from typedtensors.ops.value import SOME_BOOL
from typedtensors.shapes import Axis, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def _stored(spec: str, layout: str = "sparse") -> Array:
    return Array(spec, layout=layout)


_SPARSE = (example(_stored("b n")), example(_stored("4 n 5")))


@rule(*methods("coalesce"), params="input", examples=_SPARSE)
def coalesce(call: Call) -> Value:
    """Each position once."""
    return call.tensor("input")


@rule(*methods("is_coalesced"), params="input", examples=_SPARSE)
def is_coalesced(call: Call) -> Value:
    """Whether each position stands there once."""
    call.tensor("input")
    return SOME_BOOL


@rule(*methods("sparse_dim", "dense_dim"), params="input", examples=_SPARSE)
def axes_of_kind(call: Call) -> Value:
    """How many axes are stored by position, or in full."""
    call.tensor("input")
    return Dim.fresh(call.name)


@rule(*methods("indices"), params="input", examples=_SPARSE)
def positions(call: Call) -> Value:
    """A column for each element that is stored: its position along each of some axes."""
    call.tensor("input")
    return Tensor(Shape((Axis(Dim.fresh()), Axis(Dim.fresh("stored")))), promotion.INT64)


@rule(*methods("values"), params="input", examples=_SPARSE)
def values(call: Call) -> Value:
    """The elements that are stored; they may be arrays."""
    array = call.tensor("input")
    return array.with_shape(Shape((Axis(Dim.fresh("stored")), Variadic.fresh())))


def _bounds(call: Call) -> Tensor:
    """Where each row starts, or which columns are stored: for each matrix of a batch."""
    call.tensor("input")
    return Tensor(Shape((Variadic.fresh(), Axis(Dim.fresh()))), promotion.INT64)


for _layout, _names in (("csr", ("crow", "col")), ("csc", ("ccol", "row"))):
    rule(
        *methods(*(f"{name}_indices" for name in _names)),
        *(f"torch.{name}_indices_copy" for name in _names),
        params="input",
        examples=(example(_stored("b n", _layout)), example(_stored("4 n", _layout))),
    )(_bounds)


@rule(
    *methods("sparse_mask"),
    params="input, mask",
    examples=(example(Array("b n"), _stored("b n")), example(Array("b n"), _stored("b m"))),
)
def sparse_mask(call: Call) -> Value:
    """The elements where another array stores some."""
    require_same_shape(call, "input", "mask")
    if call.tensor("input").shape.rank is None:
        raise Undetermined("the rank is not known")
    return call.tensor("input")


declare(
    "torch.spmm",
    sig="m k, k n -> m n",
    params="input, mat2",
    examples=(example(_stored("m k"), Array("k n")), example(_stored("m k"), Array("j n"))),
)
declare(
    *torch_names("smm"),
    "torch.hspmm",
    sig="m k, k n -> m n",
    params="mat1, mat2, *, out=None",
    examples=(example(_stored("m k"), Array("k n")), example(_stored("m k"), Array("j n"))),
)
declare(
    *torch_names("sspaddmm"),
    sig="m n, m k, k n -> m n",
    params="input, mat1, mat2, *, beta=1, alpha=1, out=None",
    examples=(example(_stored("m n"), _stored("m k"), Array("k n")),),
)
