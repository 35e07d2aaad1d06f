# SPDX-License-Identifier: Apache-2.0
"""Special functions of mathematics, elementwise.

Source: https://docs.pytorch.org/docs/stable/special.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import alike, over

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_HOME = "torch.special."
_FLOATS = (example(Array("b n")), example(Array("*a n", "Float64")))

rule(
    *(f"{_HOME}bessel_{name}" for name in ("j0", "j1", "y0", "y1")),
    *(f"{_HOME}modified_bessel_{name}" for name in ("i0", "i1", "k0", "k1")),
    *(f"{_HOME}scaled_modified_bessel_{name}" for name in ("k0", "k1")),
    *(f"{_HOME}{name}" for name in ("airy_ai", "erfcx", "spherical_bessel_j0")),
    params="input, *, out=None",
    examples=_FLOATS,
)(alike("floating"))
rule(
    f"{_HOME}round",
    params="input, *, decimals=0, out=None",
    examples=(*_FLOATS, example(Array("b n"), decimals=2)),
)(alike())

_PAIRS = (
    example(Array("b n"), Array("b n")),
    example(Array("b n"), Array("n")),
    example(Array("b 1"), Array("b")),
    example(Array("*a n"), Array("n")),
    example(Array("b n"), Array("m")),
)
rule(
    *(f"{_HOME}{name}" for name in ("xlog1py", "zeta")),
    params="input, other, *, out=None",
    examples=(*_PAIRS, example(Array("b n"), 2.0), example(1.0, Array("b n"))),
)(over("input", "other", dtype="floating"))
rule(
    *(f"{_HOME}{name}" for name in ("gammainc", "gammaincc")),
    params="input, other, *, out=None",
    examples=_PAIRS,
)(over("input", "other"))
rule(
    *(f"{_HOME}{kind}_polynomial_{name}" for kind in ("chebyshev",) for name in "tuvw"),
    *(f"{_HOME}hermite_polynomial_{name}" for name in ("h", "he")),
    *(f"{_HOME}laguerre_polynomial_l", f"{_HOME}legendre_polynomial_p"),
    *(f"{_HOME}shifted_chebyshev_polynomial_{name}" for name in "tuvw"),
    params="input, n, *, out=None",
    examples=(example(Array("b n"), Array("n")), example(Array("b n"), 3)),
)(over("input", "n", dtype="floating"))


@rule(
    *(f"{_HOME}multigammaln", *torch_names("mvlgamma", in_place=True)),
    params="input, p, *, out=None",
    examples=(example(Array("b n"), 1), example(Array("*a n"), p=2)),
)
def multigammaln(call: Call) -> Value:
    """The multivariate log gamma function, of some dimension."""
    if at_most(call.dim("p"), Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"{call['p']} dimensions"))
    return alike("floating")(call)


def _differentiated(call: Call) -> Value:
    array = call.tensor("input")
    if isinstance(call["n"], Dim) and at_most(call.dim("n"), Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"a derivative of order {call['n']}"))
    return array.with_dtype(promotion.floating(Framework.TORCH, array.dtype))


rule(
    *(f"{_HOME}polygamma", "torch.polygamma"),
    params="n, input, *, out=None",
    examples=(example(1, Array("b n")), example(2, Array("*a n"))),
)(_differentiated)
rule(
    *("torch.Tensor.polygamma", "torch.Tensor.polygamma_"),
    params="input, n",
    examples=(example(Array("b n"), 1), example(Array("*a n"), 2)),
)(_differentiated)
