# SPDX-License-Identifier: Apache-2.0
"""Inverses, determinants and decompositions of matrices, alone or in batches."""

from __future__ import annotations

from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.names import torch_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import declare
from typedtensors.ops.steps.axes.reduction import reduction

_SQUARE = (example(Array("n n")), example(Array("*a n n")), example(Array("b n m")))

for _names in (
    ("torch.linalg.inv", *torch_names("inverse")),
    ("torch.linalg.cholesky", *torch_names("cholesky")),
    ("torch.linalg.matrix_exp", *torch_names("matrix_exp")),
):
    declare(
        *_names,
        sig="*batch n n -> *batch n n",
        params="input, *, upper=False, check_errors=False, out=None",
        examples=_SQUARE,
    )
for _names in (
    ("torch.linalg.det", *torch_names("det")),
    torch_names("logdet"),
):
    declare(
        *_names,
        sig="*batch n n -> *batch",
        params="input, *, out=None",
        examples=_SQUARE,
    )
declare(
    "torch.linalg.slogdet",
    *torch_names("slogdet"),
    sig="*batch n n -> *batch, *batch",
    params="input, *, out=None",
    examples=_SQUARE,
    dtype=promotion.unless_complex,
    fields=("sign", "logabsdet"),
)
declare(
    "torch.linalg.eigvalsh",
    sig="*batch n n -> *batch n",
    params="input, UPLO='L', *, out=None",
    examples=_SQUARE,
    dtype=promotion.real,
)
declare(
    "torch.linalg.pinv",
    *torch_names("pinverse"),
    sig="*batch m n -> *batch n m",
    params="input, rcond=None, *, atol=None, rtol=None, hermitian=False, out=None",
    examples=(example(Array("m n")), example(Array("*a m n"))),
)
declare(
    *torch_names("trace"),
    sig="n m -> ",
    params="input",
    examples=(example(Array("n m")), example(Array("b n m"))),
    dtype=lambda dtype: promotion.summed(Framework.TORCH, dtype),
)
rule(
    "torch.linalg.matrix_norm",
    params="input, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None, out=None",
    examples=(
        *(example(Array("n m")), example(Array("*a n m")), example(Array("b n m"), "nuc")),
        example(Array("b n m"), dim=(0, 1), keepdim=True),
        example(Array("n")),
    ),
)(reduction(lambda _call, dtype: promotion.real(dtype)))
