# SPDX-License-Identifier: Apache-2.0
"""Ops along one axis that keep the shape, softmax first, and gates that halve an axis."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.reduction import asked, require_inexact
from typedtensors.ops.steps.signals.images import image
from typedtensors.shapes import Axis, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_F = "torch.nn.functional."


def along(call: Call) -> Tensor:
    """An op along one axis, which has to exist; the shape stays."""
    array, dim = call.tensor("input"), call["dim"]
    if isinstance(dim, Dim) and (array.shape.rank or dim.value not in (0, -1)):
        with suppress(Undetermined):
            position(call, array.shape, dim)
    dtype = promotion.floating(call.framework, array.dtype)
    return Tensor(array.shape, asked(call, dtype))


_ALONG = (
    *(example(Array("b n"), -1), example(Array("b n d"), dim=1), example(Array("*a n"), dim=-1)),
)
rule(
    *torch_names("softmax", "log_softmax"),
    *("torch.special.softmax", "torch.special.log_softmax"),
    params="input, dim, dtype=None, *, out=None",
    examples=_ALONG,
)(along)
rule(
    *(f"{_F}softmax", f"{_F}log_softmax", f"{_F}softmin"),
    params="input, dim=None, _stacklevel=3, dtype=None",
    examples=_ALONG,
)(along)
layer(
    *("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin"),
    params="dim=None",
    examples=tuple(example(Array("b n d")).on(dim) for dim in (-1, 1, 0, 4)),
)(along)


@layer(
    "torch.nn.Softmax2d",
    params="",
    examples=(
        example(Array("b c h w")).on(),
        example(Array("c h w")).on(),
        example(Array("b c")).on(),
    ),
)
def over_channels(call: Call) -> Tensor:
    """A distribution over the channels of each pixel."""
    array = call.tensor("input")
    image(call, array.shape, 2)
    require_inexact(call, array)
    return array


rule(
    f"{_F}gumbel_softmax",
    params="input, tau=1, hard=False, eps=1e-10, dim=-1",
    examples=(example(Array("b n")), example(Array("b n"), 0.5, dim=0)),
)(along)
rule(
    f"{_F}normalize",
    params="input, p=2.0, dim=1, eps=1e-12, out=None",
    examples=(
        example(Array("b n")),
        example(Array("b n d"), dim=-1),
        example(Array("*a n"), 2, -1),
    ),
)(along)


def gated(call: Call) -> Tensor:
    """Half of one axis is the gate of the other half."""
    array = call.tensor("input")
    at = position(call, array.shape, call["dim"])
    axis = array.shape.axes[at]
    if axis.flexible or not isinstance(axis, Axis):
        raise Undetermined("half of an axis of which little is known")
    odd = call.facts.compare(axis.dim % 2, Dim.of(0))
    if odd is Verdict.DIFFERENT and axis.dim.value is not None:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.axis_differs(where, at, "an even size", str(axis)))
    if odd is not Verdict.EQUAL:
        raise Undetermined("half of an axis that may be odd")
    return array.with_shape(array.shape.replace(at, Axis(axis.dim // 2)))


_GATED = (Array("b 2*h"), Array("b 6"))
rule(
    f"{_F}glu",
    params="input, dim=-1",
    examples=(example(_GATED[0]), example(_GATED[1], 1), example(Array("b 6 n"), -2)),
)(gated)
layer(
    "torch.nn.GLU",
    params="dim=-1",
    examples=(example(_GATED[0]).on(), example(Array("b 6 n")).on(1)),
)(gated)
