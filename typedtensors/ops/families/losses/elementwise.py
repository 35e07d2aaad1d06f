# SPDX-License-Identifier: Apache-2.0
"""Losses that compare element by element, as functions and as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, on_layers
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import compared, dtype_of, require_axis, returned
from typedtensors.shapes import ANY, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.shapes import Shape

_F = "torch.nn.functional."
_LEGACY = "size_average=None, reduce=None, reduction='mean'"
_TWO = (
    example(Array("b n"), Array("b n")),
    example(Array("b 1"), Array("b")),
    example(Array("*a n"), Array("*a n"), reduction="none"),
    example(Array("b n"), Array("b n"), reduction="sum"),
)


# Function, layer, and the settings of both.
for _function, _layer, _settings in (
    ("mse_loss", "MSELoss", _LEGACY),
    ("l1_loss", "L1Loss", _LEGACY),
    ("smooth_l1_loss", "SmoothL1Loss", f"{_LEGACY}, beta=1.0"),
    ("huber_loss", "HuberLoss", "reduction='mean', delta=1.0"),
    ("kl_div", "KLDivLoss", f"{_LEGACY}, log_target=False"),
    (
        "poisson_nll_loss",
        "PoissonNLLLoss",
        "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
    ),
    ("hinge_embedding_loss", "HingeEmbeddingLoss", f"margin=1.0, {_LEGACY}"),
):
    _loss = compared("input", "target", weights=("weight",))
    _weight = ", weight=None" if _function in ("mse_loss", "l1_loss", "huber_loss") else ""
    rule(
        f"{_F}{_function}",
        params=f"input, target, {_settings}{_weight}",
        examples=_TWO,
    )(_loss)
    layer(
        f"torch.nn.{_layer}",
        params=_settings,
        inputs="input, target",
        examples=on_layers(_TWO),
    )(_loss)

_WEIGHTED = (
    example(Array("b n"), Array("b n")),
    example(Array("b n"), Array("b n"), weight=Array("n")),
    example(Array("*a n"), Array("*a n"), reduction="none"),
    example(Array("b 1"), Array("b")),
    example(Array("b"), Array("b", "Int64")),
)
_POSITIVE = (*_WEIGHTED, example(Array("b n"), Array("b n"), pos_weight=Array("n")))
for _function, _layer, _settings, _weights, _examples in (
    ("binary_cross_entropy", "BCELoss", f"weight=None, {_LEGACY}", ("weight",), _WEIGHTED),
    (
        "binary_cross_entropy_with_logits",
        "BCEWithLogitsLoss",
        f"weight=None, {_LEGACY}, pos_weight=None",
        ("weight", "pos_weight"),
        _POSITIVE,
    ),
):
    _loss = compared("input", "target", weights=_weights, exact=True)
    rule(
        f"{_F}{_function}",
        params=f"input, target, {_settings}",
        examples=_examples,
    )(_loss)
    layer(
        f"torch.nn.{_layer}",
        params=_settings,
        inputs="input, target",
        examples=on_layers(_examples),
    )(_loss)


_GAUSSIAN = (
    example(Array("b n"), Array("b n"), Array("b n"), reduction="none"),
    example(Array("b n"), Array("b n"), Array("b 1")),
    example(Array("b n"), Array("b n"), Array("b")),
    example(Array("b 1"), Array("b"), Array("b 1")),
)
_VARIANCE = "full=False, eps=1e-06, reduction='mean'"


@rule(
    f"{_F}gaussian_nll_loss",
    params=f"input, target, var, {_VARIANCE}",
    examples=_GAUSSIAN,
)
@layer(
    "torch.nn.GaussianNLLLoss",
    params=f"*, {_VARIANCE}",
    inputs="input, target, var",
    examples=on_layers(_GAUSSIAN),
)
def gaussian_nll_loss(call: Call) -> Tensor:
    """Input and target are compared; the variance is the input's, or one for each row."""
    names = ("input", "target")
    arrays = {name: call.tensor(name) for name in names}
    shape = meet(call, arrays, names)
    variance = call["var"]
    dtype = dtype_of(array.dtype for array in arrays.values())
    if isinstance(variance, Tensor):
        dtype = dtype_of((dtype, variance.dtype))
        _require_variance(call, call.tensor("input").shape, call.tensor("var").shape)
    elif not isinstance(variance, float):
        dtype = ANY
    if call["reduction"] == "none" and shape != arrays["input"].shape:
        raise Undetermined("the variance may widen the losses")
    return returned(call, shape, dtype)


def _require_variance(call: Call, shape: Shape, variance: Shape) -> None:
    if shape.rank is None or variance.rank is None:
        return
    if shape.rank == 0 and variance.rank:
        raise Undetermined("only a variance of size 1 fits a number")
    if variance.rank not in (shape.rank, shape.rank - 1):
        where = wording.argument("var", call.name)
        raise Conflicting(wording.rank_differs(where, shape.text, variance.text))
    for at in range(variance.rank):
        axis = variance.axis(at)
        if axis is not None and axis.is_one and at < shape.rank - 1:
            raise Undetermined("torch stretches some variances of size 1")
        if axis is not None and not axis.is_one:
            require_axis(call, ("input", at), ("var", at))
